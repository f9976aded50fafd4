package load

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrNoCompiler is matched by the error of Load when no C compiler can be run: the header cannot be read without the compiler's
// predefined macros and include folders.
var ErrNoCompiler = errors.New("no C compiler")

// An Error says in one line why a header, or one item of it, was refused.
type Error struct {
	Pos  string // file:line, or the file alone; empty if no place in a file is to blame
	Item string // the construct: "struct ibv_wc", "member x of struct y"; may be empty
	Msg  string // what is wrong with it
	Err  error  // what it wraps; may be nil
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Item != "" {
		s = e.Item + ": " + s
	}
	if e.Pos != "" {
		s = e.Pos + ": " + s
	}
	return s
}

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// refusef makes the Error for item at pos.
func refusef(pos, item, format string, args ...any) *Error {
	return &Error{Pos: pos, Item: item, Msg: oneLine(fmt.Sprintf(format, args...))}
}

// oneLine keeps a message on one line, and short, whatever a header put into it.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + "..."
	}
	return s
}

// located splits the front end's "file:line:column: message"; the column may be missing.
var located = regexp.MustCompile(`^(.+?):(\d+):(?:\d+:)? *(.*)$`)

// traces matches what the front end says of its own source and of its data.
var traces = regexp.MustCompile(` \((check|parser|cpp|type|value|scanner)\.go:\d+:.*| \(?&\{.*`)

// frontEndError turns the front end's list of complaints into an Error about the first.
func frontEndError(header string, err error) *Error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = traces.ReplaceAllString(line, "")
	if m := located.FindStringSubmatch(line); m != nil {
		return &Error{Pos: m[1] + ":" + m[2], Msg: oneLine(strings.TrimRight(m[3], ": ")), Err: err}
	}
	return &Error{Pos: header, Msg: oneLine(strings.TrimPrefix(strings.TrimPrefix(line, header+": "), "-: ")), Err: err}
}
