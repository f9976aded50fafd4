package oracle

import (
	"debug/dwarf"
	"fmt"
)

// maxDepth bounds the nesting of a type.
const maxDepth = 100

// pointerSize is the size of a pointer on every machine that we look at.
const pointerSize = 8

// spellings are our names for base types, which gcc and clang spell each in their own way.
var spellings = map[string]string{
	"short int": "short", "long int": "long", "long long int": "long long",
	"short unsigned int": "unsigned short", "long unsigned int": "unsigned long", "long long unsigned int": "unsigned long long",
	"__int128 unsigned": "unsigned __int128",
	"complex float":     "_Complex float", "complex double": "_Complex double", "complex long double": "_Complex long double",
}

// typeOf follows d's type; none means void.
func (r *reader) typeOf(d *die) (*die, bool) {
	of, ok := d.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return nil, false
	}
	t, ok := r.dies[of]
	return t, ok
}

// size returns the size in bytes of a value of type d.
func (r *reader) size(d *die, depth int) (int64, error) {
	if n, ok := d.number(dwarf.AttrByteSize); ok {
		return n, nil
	}
	if d.Tag == dwarf.TagPointerType {
		return pointerSize, nil // clang leaves it out
	}
	if declared, _ := d.Val(dwarf.AttrDeclaration).(bool); declared || depth > maxDepth {
		return 0, d.errorf("a value of a type without a size")
	}
	of, ok := r.typeOf(d)
	if !ok {
		return 0, d.errorf("a value of a type without a size")
	}
	n, err := r.size(of, depth+1)
	if err != nil || d.Tag != dwarf.TagArrayType {
		return n, err
	}
	for _, l := range lengths(d) {
		n *= max(l, 0)
	}
	return n, nil
}

// lengths returns the dimensions of an array, -1 for one that is not given.
func lengths(d *die) []int64 {
	var r []int64
	for _, kid := range d.kids {
		if kid.Tag != dwarf.TagSubrangeType {
			continue
		}
		if n, ok := kid.number(dwarf.AttrCount); ok {
			r = append(r, n)
		} else if top, ok := kid.number(dwarf.AttrUpperBound); ok {
			r = append(r, top+1)
		} else {
			r = append(r, -1)
		}
	}
	return r
}

// text spells a type; of a typedef of a typedef only the first name is kept.
func (r *reader) text(d *die, depth int) (string, error) {
	if depth > maxDepth {
		return "", d.errorf("nested too deeply")
	}
	switch d.Tag {
	case dwarf.TagBaseType:
		if s, ok := spellings[d.name()]; ok {
			return s, nil
		}
		return d.name(), nil
	case dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagEnumerationType:
		word := map[dwarf.Tag]string{dwarf.TagStructType: "struct", dwarf.TagUnionType: "union", dwarf.TagEnumerationType: "enum"}[d.Tag]
		if name, _ := r.typeName(d); name != "" {
			word += " " + name
		}
		return word, nil
	case dwarf.TagSubroutineType:
		return "func", nil
	}
	prefix := map[dwarf.Tag]string{dwarf.TagPointerType: "* ", dwarf.TagConstType: "const "}[d.Tag]
	of, ok := r.typeOf(d)
	if d.Tag == dwarf.TagTypedef {
		prefix = "@" + d.name() + " "
		for ok && of.Tag == dwarf.TagTypedef {
			of, ok = r.typeOf(of)
		}
	}
	if d.Tag == dwarf.TagArrayType {
		prefix = dimensions(d)
	}
	if d.Tag == dwarf.TagConstType && ok && of.Tag == dwarf.TagArrayType {
		prefix = "" // the elements are const too, and say so
	}
	if !ok {
		return prefix + "void", nil
	}
	rest, err := r.text(of, depth+1)
	return prefix + rest, err
}

func dimensions(d *die) string {
	s := ""
	for _, n := range lengths(d) {
		if n < 0 {
			s += "[] "
		} else {
			s += fmt.Sprintf("[%d] ", n)
		}
	}
	return s
}
