package plan

import (
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// member adds a named member: as a field if Go can place it, else as bytes with methods.
func (b *builder) member(m *model.Member, at place, off int64) error {
	if err := b.checkC(at.pos, at.item, m.Name); err != nil {
		return err
	}
	r, note, err := b.memberType(m, at)
	if err != nil {
		return err
	}
	if b.want.hidden {
		r.t = asAddress(r.t)
	}
	name := at.goName()
	if r.tail {
		return b.tail(m, at, "", off, r)
	}
	if r.size == 0 {
		return nil // an empty struct: nothing to read or write
	}
	if off%r.align == 0 && r.align <= b.limit {
		f := Field{Go: name, C: m.Name, CType: b.cType(m, ""), Type: r.t, Whole: r.whole, Doc: wrap(at.overlay().Doc)}
		f.Since = b.history.note(m.Since, b.want.since)
		f.Note = joinNotes(b.decl(m), note, f.Since)
		return b.field(f, at, off, r.size, r.align)
	}
	r.t = asAddress(r.t)
	store := "bytes" + name
	f := Field{Go: store, CType: b.cType(m, ""), Type: bytesOf(r.size), Note: "misaligned " + b.decl(m)}
	if err := b.field(f, at, off, r.size, 1); err != nil {
		return err
	}
	return b.access(m, at, r, note, storage{field: store, unit: 1, size: r.size})
}

// memberType is the Go form of m's type, or of the enum that the overlay gives it.
func (b *builder) memberType(m *model.Member, at place) (r resolved, note string, err error) {
	if r, err = b.resolve(&m.Type, at, 0); err != nil {
		return r, "", err
	}
	if size := m.Size.At(b.arch); !r.tail && r.size != size {
		return r, "", b.fail(at, "type %s has %d bytes in Go and %d in C", r.t, r.size, size)
	}
	key := at.overlay().Type
	if key == "" {
		return r, "", nil
	}
	e, name := b.enumFor(key)
	switch {
	case e == nil || name == "":
		// An older header may lack the enum. That some header has it is for overlay.Validate to say.
		return r, "", nil
	case r.whole || r.pointer || r.tail || e.Size != r.size:
		// Its width is C's, whatever its values are called.
		return r, "values: " + name, nil
	}
	r.t = named(name)
	return r, "", nil
}

// decl is m's declaration in C. Braces stand for the body of an unnamed struct or union.
func (b *builder) decl(m *model.Member) string { return b.cType(m, m.Name) }

func (b *builder) cType(m *model.Member, name string) string {
	s := clean(m.Type.C(name, b.typedefs))
	for t := &m.Type; t != nil; t = t.Elem {
		if t.Body != nil {
			kind, rest, _ := strings.Cut(s, " ")
			return strings.TrimSpace(kind + " {...} " + rest)
		}
	}
	return s
}

// joinNotes puts together the parts of the comment at the end of a field's line.
func joinNotes(notes ...string) string {
	r := ""
	for _, n := range notes {
		switch {
		case n == "":
		case r == "":
			r = n
		default:
			r += "; " + n
		}
	}
	return r
}
