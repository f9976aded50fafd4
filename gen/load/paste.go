package load

import (
	"slices"

	"modernc.org/cc/v4"
)

// macroBody is the replacement of a macro with its arguments put in, joined where ## says so, and made strings where # does.
func macroBody(m *cc.Macro, args [][]pword, x *expander) (out []pword) {
	words := x.b.macroWords(m)
	args = variadic(m, args)
	for i := 0; i < len(words); i++ {
		w := words[i]
		joined := len(out) > 0 && i > 0 && words[i-1] == "##"
		var part []pword
		switch p := parameter(m, w); {
		case w == "##":
			continue
		case w == "#" && m.IsFnLike:
			i++
			part = []pword{{text: `""`}} // never part of a number
		case p < 0:
			part = []pword{{text: w}}
		case p >= len(args):
			part = nil
		case joined || i+1 < len(words) && words[i+1] == "##":
			part = args[p]
			if p == m.VarArg && joined && out[len(out)-1].text == "," { // gcc's way to drop a comma
				if len(part) == 0 {
					out = out[:len(out)-1]
				}
				joined = false
			} else if len(part) == 0 {
				part = []pword{{}}
			}
		default:
			part = x.replace(args[p])
		}
		if !x.spend(len(part)) {
			return nil
		}
		if joined && len(part) > 0 {
			last := &out[len(out)-1]
			*last = pword{last.text + part[0].text, last.hide.and(part[0].hide)}
			part = part[1:]
		}
		out = append(out, part...)
	}
	return slices.DeleteFunc(out, func(w pword) bool { return w.text == "" })
}

// parameter is the number of the parameter that a word of a macro names; -1 if it names none.
func parameter(m *cc.Macro, word string) int {
	if word == "__VA_ARGS__" && m.VarArg >= 0 {
		return m.VarArg
	}
	return slices.IndexFunc(m.Params, func(p cc.Token) bool { return p.SrcStr() == word })
}

// variadic makes one argument of those that take the place of the dots.
func variadic(m *cc.Macro, args [][]pword) [][]pword {
	switch {
	case m.VarArg < 0:
		return args
	case m.VarArg >= len(args):
		return append(slices.Clone(args), nil)
	}
	rest := args[m.VarArg]
	for _, a := range args[m.VarArg+1:] {
		rest = append(append(slices.Clone(rest), pword{text: ","}), a...)
	}
	return append(slices.Clone(args[:m.VarArg]), rest)
}
