package load

import (
	"slices"

	"modernc.org/cc/v4"
)

// maxExpansion bounds the tokens that the expansion of one macro may process. Each has its own budget, so that none can use up
// that of another.
const maxExpansion = 10_000

// volatileNames are macros whose value depends on where they are used.
var volatileNames = []string{"__LINE__", "__COUNTER__", "__INCLUDE_LEVEL__", "__FILE__", "__DATE__", "__TIME__", "__TIMESTAMP__"}

// A pword is a preprocessing token with the macros that it comes from, which it does not stand for any more.
type pword struct {
	text string
	hide *hideSet
}

type hideSet struct {
	name string
	next *hideSet
}

func (h *hideSet) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

// and returns what both sets hold.
func (h *hideSet) and(o *hideSet) (both *hideSet) {
	for ; h != nil; h = h.next {
		if o.has(h.name) {
			both = &hideSet{h.name, both}
		}
	}
	return both
}

// An expander replaces macros by what they stand for.
type expander struct {
	b      *builder
	work   int
	failed bool // a call that is not complete
	long   bool // out of budget
}

// expand returns the tokens that macro m stands for, if they can be told.
func (b *builder) expand(m *cc.Macro) (words []string, ok bool) {
	words, ok, err := b.expansion(m, use{})
	return words, ok && err == nil
}

// expansion returns the tokens that macro m stands for, and whether all calls in them are complete. It fails if they are too many.
func (b *builder) expansion(m *cc.Macro, u use) (words []string, complete bool, err error) {
	x := expander{b: b}
	list := x.replace(painted(macroBody(m, nil, &x), m.Name.SrcStr(), nil))
	for _, w := range list {
		words = append(words, w.text)
	}
	if x.long {
		return nil, false, u.refuse("it is too long: more than %d tokens are processed to expand it", maxExpansion)
	}
	return words, !x.failed, nil
}

// macroWords are the tokens of a macro as it is defined.
func (b *builder) macroWords(m *cc.Macro) []string {
	if words, ok := b.words[m]; ok {
		return words
	}
	var words []string
	for _, t := range m.ReplacementList() {
		if t.Ch != ' ' && t.Ch != '\n' {
			words = append(words, t.SrcStr())
		}
	}
	b.words[m] = words
	return words
}

// painted adds a macro, and those of a set, to those that the words come from.
func painted(words []pword, name string, more *hideSet) []pword {
	out := make([]pword, len(words))
	plain := &hideSet{name, more} // of what stands in the macro itself
	for i, w := range words {
		if w.hide == nil {
			out[i] = pword{w.text, plain}
			continue
		}
		h := &hideSet{name, w.hide}
		for m := more; m != nil; m = m.next {
			if !h.has(m.name) {
				h = &hideSet{m.name, h}
			}
		}
		out[i] = pword{w.text, h}
	}
	return out
}

// spend takes from the budget.
func (x *expander) spend(n int) bool {
	x.work += n
	x.long = x.long || x.work > maxExpansion
	return !x.long
}

// replace expands words until no macro is left in them. What a macro stands for is read again together with what follows it.
func (x *expander) replace(words []pword) (out []pword) {
	todo := slices.Clone(words)
	slices.Reverse(todo)
	for len(todo) > 0 && x.spend(1) {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		m := x.b.ast.Macros[w.text]
		switch {
		case m == nil || w.hide.has(w.text) || w.text == offsetof:
			out = append(out, w)
			continue
		case m.IsFnLike && (len(todo) == 0 || todo[len(todo)-1].text != "("):
			out = append(out, w)
			continue
		}
		hide, body := w.hide, []pword(nil)
		if m.IsFnLike {
			args, n := arguments(todo)
			if n == 0 {
				x.failed = true
				return nil
			}
			hide = hide.and(todo[len(todo)-n].hide)
			todo = todo[:len(todo)-n]
			body = macroBody(m, args, x)
		} else {
			body = macroBody(m, nil, x)
		}
		if !x.spend(len(body)) {
			return nil
		}
		body = painted(body, w.text, hide)
		slices.Reverse(body)
		todo = append(todo, body...)
	}
	return out
}

// arguments splits a call's arguments, which are the last words in reverse, and returns the number of words with both parentheses;
// 0 without the closing one.
func arguments(reversed []pword) (args [][]pword, n int) {
	args = [][]pword{nil}
	depth := 0
	for i := len(reversed) - 1; i >= 0; i-- {
		w := reversed[i]
		switch {
		case w.text == "(":
			if depth++; depth == 1 {
				continue
			}
		case w.text == ")":
			if depth--; depth == 0 {
				return args, len(reversed) - i
			}
		case w.text == "," && depth == 1:
			args = append(args, nil)
			continue
		}
		args[len(args)-1] = append(args[len(args)-1], w)
	}
	return nil, 0
}

// touches reports whether macro m may come to use one of the names, through however many macros.
func (b *builder) touches(m *cc.Macro, is func(string) bool) bool {
	seen := map[string]bool{}
	todo := []*cc.Macro{m}
	for len(todo) > 0 {
		m, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, w := range b.macroWords(m) {
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
