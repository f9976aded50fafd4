package plan

import (
	"fmt"

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
