package plan

import (
	"slices"

	"github.com/goverbs/ibv/gen/model"
)

// storage is the field that holds a union, or a misaligned member.
type storage struct {
	field string // empty if there are no bytes to hold
	unit  int64  // its alignment
	size  int64
}

// union makes the type of a union: one storage field, and methods for the members.
func (b *builder) union(a *model.Aggregate) error {
	st := storage{field: "data", unit: b.limit, size: b.size}
	if b.size == 0 {
		st.field = ""
	} else {
		if err := b.field(Field{Go: st.field, Type: st.goType()}, b.at, 0, st.size, st.unit); err != nil {
			return err
		}
	}
	return b.unionMembers(a, st, 0)
}

// unnamedUnion adds storage for an unnamed union in a struct, and methods for its members.
func (b *builder) unnamedUnion(body *model.Aggregate, at place, off int64) error {
	st := storage{field: "union" + firstName(body), size: body.Size.At(b.arch)}
	for st.unit = b.limit; st.unit > 1 && (off%st.unit != 0 || st.size%st.unit != 0 || st.unit > body.Align.At(b.arch)); {
		st.unit /= 2
	}
	if st.unit < 1 || st.size < 0 {
		return b.fail(at, "an unnamed union of %d bytes", st.size)
	}
	if st.size == 0 {
		st.field = ""
	} else {
		if err := b.field(Field{Go: st.field, Type: st.goType(), Note: "unnamed union"}, at, off, st.size, st.unit); err != nil {
			return err
		}
	}
	return b.unionMembers(body, st, off)
}

// goType is the widest integer that the alignment allows, or an array of it.
func (s storage) goType() GoType {
	switch s.unit {
	case 1:
		return bytesOf(s.size)
	case s.size:
		return named(integer(s.unit, false))
	}
	return arrayOf(s.size/s.unit, named(integer(s.unit, false)))
}

// firstName is the Go name of the union's or struct's first member in the order of the alphabet, which does not depend on
// the order in which C declares them.
func firstName(a *model.Aggregate) string {
	names := []string{}
	for _, f := range a.Flat() {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return camel(slices.Min(names))
}

// unionMembers adds methods for the members of the union that lies in st; off is where the union begins in the type.
func (b *builder) unionMembers(a *model.Aggregate, st storage, off int64) error {
	b.at.depth++
	defer func() { b.at.depth-- }()
	if b.at.depth > maxDepth {
		return b.fail(b.at, "nested too deep")
	}
	for i := range a.Members {
		m := &a.Members[i]
		at := b.at.of(m)
		if o, size := m.Offset.At(b.arch), m.Size.At(b.arch); m.Bits == nil && (o != 0 || size < 0 || size > st.size) {
			return b.fail(at, "at offset %d with %d bytes it is no member of a union of %d", o, size, st.size)
		}
		if err := b.unionMember(m, at, st, off); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) unionMember(m *model.Member, at place, st storage, off int64) error {
	body := m.Type.Body
	switch {
	case m.Bits != nil:
		return b.bitAccess(m, at, m.Bits.Pos.At(b.arch), st)
	case m.Name == "" && body == nil:
		return b.fail(b.at, "a member without a name has type %q", m.Type.Text())
	case m.Name == "" && body.Union:
		return b.unionMembers(body, st, off)
	case m.Name == "" && st.field == "":
		return b.fail(b.at, "an empty unnamed struct in a union")
	case m.Name == "":
		return b.hiddenStruct(body, at, st)
	}
	if err := b.checkC(at.pos, at.item, m.Name); err != nil {
		return err
	}
	r, note, err := b.memberType(m, at)
	r.t = asAddress(r.t)
	switch {
	case err != nil:
		return err
	case r.tail:
		return b.tail(m, at, st.field, off, r)
	case r.size == 0:
		return nil
	}
	return b.access(m, at, r, note, st)
}

// hiddenStruct lays an unnamed struct in a union over the storage. Its members are reached by methods of the type around.
func (b *builder) hiddenStruct(body *model.Aggregate, at place, st storage) error {
	name := "unnamed" + b.t.Go + "_" + firstName(body)
	s, err := b.lay(body, b.at, want{goType: name, c: []string{"an unnamed struct of " + b.at.item}, since: b.want.since,
		most: st.unit, hidden: true})
	if err != nil {
		return err
	}
	b.nested = append(b.nested, s)
	h := s.main()
	h.C, h.Doc = nil, wrap(name+" lies over field "+st.field+" of "+b.t.Go+": an unnamed struct in a union.")
	for _, f := range h.Fields {
		if f.C == "" {
			continue
		}
		a := Accessor{Go: f.Go, C: f.C, CType: f.CType, Type: f.Type, Storage: st.field, Via: name, Inner: f.Go, Form: Value, Set: true}
		if f.Whole {
			a.Form, a.Set = InPlace, false
		}
		note := f.Since
		if f.Type.Name == address {
			note = joinNotes(inC, note)
		}
		b.explain(&a, f.Doc, note)
		if err := b.accessor(a, at); err != nil {
			return err
		}
	}
	for _, a := range h.Accessors {
		a.Storage, a.Via, a.Inner, a.Places = st.field, name, a.Go, nil
		if a.Form == Tail {
			a.Form = InnerTail
		} else {
			a.Form = Inner
		}
		if err := b.accessor(a, at); err != nil {
			return err
		}
	}
	return nil
}
