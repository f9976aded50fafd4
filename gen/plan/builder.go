package plan

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// want is how an aggregate is to look from outside.
type want struct {
	goType string
	c      []string // C names
	since  string
	doc    string
	front  bool  // it grows at its front: its members' distances from the end are what stays
	most   int64 // if not 0, the largest alignment that its place allows
	hidden bool  // an unnamed struct in a union, reached only by methods of what is around it
}

// A builder puts together the Go struct for one aggregate on one architecture.
type builder struct {
	*layouter
	at    place
	want  want
	t     Type
	names scope // of fields and methods

	size  int64
	limit int64 // no field may have a larger alignment
	align int64 // largest alignment of a field so far
	pos   int64 // end of the last field
	run   *bitRun
}

// lay lays out a, whose members' places are found from at.
func (l *layouter) lay(a *model.Aggregate, at place, w want) (*shape, error) {
	b := &builder{layouter: l, at: at, want: w, names: scope{}, align: 1, size: a.Size.At(l.arch)}
	b.limit = min(a.Align.At(l.arch), 8)
	b.t = Type{Go: w.goType, C: w.c, Size: model.N(b.size), Align: model.N(a.Align.At(l.arch))}
	b.t.Fields = []Field{{Go: "_", Type: named(hostLayout), Offset: model.N(0), Size: model.N(0)}}
	b.t.Doc = b.describe(a)
	if a.Opaque && b.size == 0 {
		return &shape{types: []Type{b.t}, align: 1}, nil
	}
	if err := b.sane(a); err != nil {
		return nil, err
	}
	if w.most != 0 {
		b.limit = min(b.limit, w.most)
	}
	var err error
	if a.Union {
		err = b.union(a)
	} else {
		err = b.structure(a)
	}
	if err != nil {
		return nil, err
	}
	b.keepAlignment()
	return &shape{types: []Type{b.t}, checks: b.checks(), size: b.size, align: b.align}, nil
}

// hostLayout marks a struct whose layout is the machine's.
const hostLayout = "structs.HostLayout"

func (b *builder) sane(a *model.Aggregate) error {
	align := a.Align.At(b.arch)
	switch {
	case b.size < 0 || b.size > maxSize:
		return b.fail(b.at, "a size of %d bytes", b.size)
	case align < 1 || align&(align-1) != 0 || b.size%align != 0:
		return b.fail(b.at, "size %d with alignment %d", b.size, align)
	}
	return nil
}

func (b *builder) describe(a *model.Aggregate) []string {
	text := fmt.Sprintf("%s is %s (%s)%s.", b.want.goType, list(b.want.c), bytesText(a.Size, b.pkg.Archs), b.history.since(b.want.since))
	extra := ""
	switch {
	case a.Opaque && b.size == 0:
		text = fmt.Sprintf("%s is %s%s. C only declares it: it is used by pointers.", b.want.goType, list(b.want.c),
			b.history.since(b.want.since))
	case a.Align.At(b.arch) > 8:
		extra = fmt.Sprintf("C aligns it to %d bytes, Go to 8: C code needs memory that C allocated.", a.Align.At(b.arch))
	case b.want.front && b.want.doc == "":
		extra = "It grows at its front from release to release: only a member's distance from the end is stable."
	}
	return wrap(text, b.want.doc, extra)
}

func (b *builder) structure(a *model.Aggregate) error {
	if err := b.members(a.Members, 0, a.Since); err != nil {
		return err
	}
	if err := b.endRun(); err != nil {
		return err
	}
	return b.pad(b.size)
}

// members adds the members of the struct, or of an unnamed struct in it, which begins at base.
func (b *builder) members(members []model.Member, base int64, since string) error {
	for i := range members {
		m := &members[i]
		at := b.at.of(m)
		if m.Bits != nil {
			if err := b.bitField(m, at, base); err != nil {
				return err
			}
			continue
		}
		if err := b.endRun(); err != nil {
			return err
		}
		off := base + m.Offset.At(b.arch)
		if err := b.oneMember(m, at, off, since); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) oneMember(m *model.Member, at place, off int64, since string) error {
	if m.Name != "" {
		return b.member(m, at, off)
	}
	body := m.Type.Body
	switch {
	case body == nil:
		return b.fail(b.at, "a member without a name at offset %d has type %q", off, m.Type.Text())
	case body.Union:
		return b.unnamedUnion(body, at, off)
	}
	b.at.depth++
	defer func() { b.at.depth-- }()
	if b.at.depth > maxDepth {
		return b.fail(b.at, "nested too deep")
	}
	return b.members(body.Members, off, since)
}

// member adds a named member: as a field if Go can place it, else as bytes with methods.
func (b *builder) member(m *model.Member, at place, off int64) error {
	if err := b.checkC(at.pos, at.item, m.Name); err != nil {
		return err
	}
	r, note, err := b.memberType(m, at, b.want.hidden)
	if err != nil {
		return err
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
	if r, note, err = b.memberType(m, at, true); err != nil { // bytes hold no pointers
		return err
	}
	store := "bytes" + name
	f := Field{Go: store, CType: b.cType(m, ""), Type: bytesOf(r.size), Note: "misaligned " + b.decl(m)}
	if err := b.field(f, at, off, r.size, 1); err != nil {
		return err
	}
	return b.access(m, at, r, note, storage{field: store, unit: 1, size: r.size})
}

// memberType is the Go form of m's type, or of the enum that the overlay gives it.
func (b *builder) memberType(m *model.Member, at place, addresses bool) (r resolved, note string, err error) {
	if r, err = b.resolve(&m.Type, at, addresses, 0); err != nil {
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
