package load

import (
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// offsetof is what the macro of stddef.h stands for.
const offsetof = "__builtin_offsetof"

func (e *evaluator) sizeof() cnum {
	t, n := e.typeName()
	if n == 0 {
		if size, ok := e.text(); ok {
			return cnum{"unsigned long", size}
		}
		v := e.unary()
		if v.typ == address {
			return cnum{"unsigned long", 8}
		}
		return cnum{"unsigned long", uint64(v.info().Size)}
	}
	e.toks = e.toks[n:]
	size, ok := e.b.sureSize(t)
	if !ok {
		return e.fail()
	}
	return cnum{"unsigned long", uint64(size)}
}

// text reads a string without escapes, in parentheses or not, and returns its size.
func (e *evaluator) text() (size uint64, ok bool) {
	at, n := 0, 1
	if len(e.toks) > 2 && e.toks[0] == "(" && e.toks[2] == ")" {
		at, n = 1, 3
	}
	if len(e.toks) < n || len(e.toks[at]) < 2 || e.toks[at][0] != '"' || strings.Contains(e.toks[at], "\\") {
		return 0, false
	}
	size = uint64(len(e.toks[at]) - 1)
	e.toks = e.toks[n:]
	return size, true
}

func (e *evaluator) alignof() cnum {
	t, n := e.typeName()
	if size, ok := e.b.sureSize(t); n == 0 || !ok || t.Kind == model.Scalar && size > 8 || strings.Contains(t.Name, "_Complex") {
		return e.fail() // the alignment of 16 bytes is not the same everywhere
	}
	e.toks = e.toks[n:]
	if t.Kind == model.Array || t.Kind == model.Void {
		return e.fail()
	}
	if t.Kind == model.EnumRef {
		size, _ := e.b.size(t, 0)
		return cnum{"unsigned long", uint64(size)}
	}
	return cnum{"unsigned long", uint64(e.b.natural(t))}
}

// offsetof reads "( type , member )".
func (e *evaluator) offsetof() cnum {
	comma := slices.Index(e.toks, ",")
	if comma < 0 || len(e.toks) < comma+3 || e.toks[comma+2] != ")" {
		return e.fail()
	}
	member := e.toks[comma+1]
	typ := append(slices.Clone(e.toks[:comma]), ")")
	e.toks = e.toks[comma+3:]
	t, n := (&evaluator{b: e.b, toks: typ, depth: e.depth}).typeName()
	a := e.b.lookup(t)
	if n != len(typ) || t.Kind != model.Struct && t.Kind != model.Union || t.Body != nil || a == nil || !e.b.sound(a) {
		return e.fail()
	}
	at, ok := memberOffset(e.b.described[a], member)
	if !ok {
		return e.fail()
	}
	return cnum{"unsigned long", uint64(at)}
}

// memberOffset finds a member, also one in an unnamed struct or union.
func memberOffset(a model.Aggregate, name string) (int64, bool) {
	for _, m := range a.Members {
		switch {
		case m.Name == name:
			return m.Offset.V, m.Bits == nil
		case m.Name == "" && m.Type.Body != nil:
			if at, ok := memberOffset(*m.Type.Body, name); ok {
				return m.Offset.V + at, true
			}
		}
	}
	return 0, false
}

// cast converts what follows a type in parentheses, which are n tokens.
func (e *evaluator) cast(t model.Type, n int) cnum {
	e.toks = e.toks[n:]
	typ := ""
	switch info := model.Scalars[t.Name]; {
	case t.Kind == model.Pointer:
		return cnum{address, e.unary().bits}
	case t.Kind == model.EnumRef:
		size, ok := e.b.size(t, 0)
		if en := e.b.findEnum(t.Name); ok && en != nil {
			m, _ := e.b.enumOf(en)
			typ = enumScalar(size, m.Signed)
		}
	case t.Kind == model.Scalar && !info.Float && info.Size <= 8:
		typ = t.Name
	}
	if typ == "" {
		return e.fail()
	}
	v, ok := e.truncated()
	if !ok {
		v = e.unary()
	}
	if v.typ == address {
		v.typ = "unsigned long"
	}
	if typ == "char" && v.bits > 127 { // its sign is the architecture's
		return e.fail()
	}
	return v.to(typ)
}

// typeName reads the name of a type in parentheses and returns it and the number of tokens; 0 if there is no such name.
func (e *evaluator) typeName() (t model.Type, n int) {
	if e.peek() != "(" {
		return t, 0
	}
	toks := e.toks[1:]
	var words []string
	for len(toks) > 0 && !slices.Contains([]string{"*", "[", ")", "("}, toks[0]) && len(words) < 8 {
		if toks[0] != "const" && toks[0] != "volatile" {
			words = append(words, toks[0])
		}
		toks = toks[1:]
	}
	t, ok := e.b.named(words)
	if !ok {
		return t, 0
	}
	for len(toks) > 0 && (toks[0] == "*" || toks[0] == "const" || toks[0] == "volatile") {
		if toks[0] == "*" {
			elem := t
			t = model.Type{Kind: model.Pointer, Elem: &elem}
		}
		toks = toks[1:]
	}
	t, toks, ok = e.dimensions(t, toks, 0)
	if !ok || len(toks) == 0 || toks[0] != ")" {
		return t, 0
	}
	return t, len(e.toks) - len(toks) + 1
}

// dimensions reads the lengths of an array of t.
func (e *evaluator) dimensions(t model.Type, toks []string, depth int) (model.Type, []string, bool) {
	if len(toks) == 0 || toks[0] != "[" {
		return t, toks, true
	}
	end := slices.Index(toks, "]")
	if end < 0 || depth > maxTypeDepth || e.depth > 100 {
		return t, toks, false
	}
	sub := &evaluator{b: e.b, toks: toks[1:end], depth: e.depth + 1}
	n := sub.ternary()
	if sub.bad || len(sub.toks) > 0 || n.typ == address || n.value().Neg() || n.bits > maxSize {
		return t, toks, false
	}
	elem, toks, ok := e.dimensions(t, toks[end+1:], depth+1)
	return model.Type{Kind: model.Array, Len: int64(n.bits), Elem: &elem}, toks, ok
}

// named is the type that words name without a declarator.
func (b *builder) named(words []string) (model.Type, bool) {
	if len(words) == 2 {
		kind := map[string]model.Kind{"struct": model.Struct, "union": model.Union, "enum": model.EnumRef}[words[0]]
		if kind != model.Invalid {
			return model.Type{Kind: kind, Name: words[1]}, true
		}
	}
	if len(words) == 1 && b.decls.typedefs[words[0]] != nil {
		t, err := b.typedefType(words[0], use{})
		return t, err == nil
	}
	if len(words) == 1 && words[0] == "void" {
		return model.Type{Kind: model.Void}, true
	}
	name := canonicalWords(words)
	return model.Type{Kind: model.Scalar, Name: name}, name != ""
}

// sureSize is the size of a type if the front end lays out as gcc does all that is in it.
func (b *builder) sureSize(t model.Type) (int64, bool) {
	inner := t
	for inner.Kind == model.Array {
		inner = *inner.Elem
	}
	if inner.Body == nil && (inner.Kind == model.Struct || inner.Kind == model.Union) {
		if a := b.lookup(inner); a == nil || !b.sound(a) {
			return 0, false
		}
	}
	return b.size(t, 0)
}

// sound reports whether an aggregate is described without a refusal. Nothing is added to the model.
func (b *builder) sound(a *aggregate) bool {
	if ok, known := b.sounds[a]; known {
		return ok
	}
	b.sounds[a] = false // while it is in work
	dry := b.dry
	b.dry = true
	m, err := b.aggregate(a, use{pos: a.pos, item: a.String()})
	b.dry = dry
	b.sounds[a] = err == nil && a.spec != nil
	b.described[a] = m
	return b.sounds[a]
}
