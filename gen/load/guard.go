package load

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// Limits on what one parse may include. verbs.h includes some 150 times.
const (
	maxIncludes      = 2000
	maxIncludedBytes = 64 << 20
)

// entry is put before the text of every file that the front end reads, so that it reports each time it enters the file: the
// front end includes a file that includes itself for ever, and leaves #pragma once to its user.
const entry = "#pragma verbsgen_entry\n#line 1\n"

// exit is put behind it: the front end looks for the end of a constant that the file does not close, behind a backslash even, for
// ever unless the line ends.
const exit = "\n\n"

// A guard watches one parse through its pragmas.
type guard struct {
	files  *files
	system []string // folders
	gated  bool     // the text is known to be closed
	count  int
	bytes  int
	once   map[string]bool
}

// An abort ends a parse at once, by a panic, since at the end of a text that is cut short the parser may wait for ever.
type abort struct {
	err *Error // what is wrong; nil: the text must pass the gate first
}

// run calls f, which parses, and returns how it was aborted, if it was.
func (g *guard) run(f func()) (a *abort) {
	defer func() {
		if p := recover(); p != nil {
			var ok bool
			if a, ok = p.(*abort); !ok {
				panic(p)
			}
		}
	}()
	f()
	return nil
}

// pragma is called for each pragma, with what follows the word pragma.
func (g *guard) pragma(toks []cc.Token) error {
	if len(toks) == 0 {
		return nil
	}
	file, pos := place(toks[0])
	switch toks[0].SrcStr() {
	case "verbsgen_entry":
		return g.enter(file)
	case "once":
		g.once[file] = true
	case "pack":
		g.pack(pos, toks[1:])
	case "ms_struct", "scalar_storage_order":
		g.stop(refusef(pos, "", "#pragma %s is not supported", toks[0].SrcStr()))
	}
	return nil
}

func (g *guard) stop(e *Error) { panic(&abort{e}) }

func (g *guard) enter(file string) error {
	if g.once[file] {
		return cc.SkipSource
	}
	g.count++
	data, _ := g.files.bytes(file)
	g.bytes += len(data)
	if g.count > maxIncludes || g.bytes > maxIncludedBytes {
		g.stop(refusef(file, "", "included without end: %d files entered", g.count))
	}
	if !g.gated && g.files.open(file, g.system) {
		g.stop(nil)
	}
	return nil
}

// pack refuses the forms of #pragma pack that the front end and gcc take differently.
func (g *guard) pack(pos string, toks []cc.Token) {
	var words []string
	for _, t := range toks {
		if s := strings.TrimSpace(t.SrcStr()); s != "" {
			words = append(words, s)
		}
	}
	form := strings.Join(words, " ")
	if !slices.Contains(packForms, form) {
		g.stop(refusef(pos, "", "#pragma pack %s is not supported", form))
	}
}

var packForms = packForm()

func packForm() (forms []string) {
	forms = []string{"( )", "( push )", "( pop )"}
	for _, n := range []string{"1", "2", "4", "8", "16"} {
		forms = append(forms, "( "+n+" )", "( push , "+n+" )")
	}
	return forms
}
