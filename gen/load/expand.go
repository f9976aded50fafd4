package load

import (
	"slices"

	"modernc.org/cc/v4"
)

// maxExpansion bounds the tokens of one macro when it is expanded.
const maxExpansion = 2000

// volatileNames are macros whose value depends on where they are used.
var volatileNames = []string{"__LINE__", "__COUNTER__", "__INCLUDE_LEVEL__", "__FILE__", "__DATE__", "__TIME__", "__TIMESTAMP__"}

// An expander replaces macros by what they stand for.
type expander struct {
	macros map[string]*cc.Macro
	active []string
	work   int
	failed bool // too long, or in a form that is not understood
}

// expand returns the tokens that macro m stands for, if they can be told.
func (b *builder) expand(m *cc.Macro) (words []string, ok bool) {
	x := expander{macros: b.ast.Macros}
	words = x.replace(macroWords(m), m.Name.SrcStr())
	return words, !x.failed
}

func macroWords(m *cc.Macro) (words []string) {
	for _, t := range m.ReplacementList() {
		if t.Ch != ' ' && t.Ch != '\n' {
			words = append(words, t.SrcStr())
		}
	}
	return words
}

// replace expands words, in which the macro named self stands for itself.
func (x *expander) replace(words []string, self string) (out []string) {
	x.active = append(x.active, self)
	defer func() { x.active = x.active[:len(x.active)-1] }()
	if len(x.active) > 100 {
		x.failed = true
	}
	for i := 0; i < len(words) && !x.failed; i++ {
		if x.work++; x.work > maxExpansion {
			x.failed = true
		}
		w := words[i]
		m := x.macros[w]
		switch {
		case m == nil || slices.Contains(x.active, w):
			out = append(out, w)
		case !m.IsFnLike:
			out = append(out, x.replace(macroWords(m), w)...)
		case i+1 < len(words) && words[i+1] == "(":
			args, n := arguments(words[i+2:])
			body, ok := x.substitute(m, args)
			if n == 0 || !ok {
				x.failed = true
				return nil
			}
			out = append(out, x.replace(body, w)...)
			i += n + 1
		default:
			out = append(out, w)
		}
	}
	return out
}

// arguments splits what follows the opening parenthesis of a call; n is its length with the closing one, 0 without it.
func arguments(words []string) (args [][]string, n int) {
	args = [][]string{nil}
	depth := 0
	for i, w := range words {
		switch {
		case w == ")" && depth == 0:
			return args, i + 1
		case w == "," && depth == 0:
			args = append(args, nil)
			continue
		case w == "(":
			depth++
		case w == ")":
			depth--
		}
		args[len(args)-1] = append(args[len(args)-1], w)
	}
	return nil, 0
}

// substitute puts arguments into the body of a function-like macro without # and ##.
func (x *expander) substitute(m *cc.Macro, args [][]string) (body []string, ok bool) {
	if m.VarArg >= 0 || len(args) != len(m.Params) && !(len(m.Params) == 0 && len(args) == 1 && args[0] == nil) {
		return nil, false
	}
	for _, w := range macroWords(m) {
		if w == "#" || w == "##" {
			return nil, false
		}
		i := slices.IndexFunc(m.Params, func(p cc.Token) bool { return p.SrcStr() == w })
		if i < 0 {
			body = append(body, w)
			continue
		}
		arg := x.replace(args[i], "") // before the macro hides itself
		if x.work += len(arg); x.work > maxExpansion || x.failed {
			return nil, false
		}
		body = append(body, arg...)
	}
	return body, true
}

// touches reports whether macro m may come to use one of the names, through however many macros.
func (b *builder) touches(m *cc.Macro, is func(string) bool) bool {
	seen := map[string]bool{}
	todo := []*cc.Macro{m}
	for len(todo) > 0 {
		m, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, w := range macroWords(m) {
			if is(w) {
				return true
			}
			if next := b.ast.Macros[w]; next != nil && !seen[w] {
				seen[w] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}
