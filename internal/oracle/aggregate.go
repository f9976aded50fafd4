package oracle

import (
	"debug/dwarf"
	"encoding/binary"
)

// aggregate reads a struct or union with its members.
func (r *reader) aggregate(d *die) (*Aggregate, error) {
	a := &Aggregate{Union: d.Tag == dwarf.TagUnionType}
	a.Name, a.Typedef = r.typeName(d)
	a.Declared, _ = d.Val(dwarf.AttrDeclaration).(bool)
	a.Size, _ = d.number(dwarf.AttrByteSize)
	a.File, a.Line = r.place(d)
	for _, kid := range d.kids {
		if kid.Tag != dwarf.TagMember {
			continue
		}
		m, err := r.member(kid)
		if err != nil {
			return nil, err
		}
		a.Members = append(a.Members, *m)
	}
	return a, nil
}

func (r *reader) member(d *die) (*Member, error) {
	m := &Member{Name: d.name()}
	m.Offset, _ = d.number(dwarf.AttrDataMemberLoc)
	of, ok := r.typeOf(d)
	if !ok {
		return nil, d.errorf("a member without a type")
	}
	var err error
	if m.Size, err = r.size(of, 0); err != nil {
		return nil, err
	}
	if m.Type, err = r.text(of, 0); err != nil {
		return nil, err
	}
	if body := r.body(of, 0); body != nil {
		if m.Body, err = r.aggregate(body); err != nil {
			return nil, err
		}
	}
	m.Bits, _ = d.number(dwarf.AttrBitSize)
	if m.Bits > 0 {
		m.BitPos, m.Offset = r.bitPos(d, m), 0
	}
	return m, nil
}

// bitPos handles both ways of DWARF: DataBitOffset counts from the aggregate's start as we do, BitOffset from the most
// significant bit of a storage unit.
func (r *reader) bitPos(d *die, m *Member) int64 {
	if pos, ok := d.number(dwarf.AttrDataBitOffset); ok {
		return pos
	}
	unit, ok := d.number(dwarf.AttrByteSize)
	if !ok {
		unit = m.Size
	}
	high, _ := d.number(dwarf.AttrBitOffset)
	if r.order == binary.BigEndian {
		return m.Offset*8 + high
	}
	return m.Offset*8 + unit*8 - high - m.Bits
}

// body returns the aggregate without any name at the end of d's chain of arrays and pointers, or nil.
func (r *reader) body(d *die, depth int) *die {
	if depth > maxDepth {
		return nil
	}
	switch d.Tag {
	case dwarf.TagStructType, dwarf.TagUnionType:
		if name, _ := r.typeName(d); name == "" {
			return d
		}
		return nil
	case dwarf.TagTypedef:
		return nil // what it names is listed under that name
	}
	if of, ok := r.typeOf(d); ok && d.Tag != dwarf.TagSubroutineType {
		return r.body(of, depth+1)
	}
	return nil
}
