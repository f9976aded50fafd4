package plan

import (
	"github.com/goverbs/ibv/gen/model"
)

// A bitRun is a run of bit-fields whose bytes touch: they share one storage field.
type bitRun struct {
	first      string // Go name of its first bit-field
	start, end int64  // bytes
	fields     []bitField
}

type bitField struct {
	m  *model.Member
	at place
	p  int64 // bits from the start of the type
}

// bitField adds m to the run, or begins a new one.
func (b *builder) bitField(m *model.Member, at place, base int64) error {
	pos, width := base*8+m.Bits.Pos.At(b.arch), int64(m.Bits.Width)
	if width < 1 || width > 64 || pos < 0 || pos > b.size*8-width {
		return b.fail(at, "a bit-field of %d bits at bit %d of %d bytes", width, pos, b.size)
	}
	start, end := pos/8, (pos+width+7)/8
	if b.run != nil && (start > b.run.end || start < b.run.start) {
		if err := b.endRun(); err != nil {
			return err
		}
	}
	if b.run == nil {
		b.run = &bitRun{first: at.goName(), start: start}
	}
	b.run.end = max(b.run.end, end)
	b.run.fields = append(b.run.fields, bitField{m, at, pos})
	return nil
}

// endRun makes the storage field of the run and the methods of its bit-fields.
func (b *builder) endRun() error {
	run := b.run
	if run == nil {
		return nil
	}
	b.run = nil
	st := storage{field: "bits" + run.first, unit: 1, size: run.end - run.start}
	f := Field{Go: st.field, Type: bytesOf(st.size), Note: "bit-fields"}
	if err := b.field(f, run.fields[0].at, run.start, st.size, 1); err != nil {
		return err
	}
	for _, bf := range run.fields {
		if err := b.bitAccess(bf.m, bf.at, bf.p-run.start*8, st); err != nil {
			return err
		}
	}
	return nil
}

// bitAccess adds the methods of a bit-field at a bit of st.
func (b *builder) bitAccess(m *model.Member, at place, pos int64, st storage) error {
	if err := b.checkC(at.pos, at.item, m.Name); err != nil {
		return err
	}
	bits := Bits{Pos: pos, Width: m.Bits.Width}
	t, err := b.bitType(m, at, &bits)
	if err != nil {
		return err
	}
	if pos < 0 || bits.Width < 1 || pos > st.size*8-int64(bits.Width) {
		return b.fail(at, "a bit-field of %d bits at bit %d of %d bytes", bits.Width, pos, st.size)
	}
	b.pkg.Helpers.Bits = true
	a := Accessor{Go: at.goName(), C: m.Name, CType: b.cType(m, ""), Type: t, Form: BitField, Set: true,
		Storage: st.field, Bytes: st.unit == 1, Size: st.size, Bits: bits}
	a.Places = []Place{{"bitOf" + b.t.Go + "_" + a.Go, pos}, {"widthOf" + b.t.Go + "_" + a.Go, int64(bits.Width)}}
	b.explain(&a, wrap(at.overlay().Doc), b.history.note(m.Since, b.want.since))
	return b.accessor(a, at)
}

// bitType is the Go type of a bit-field's value: that of its declaration, or of the enum that the overlay gives it.
func (b *builder) bitType(m *model.Member, at place, bits *Bits) (GoType, error) {
	var t GoType
	var size int64
	switch info := model.Scalars[m.Type.Name]; {
	case m.Type.Kind == model.EnumRef && b.enums[m.Type.Name] != nil:
		e := b.enums[m.Type.Name]
		t, size, bits.Signed = named(b.goNames[m.Type.Name]), e.Size, e.Signed
	case m.Type.Kind != model.Scalar || info.Float || info.Size < 1 || info.Size > 8:
		return t, b.fail(at, "a bit-field of type %q", m.Type.Text())
	case info.Bool:
		t, size, bits.Bool = named("bool"), 1, true
	case info.Char: // a byte in Go, so the value has no sign
		t, size = named("byte"), 1
	default:
		t, size, bits.Signed = named(integer(info.Size, info.Signed)), info.Size, info.Signed
	}
	if int64(bits.Width) > size*8 {
		return t, b.fail(at, "a bit-field of %d bits in a type of %d bytes", bits.Width, size)
	}
	if e, name := b.enumFor(at.overlay().Type); e != nil && name != "" && e.Size == size && !bits.Bool {
		t, bits.Signed = named(name), e.Signed
	}
	return t, nil
}
