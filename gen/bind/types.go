package bind

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/plan"
)

// cgoNames are what cgo calls the scalar types.
var cgoNames = map[string]string{
	"_Bool": "_Bool", "char": "char", "signed char": "schar", "unsigned char": "uchar", "short": "short", "unsigned short": "ushort",
	"int": "int", "unsigned int": "uint", "long": "long", "unsigned long": "ulong", "long long": "longlong",
	"unsigned long long": "ulonglong", "float": "float", "double": "double",
}

// bigEndian are the Go types of the kernel's big-endian integers, and their sizes.
var bigEndian = map[string]struct {
	name string
	size int64
}{"__be16": {"Be16", 2}, "__be32": {"Be32", 4}, "__be64": {"Be64", 8}}

// typ finds the form of a parameter's type, or a result's.
func (p *planner) typ(t *model.Type, result bool) (Type, error) {
	switch t.Kind {
	case model.Void, model.Invalid:
		if result {
			return Type{Class: Void, C: "void "}, nil
		}
	case model.Scalar, model.EnumRef:
		return p.number(t)
	case model.Pointer:
		return p.pointer(t.Elem, result)
	}
	return Type{}, fmt.Errorf("%q cannot be passed by value", t.Text())
}

// number is the form of a scalar or an enum.
func (p *planner) number(t *model.Type) (Type, error) {
	if t.Kind == model.EnumRef {
		e, name := p.enums[t.Name], p.goEnum(t.Name)
		if e == nil || name == "" || e.Size > 8 {
			return Type{}, fmt.Errorf("enum %s is not declared", t.Name)
		}
		c := width(e.Size, e.Signed)
		return Type{Class: Number, Go: plan.GoType{Name: name}, C: c + " ", Cgo: c, Local: true}, nil
	}
	info, ok := model.Scalars[t.Name]
	if !ok || cgoNames[t.Name] == "" {
		return Type{}, fmt.Errorf("%q is no type that Go can pass", t.Text())
	}
	r := Type{Class: Number, C: t.Name + " ", Cgo: cgoNames[t.Name]}
	switch {
	case info.Bool:
		r.Go.Name = "bool"
	case info.Char:
		r.Go.Name = "byte"
	case info.Float:
		r.Go.Name = fmt.Sprintf("float%d", 8*info.Size)
	default:
		r.Cgo = width(info.Size, info.Signed)
		r.C = r.Cgo + " "
		r.Go.Name = r.Cgo[:len(r.Cgo)-len("_t")]
		if be := bigEndian[t.Typedef]; be.size == info.Size {
			r.Go.Name, r.Local = be.name, true
		}
	}
	return r, nil
}

// width spells an integer type by its width.
func width(size int64, signed bool) string {
	if signed {
		return fmt.Sprintf("int%d_t", 8*size)
	}
	return fmt.Sprintf("uint%d_t", 8*size)
}

var address = plan.GoType{Name: "uintptr"}

func pointerTo(t plan.GoType) plan.GoType { return plan.GoType{Elem: &t, Len: -1} }

// pointer is the form of a pointer to e.
func (p *planner) pointer(e *model.Type, result bool) (Type, error) {
	constant := ""
	if e.Const {
		constant = "const "
	}
	switch {
	case e.Kind == model.Void:
		return Type{Class: Address, Go: address, C: "uintptr_t ", Header: constant + "void *", Cgo: "uintptr_t"}, nil
	case e.Kind == model.Function:
		return Type{Class: Address, Go: address, C: "uintptr_t ", Cgo: "uintptr_t"}, fmt.Errorf("a pointer to a function has no type here")
	case e.Kind == model.Scalar && model.Scalars[e.Name].Char && result && e.Const:
		return Type{Class: Text, Go: plan.GoType{Name: "string"}, C: "const char *", Cgo: "char"}, nil
	case e.Kind == model.Struct || e.Kind == model.Union:
		return p.object(e, constant)
	case e.Kind == model.Pointer:
		return p.slot(e.Elem)
	case e.Kind == model.Scalar || e.Kind == model.EnumRef:
		return p.cell(e, constant)
	}
	return Type{}, fmt.Errorf("%q is no type that Go can pass", e.Text())
}

func (p *planner) object(e *model.Type, constant string) (Type, error) {
	a := p.aggs[e.Name]
	if a == nil || a.Typedef {
		return Type{}, fmt.Errorf("%q is not declared with a tag", e.Text())
	}
	tag := word(a) + " " + e.Name
	name := p.goNames[tag]
	if name == "" {
		return Type{}, fmt.Errorf("%s has no Go type", tag)
	}
	return Type{Class: Object, Go: pointerTo(plan.GoType{Name: name}), C: constant + tag + " *", Cgo: word(a) + "_" + e.Name,
		Tag: tag, Local: true}, nil
}

func word(a *model.Aggregate) string {
	if a.Union {
		return "union"
	}
	return "struct"
}

// slot is the form of a pointer to a pointer to e.
func (p *planner) slot(e *model.Type) (Type, error) {
	r := Type{Class: Slot, C: "uintptr_t *", Cgo: "uintptr_t"}
	switch e.Kind {
	case model.Void:
		r.Go, r.Header = pointerTo(address), "void **"
	case model.Struct, model.Union:
		o, err := p.object(e, "")
		if err != nil {
			return r, err
		}
		r.Go, r.Header, r.Local = pointerTo(o.Go), o.Tag+" **", true
	default:
		return r, fmt.Errorf("a pointer to %q is no type that Go can pass", "* "+e.Text())
	}
	if e.Const {
		r.Header = "const " + r.Header
	}
	return r, nil
}

// cell is the form of a pointer to a number. It is spelled as in the header, where long and long long are not the same.
func (p *planner) cell(e *model.Type, constant string) (Type, error) {
	n, err := p.number(e)
	if err != nil {
		return n, err
	}
	r := Type{Class: Cell, Go: pointerTo(n.Go), C: constant + n.C + "*", Cgo: n.Cgo, Local: n.Local}
	if e.Kind == model.Scalar {
		r.C, r.Cgo = constant+e.Name+" *", cgoNames[e.Name]
	} else {
		r.Header = constant + "enum " + e.Name + " *"
	}
	return r, nil
}
