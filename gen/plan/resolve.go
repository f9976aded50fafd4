package plan

import (
	"github.com/goverbs/ibv/gen/model"
)

// resolved is the Go form of a C type on one architecture.
type resolved struct {
	t           GoType
	size, align int64
	pointer     bool // a pointer, or an opaque address
	whole       bool // an aggregate or array: handed out in place rather than by value
	tail        bool // a flexible array or one of no elements; t is the element
}

// maxDepth bounds the nesting of types: a record may hold anything.
const maxDepth = 32

// maxSize bounds the size of a type; more is a mistake, and no Go array could check it.
const maxSize = 1 << 30

// resolve finds the Go form of t. at tells where t stands, for names and errors.
func (l *layouter) resolve(t *model.Type, at place, depth int) (resolved, error) {
	if depth > maxDepth {
		return resolved{}, l.fail(at, "nested too deep")
	}
	switch t.Kind {
	case model.Scalar:
		return l.scalar(t, at)
	case model.Pointer:
		p, err := l.pointer(t.Elem, at, depth)
		return resolved{size: 8, align: 8, pointer: true, t: p}, err
	case model.Array:
		return l.array(t, at, depth)
	case model.Struct, model.Union:
		return l.aggregate(t, at)
	case model.EnumRef:
		e, name := l.enums[t.Name], l.goNames[t.Name]
		if e == nil || name == "" {
			return resolved{}, l.fail(at, "enum %s is not declared", t.Name)
		}
		return resolved{t: named(name), size: e.Size, align: e.Size}, nil
	}
	return resolved{}, l.fail(at, "a member of type %q has no size", t.Text())
}

func (l *layouter) scalar(t *model.Type, at place) (resolved, error) {
	info, ok := model.Scalars[t.Name]
	if !ok {
		return resolved{}, l.fail(at, "unknown type %q", t.Name)
	}
	r := resolved{size: info.Size, align: info.Size}
	switch {
	case info.Bool:
		r.t = named("bool")
	case info.Char:
		r.t = named("byte")
	case t.Name == "float" || t.Name == "double":
		r.t = named(map[int64]string{4: "float32", 8: "float64"}[info.Size])
	case t.Name == "_Complex float":
		r.t, r.align = named("complex64"), 4
	case t.Name == "_Complex double":
		r.t, r.align = named("complex128"), 8
	case info.Size > 8: // Go has no such number
		r.t, r.align, r.whole = bytesOf(info.Size), 1, true
	default:
		r.t = named(integer(info.Size, info.Signed))
		if be := l.byteOrder(t, info); be != "" {
			r.t = named(be)
		}
	}
	return r, nil
}

// byteOrder is the Go type for the kernel's big-endian integers, or empty.
func (l *layouter) byteOrder(t *model.Type, info model.ScalarInfo) string {
	h := &l.pkg.Helpers
	switch {
	case t.Typedef == "__be16" && info.Size == 2:
		h.Be16 = true
		return "Be16"
	case t.Typedef == "__be32" && info.Size == 4:
		h.Be32 = true
		return "Be32"
	case t.Typedef == "__be64" && info.Size == 8:
		h.Be64 = true
		return "Be64"
	}
	return ""
}

func (l *layouter) array(t *model.Type, at place, depth int) (resolved, error) {
	r, err := l.resolve(t.Elem, at, depth+1)
	if err != nil {
		return r, err
	}
	if r.tail {
		return r, l.fail(at, "an array of arrays without a length")
	}
	if t.Len <= 0 {
		return resolved{t: r.t, align: r.align, tail: true}, nil
	}
	if r.size > 0 && t.Len > maxSize/r.size {
		return r, l.fail(at, "an array of %d elements is too large", t.Len)
	}
	return resolved{t: arrayOf(t.Len, r.t), size: t.Len * r.size, align: r.align, whole: true}, nil
}

func (l *layouter) aggregate(t *model.Type, at place) (resolved, error) {
	s, err := l.shapeOf(t, at)
	if err != nil {
		return resolved{}, err
	}
	return resolved{t: named(s.main().Go), size: s.size, align: s.align, whole: true}, nil
}

// pointer is the Go form of a pointer to e. What has no Go type to point to is an address.
func (l *layouter) pointer(e *model.Type, at place, depth int) (GoType, error) {
	addr := named(address)
	switch {
	case e == nil || depth > maxDepth:
		return addr, l.fail(at, "nested too deep")
	case e.Kind == model.Pointer:
		t, err := l.pointer(e.Elem, at, depth+1)
		return pointerTo(t), err
	case (e.Kind == model.Struct || e.Kind == model.Union) && e.Body == nil:
		// Not laid out here: a struct may point to itself.
		name := l.goNames[e.Name]
		if name == "" {
			return addr, l.fail(at, "%s is not declared", e.Text())
		}
		return pointerTo(named(name)), nil
	case e.Kind == model.Void || e.Kind == model.Function || e.Kind == model.Invalid || model.Scalars[e.Name].Char:
		return addr, nil
	case e.Kind == model.Array:
		return l.arrayPointer(e, at, depth)
	}
	r, err := l.resolve(e, at, depth+1)
	return pointerTo(r.t), err
}

// arrayPointer is the Go form of a pointer to an array.
func (l *layouter) arrayPointer(e *model.Type, at place, depth int) (GoType, error) {
	if e.Elem == nil || e.Len <= 0 || e.Elem.Kind == model.Array {
		return named(address), nil
	}
	// The element is not laid out: a struct may point to an array of itself.
	p, err := l.pointer(e.Elem, at, depth+1)
	if err != nil || !p.Pointer() {
		return named(address), err
	}
	return pointerTo(arrayOf(e.Len, *p.Elem)), nil
}
