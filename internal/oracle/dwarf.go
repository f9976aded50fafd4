package oracle

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
)

// Read is DWARF without a test.
func Read(cc, include []string, header string) (*Types, error) {
	// A header without types would leave no debugging information at all.
	obj, _, err := object(cc, include, "#include <"+header+">\ntypedef int oracle_typedef;\n", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types")
	if err != nil {
		return nil, err
	}
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, err
	}
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	r := &reader{dies: map[dwarf.Offset]*die{}, order: f.ByteOrder, typedefs: map[dwarf.Offset]string{}}
	return r.units(data)
}

// A die is an entry with its children.
type die struct {
	*dwarf.Entry
	kids []*die
}

type reader struct {
	dies     map[dwarf.Offset]*die
	typedefs map[dwarf.Offset]string // the first typedef of each type
	files    []*dwarf.LineFile
	order    binary.ByteOrder
}

// units reads every compilation unit; the only one, as one file was compiled.
func (r *reader) units(data *dwarf.Data) (*Types, error) {
	types := &Types{}
	dr := data.Reader()
	for {
		e, err := dr.Next()
		if err != nil || e == nil {
			return types, err
		}
		lines, err := data.LineReader(e)
		if err != nil {
			return nil, err
		}
		if lines != nil {
			r.files = lines.Files()
		}
		unit := &die{Entry: e}
		if err := r.tree(dr, unit); err != nil {
			return nil, err
		}
		if err := r.unit(unit, types); err != nil {
			return nil, err
		}
	}
}

// tree reads the children of d.
func (r *reader) tree(dr *dwarf.Reader, d *die) error {
	if !d.Children {
		return nil
	}
	for {
		e, err := dr.Next()
		if err != nil {
			return err
		}
		if e == nil || e.Tag == 0 {
			return nil
		}
		kid := &die{Entry: e}
		r.dies[e.Offset] = kid
		d.kids = append(d.kids, kid)
		if err := r.tree(dr, kid); err != nil {
			return err
		}
	}
}

// unit collects the types among the unit's own children.
func (r *reader) unit(unit *die, types *Types) error {
	for _, d := range unit.kids {
		if of, ok := d.Val(dwarf.AttrType).(dwarf.Offset); ok && d.Tag == dwarf.TagTypedef {
			if _, seen := r.typedefs[of]; !seen {
				r.typedefs[of] = d.name()
			}
		}
	}
	inner := r.bodies(unit)
	for _, d := range unit.kids {
		switch d.Tag {
		case dwarf.TagStructType, dwarf.TagUnionType:
			if inner[d.Offset] {
				continue // stands in its member
			}
			a, err := r.aggregate(d)
			if err != nil {
				return err
			}
			types.Aggregates = append(types.Aggregates, *a)
		case dwarf.TagEnumerationType:
			e, err := r.enum(d)
			if err != nil {
				return err
			}
			types.Enums = append(types.Enums, *e)
		}
	}
	return nil
}

// bodies returns the aggregates that have neither tag nor typedef.
func (r *reader) bodies(unit *die) map[dwarf.Offset]bool {
	set := map[dwarf.Offset]bool{}
	for _, d := range unit.kids {
		if name, _ := r.typeName(d); name == "" {
			set[d.Offset] = true
		}
	}
	return set
}

func (d *die) name() string {
	s, _ := d.Val(dwarf.AttrName).(string)
	return s
}

func (d *die) number(a dwarf.Attr) (int64, bool) {
	n, ok := d.Val(a).(int64)
	return n, ok
}

// typeName returns the tag, else the name of the first typedef and true.
func (r *reader) typeName(d *die) (string, bool) {
	if name := d.name(); name != "" {
		return name, false
	}
	name, ok := r.typedefs[d.Offset]
	return name, ok
}

func (r *reader) place(d *die) (string, int64) {
	line, _ := d.number(dwarf.AttrDeclLine)
	i, ok := d.number(dwarf.AttrDeclFile)
	if !ok || i < 0 || i >= int64(len(r.files)) || r.files[i] == nil {
		return "", line
	}
	return filepath.Clean(r.files[i].Name), line
}

func (d *die) errorf(format string, args ...any) error {
	return fmt.Errorf("DWARF entry %#x (%s): %s", d.Offset, d.name(), fmt.Sprintf(format, args...))
}
