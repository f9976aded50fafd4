package load

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

var (
	// located splits the front end's "file:line:column: message"; the column may be missing.
	located = regexp.MustCompile(`^(.+?):(\d+):(?:\d+:)? *(.*)$`)
	// traces matches what the front end says of its own source and of its data.
	traces = regexp.MustCompile(` \((check|parser|cpp|type|value|scanner|etc)\.go:\d+:.*|[ :(]*&\{.*|[ :(]*<nil>.*`)
	// inward matches what the front end says of itself only.
	inward = regexp.MustCompile(`^(TODO|internal error)|\*cc\.|%!|\$\d`)
)

// explain makes one line, with a place in a file, of the front end's complaints. It tells of the first. The syntax tree is asked for
// if the front end does not say where.
func (in *input) explain(err error, ast func() *cc.AST) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = traces.ReplaceAllString(line, "")
	file, at, msg := in.path, 0, strings.TrimPrefix(strings.TrimPrefix(line, in.path+": "), "-: ")
	if m := located.FindStringSubmatch(line); m != nil {
		file, msg = in.fileNamed(m[1]), m[3]
		at, _ = strconv.Atoi(m[2])
	}
	msg = strings.TrimRight(msg, ": ")
	e := &Error{Pos: fileLine(file, at), Msg: oneLine(in.plainWords(msg, file, at)), Err: err}
	switch {
	case strings.HasPrefix(file, "<end>") || at == 0 && strings.HasPrefix(e.Msg, "unexpected end of file"):
		e.Pos = in.end()
	case at == 0:
		e.Pos = in.blame(msg, ast())
	}
	return e
}

// fileNamed is the path of a file of which the front end may have said no more than the last part.
func (in *input) fileNamed(name string) string {
	paths := in.files.paths()
	if slices.Contains(paths, name) {
		return name
	}
	for _, p := range append([]string{in.path}, paths...) {
		if filepath.Base(p) == name {
			return p
		}
	}
	return name
}

// paths are the files that have been read, in order.
func (f *files) paths() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.read))
}

// plainWords says what is wrong at a line in the words of C.
func (in *input) plainWords(msg, file string, line int) string {
	text := in.line(file, line)
	unexpected := strings.HasPrefix(msg, "unexpected ")
	switch name, missing := strings.CutPrefix(msg, "include file not found: "); {
	case missing:
		return "no such header: " + name + packageHint(strings.Trim(name, `<>"`))
	case strings.HasPrefix(msg, "macro expansion limit exceeded"):
		return "too large: more than the limit of tokens and macros"
	case msg == "unexpected EOF" || strings.HasPrefix(msg, "unexpected <EOF>"):
		return "unexpected end of file"
	case msg == "unexpected 'enum', expected enum specifier":
		return "after enum stands neither a name nor a brace; an attribute before the tag is not supported"
	case unexpected && bracketAttribute.MatchString(text):
		return "an attribute in double brackets, [[...]], is not supported"
	case unexpected && bitInt.MatchString(text):
		return "the type _BitInt is not supported"
	case typeMissing.MatchString(msg):
		return typeMissing.ReplaceAllString(msg, "the type $1 is not supported")
	case msg == "TODO token.Position":
		return "more than one list of attributes before a name is not supported"
	case inward.MatchString(msg):
		return "the C front end does not support what stands here"
	}
	return msg
}

var (
	bracketAttribute = regexp.MustCompile(`\[\s*\[`)
	bitInt           = regexp.MustCompile(`\b_BitInt\b`)
)

// line is the text of a line of a file, if there is such a line.
func (in *input) line(file string, n int) string {
	data, err := in.files.bytes(file)
	if err != nil {
		return ""
	}
	for text := range strings.Lines(string(data)) {
		if n--; n == 0 {
			return text
		}
	}
	return ""
}
