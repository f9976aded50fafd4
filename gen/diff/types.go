package diff

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// pass spells what the machine sees of t: its width and sign. Types that differ in nothing else are passed alike.
func (s sideModel) pass(t model.Type) string {
	switch t.Kind {
	case model.Pointer:
		return "pointer"
	case model.Array:
		return fmt.Sprintf("[%d]%s", t.Len, s.pass(*t.Elem))
	case model.Scalar:
		i := model.Scalars[t.Name]
		if i.Float {
			return fmt.Sprint("float", i.Size)
		}
		if i.Bool {
			return "bool"
		}
		return integer(i.Size, i.Signed)
	case model.EnumRef:
		if e := s.enum[t.Name]; e != nil {
			return integer(e.Size, e.Signed)
		}
	case model.Struct, model.Union:
		if t.Body != nil {
			return "aggregate" // compared on its own
		}
	}
	t.Const, t.Typedef = false, ""
	return t.Text()
}

func integer(size int64, signed bool) string {
	if signed {
		return fmt.Sprint("signed", 8*size)
	}
	return fmt.Sprint("unsigned", 8*size)
}

// same reports whether two types are spelled alike, but for const.
func same(a, b model.Type) bool {
	return bare(a).Text() == bare(b).Text()
}

func bare(t model.Type) model.Type {
	t.Const = false
	if t.Elem != nil {
		e := bare(*t.Elem)
		t.Elem = &e
	}
	return t
}

// c spells t as C does.
func (s sideModel) c(t model.Type) string {
	if t.Kind == model.Invalid {
		return ""
	}
	return t.C("", s.typedefs)
}
