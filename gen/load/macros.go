package load

import (
	"maps"
	"slices"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// macros adds the header's own constants, aliases and function-like macros.
func (b *builder) macros() error {
	for _, name := range slices.Sorted(maps.Keys(b.ast.Macros)) {
		m := b.ast.Macros[name]
		file, pos := place(m)
		if !b.in.own.owns(file) || slices.Contains(volatileNames, name) {
			continue
		}
		var err error
		if m.IsFnLike {
			b.functionMacro(name, pos, m)
		} else {
			err = b.objectMacro(name, pos, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) functionMacro(name, pos string, m *cc.Macro) {
	for i := range b.out.Funcs {
		if b.out.Funcs[i].Name == name {
			b.out.Funcs[i].Hidden = true
			return
		}
	}
	f := model.Func{Name: name, Kind: model.Macro, Pos: pos}
	for i, p := range m.Params {
		if m.VarArg == i {
			f.Variadic = true
			continue
		}
		f.Params = append(f.Params, model.Param{Name: p.SrcStr()})
	}
	f.Variadic = f.Variadic || m.VarArg >= 0
	b.out.Funcs = append(b.out.Funcs, f)
}

func (b *builder) objectMacro(name, pos string, m *cc.Macro) error {
	u := use{pos: pos, item: "macro " + name}
	list := m.ReplacementList()
	if len(list) == 1 {
		word := list[0].SrcStr()
		if a := b.decls.tags[word]; a != nil && b.decls.typedefs[word] == nil {
			b.out.Aliases = append(b.out.Aliases, model.Alias{Name: name, Tag: word, Pos: pos})
			b.reach(a, byValue)
			return nil
		}
		if e := b.decls.enums[word]; e != nil {
			b.out.Aliases = append(b.out.Aliases, model.Alias{Name: name, Tag: word, Pos: pos})
			return b.addEnum(e)
		}
	}
	return b.constant(name, m, u)
}

// constant adds a macro that has an integer value.
func (b *builder) constant(name string, m *cc.Macro, u use) error {
	n, words, ok, err := b.macroValue(m, u)
	if !ok || err != nil {
		return err
	}
	if b.enumOfName[name] != nil {
		if onlyWord(words) == name {
			return nil // #define A A, beside an enumerator A, for #ifdef
		}
		return u.refuse("an enumerator has this name, too, and another value")
	}
	c := model.Const{Name: name, Value: n.value(), Type: model.Type{Kind: model.Scalar, Name: n.typ}, Pos: u.pos}
	if e := b.enumOfName[onlyWord(words)]; e != nil {
		if err := b.addEnum(e); err != nil {
			return err
		}
		if e.name != "" {
			c.Type = model.Type{Kind: model.EnumRef, Name: e.name}
		}
	}
	b.out.Consts = append(b.out.Consts, c)
	return nil
}

// macroValue returns the integer that a macro stands for, if it stands for one, and its tokens. A macro that looks like an integer
// but is not understood is refused, since a constant must not be missing; so is one that is too long to be looked at.
func (b *builder) macroValue(m *cc.Macro, u use) (n cnum, words []string, ok bool, err error) {
	if b.touches(m, func(w string) bool { return slices.Contains(volatileNames, w) }) {
		return n, nil, false, nil
	}
	words, complete, err := b.expansion(m, u)
	if err != nil || !complete || len(words) == 0 {
		return n, words, false, err
	}
	if n, ok = b.evaluate(words); ok {
		return n, words, true, nil
	}
	if !b.pointer(words) && b.mayBeInteger(words) {
		return n, words, false, u.refuse("the value of an expression of this form cannot be told")
	}
	return n, words, false, nil
}

// onlyWord returns the one word among parentheses, in any number of them.
func onlyWord(words []string) (word string) {
	for _, w := range words {
		switch {
		case w == "(" || w == ")":
		case word != "":
			return ""
		default:
			word = w
		}
	}
	return word
}
