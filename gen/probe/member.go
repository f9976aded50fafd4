package probe

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// A place is where the members of an aggregate are: base is a C type, path the way from there ("u.a[0]", or "" for base itself),
// off the offset so far, start the offset at which path begins: unnamed aggregates add to off only.
type place struct {
	base, path string
	off, start int64
}

func (p place) join(name string) string {
	if p.path == "" {
		return name
	}
	return p.path + "." + name
}

// maxNesting bounds how deep unnamed aggregates may stand in each other; C compilers promise 63.
const maxNesting = 200

func (l *lister) aggregate(a *model.Aggregate) {
	word := "struct "
	if a.Union {
		word = "union "
	}
	if a.Typedef {
		word = ""
	}
	ctype := word + l.name(a.Name)
	l.number(a.Pos, a.Size.At(l.arch), "sizeof(%s)", ctype).grow = true
	l.number(a.Pos, a.Align.At(l.arch), "_Alignof(%s)", ctype).grow = true // by a member of a wider type
	l.members(a, place{base: ctype}, 0)
}

func (l *lister) members(a *model.Aggregate, p place, depth int) {
	if depth > maxNesting {
		l.err = fmt.Errorf("%s: unnamed aggregates nested deeper than %d", p.base, maxNesting)
		return
	}
	for i := range a.Members {
		m := &a.Members[i]
		switch {
		case m.Bits != nil:
			l.bits(m, p)
		case m.Name == "":
			if b := m.Type.Body; b != nil {
				l.members(b, place{p.base, p.path, p.off + m.Offset.At(l.arch), p.start}, depth+1)
			}
		default:
			l.member(m, p, depth)
		}
	}
}

func (l *lister) member(m *model.Member, p place, depth int) {
	off := p.off + m.Offset.At(l.arch)
	in := place{p.base, p.join(l.name(m.Name)), off, off}
	l.number(m.Pos, in.off, "offsetof(%s, %s)", in.base, in.path)
	if m.Type.Kind != model.Array || m.Type.Len >= 0 {
		// Elsewhere than at the end, growth moves what follows; so only the size itself is let grow.
		l.number(m.Pos, m.Size.At(l.arch), "sizeof(((%s *)0)->%s)", in.base, in.path).grow = growable(&m.Type)
	}
	t := &m.Type
	for ; t.Elem != nil; t = t.Elem {
		if t.Kind == model.Pointer {
			in = place{base: fmt.Sprintf("__typeof__(*%s)", in.value())}
		} else {
			in = in.first()
		}
	}
	if t.Body == nil {
		return
	}
	ctype := fmt.Sprintf("__typeof__(%s)", in.value())
	l.number(m.Pos, t.Body.Size.At(l.arch), "sizeof(%s)", ctype).grow = true
	l.number(m.Pos, t.Body.Align.At(l.arch), "_Alignof(%s)", ctype).grow = true
	l.members(t.Body, in, depth+1)
}

// value is an lvalue of what is at p, for sizeof and __typeof__ only.
func (p place) value() string {
	if p.path == "" {
		return fmt.Sprintf("*(%s *)0", p.base)
	}
	return fmt.Sprintf("((%s *)0)->%s", p.base, p.path)
}

// first is the first element of the array at p.
func (p place) first() place {
	if p.path == "" {
		return place{base: fmt.Sprintf("__typeof__((%s)[0])", p.value())}
	}
	return place{p.base, p.path + "[0]", p.off, p.start}
}

// growable reports whether a later release may enlarge a value of type t: an aggregate of its own name, or several.
func growable(t *model.Type) bool {
	for t.Kind == model.Array {
		t = t.Elem
	}
	return t.Kind == model.Struct || t.Kind == model.Union
}

// bits asks by an object of the innermost type alone: it may stand in an array without elements.
func (l *lister) bits(m *model.Member, p place) {
	b := &bitItem{ctype: p.base, designator: "." + l.name(m.Name), ones: "-1"}
	if p.path != "" {
		b.ctype = fmt.Sprintf("__typeof__(%s)", p.value())
	}
	if model.Scalars[m.Type.Name].Bool {
		b.ones = "1"
	}
	b.pos, b.width = (p.off-p.start)*8+m.Bits.Pos.At(l.arch), int64(m.Bits.Width)
	l.items = append(l.items, item{text: fmt.Sprintf("%s of %s", b.designator, b.ctype), pos: m.Pos, bits: b})
}
