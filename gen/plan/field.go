package plan

import "github.com/goverbs/ibv/gen/model"

// field adds f at an offset, with padding before it.
func (b *builder) field(f Field, at place, off, size, align int64) error {
	switch {
	case off < b.pos:
		return b.fail(at, "at offset %d it overlaps what ends at %d", off, b.pos)
	case off > b.size || size > b.size-off:
		return b.fail(at, "its end is beyond the end of the %d bytes around it", b.size)
	}
	if err := b.pad(off); err != nil {
		return err
	}
	if err := b.name(f.Go, at); err != nil {
		return err
	}
	f.Offset, f.Size = model.N(off), model.N(size)
	b.t.Fields = append(b.t.Fields, f)
	b.pos, b.align = off+size, max(b.align, align)
	return nil
}

// name records the name of a field or method.
func (b *builder) name(goName string, at place) error {
	return b.add(b.names, goName, at.item+" member "+at.path+at.member, at.pos)
}

// pad fills the bytes up to an offset.
func (b *builder) pad(to int64) error {
	if to > b.pos {
		b.t.Fields = append(b.t.Fields, Field{Go: "_", Type: bytesOf(to - b.pos), Offset: model.N(b.pos), Size: model.N(to - b.pos)})
		b.pos = to
	}
	return nil
}

// keepAlignment adds a marker if no field has the alignment that the type needs. The marker has no size and stands first,
// since Go adds a byte after a last field of no size.
func (b *builder) keepAlignment() {
	if b.align >= b.limit {
		return
	}
	marker := Field{Go: "_", Type: arrayOf(0, named(integer(b.limit, false))), Offset: model.N(0), Size: model.N(0)}
	b.t.Fields = append(b.t.Fields[:1], append([]Field{marker}, b.t.Fields[1:]...)...)
	b.align = b.limit
}

// checks are the assertions on the finished type.
func (b *builder) checks() []Check {
	r := []Check{{What: CheckSize, Type: b.t.Go, Want: b.size}, {What: CheckAlign, Type: b.t.Go, Want: b.align}}
	for _, f := range b.t.Fields {
		if f.Go == "_" {
			continue
		}
		c := Check{What: CheckOffset, Type: b.t.Go, Field: f.Go, Want: f.Offset.V}
		if b.want.front {
			c.What, c.Want = CheckFromEnd, b.size-c.Want
		}
		r = append(r, c, Check{What: CheckFieldSize, Type: b.t.Go, Field: f.Go, Want: f.Size.V})
	}
	for _, a := range b.t.Accessors {
		for _, p := range a.Places {
			r = append(r, Check{What: CheckConst, Type: b.t.Go, Field: p.Const, Want: p.Value})
		}
	}
	return r
}
