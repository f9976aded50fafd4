package oracle

import (
	"debug/dwarf"
	"strconv"
)

// DWARF's codes for the encodings of signed base types.
const (
	encodingSigned     = 0x05
	encodingSignedChar = 0x06
)

func (r *reader) enum(d *die) (*Enum, error) {
	e := &Enum{}
	e.Name, e.Typedef = r.typeName(d)
	e.Size, _ = d.number(dwarf.AttrByteSize)
	e.File, e.Line = r.place(d)
	under, ok := r.typeOf(d)
	if !ok {
		return nil, d.errorf("an enum without an underlying type")
	}
	encoding, _ := under.number(dwarf.AttrEncoding)
	e.Signed = encoding == encodingSigned || encoding == encodingSignedChar
	for _, kid := range d.kids {
		if kid.Tag != dwarf.TagEnumerator {
			continue
		}
		v, ok := kid.number(dwarf.AttrConstValue)
		if !ok {
			return nil, kid.errorf("an enumerator without a value")
		}
		text := strconv.FormatInt(v, 10)
		if !e.Signed {
			text = strconv.FormatUint(uint64(v), 10)
		}
		e.Enumerators = append(e.Enumerators, Enumerator{kid.name(), text})
	}
	return e, nil
}
