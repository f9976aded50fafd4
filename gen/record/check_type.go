package record

import (
	"fmt"
	"math/bits"

	"github.com/goverbs/ibv/gen/model"
)

// maxNesting bounds types and bodies inside one another, as a model made by a program may even be endless.
const maxNesting = 64

// typ checks that everything that t names exists.
func (c *checker) typ(t *model.Type, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("a type nested deeper than %d", maxNesting)
	}
	if t.Typedef != "" && !ident.MatchString(t.Typedef) {
		return fmt.Errorf("typedef %.80q: not a C name", t.Typedef)
	}
	switch t.Kind {
	case model.Void, model.Function:
		return nil
	case model.Scalar:
		if _, ok := model.Scalars[t.Name]; !ok {
			return fmt.Errorf("unknown scalar %.80q", t.Name)
		}
		return nil
	case model.Pointer, model.Array:
		if t.Elem == nil {
			return fmt.Errorf("a pointer or array without a type")
		}
		return c.typ(t.Elem, depth+1)
	case model.EnumRef:
		if c.enum[t.Name] == nil {
			return fmt.Errorf("there is no enum %.80q", t.Name)
		}
		return nil
	case model.Struct, model.Union:
		return c.aggregateRef(t, depth)
	}
	return fmt.Errorf("no type")
}

func (c *checker) aggregateRef(t *model.Type, depth int) error {
	if t.Body != nil {
		if t.Name != "" || t.Body.Name != "" || t.Body.Union != (t.Kind == model.Union) {
			return fmt.Errorf("the body of an unnamed struct or union under a name or of the wrong kind")
		}
		if err := c.layout(t.Body, depth+1); err != nil {
			return fmt.Errorf("unnamed %s: %w", what(t.Body), err)
		}
		return nil
	}
	a := c.aggregate[t.Name]
	if a == nil || a.Union != (t.Kind == model.Union) {
		return fmt.Errorf("there is no %s", t.Text())
	}
	return nil
}

// sizeOf returns the bytes of t on arch, or false if it has no size or none that fits.
func (c *checker) sizeOf(t *model.Type, arch string) (int64, bool) {
	switch t.Kind {
	case model.Scalar:
		return model.Scalars[t.Name].Size, true
	case model.Pointer:
		return 8, true
	case model.EnumRef:
		return c.enum[t.Name].Size, true
	case model.Array:
		n, ok := c.sizeOf(t.Elem, arch)
		hi, lo := bits.Mul64(uint64(max(t.Len, 0)), uint64(n))
		return int64(lo), ok && hi == 0 && lo <= maxSize
	case model.Struct, model.Union:
		if t.Body != nil {
			return t.Body.Size.At(arch), true
		}
		a := c.aggregate[t.Name]
		return a.Size.At(arch), !a.Opaque || a.Size.At(arch) > 0
	}
	return 0, false
}

// fits checks that v fits an integer type.
func fits(v model.Value, size int64, signed bool) bool {
	if size > 8 {
		return true
	}
	if v.Neg() {
		return signed && int64(v.Uint64()) >= -1<<(8*size-1)
	}
	n := bits.Len64(v.Uint64())
	if signed {
		return int64(n) < 8*size
	}
	return int64(n) <= 8*size
}

func (c *checker) enums() error {
	for i := range c.m.Enums {
		e := &c.m.Enums[i]
		if err := c.enumeration(e); err != nil {
			return fmt.Errorf("%s: %w", enumName(e), err)
		}
	}
	return nil
}

// enumName names an enum in messages; an untagged one by its first enumerator.
func enumName(e *model.Enum) string {
	switch {
	case e.Name != "":
		return "enum " + e.Name
	case len(e.Enumerators) > 0:
		return "the untagged enum of " + e.Enumerators[0].Name
	}
	return "an untagged enum"
}

func (c *checker) enumeration(e *model.Enum) error {
	if e.Size != 1 && e.Size != 2 && e.Size != 4 && e.Size != 8 {
		return fmt.Errorf("size %d", e.Size)
	}
	if e.Name == "" && len(e.Enumerators) == 0 {
		return fmt.Errorf("no tag and no enumerators")
	}
	for _, x := range e.Enumerators {
		if !fits(x.Value, e.Size, e.Signed) {
			return fmt.Errorf("%s: %s does not fit %d bytes of its sign", x.Name, x.Value, e.Size)
		}
		if err := since(x.Since); err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
	}
	return since(e.Since)
}

func (c *checker) consts() error {
	seen := map[string]bool{}
	for i := range c.m.Consts {
		k := &c.m.Consts[i]
		if err := addName(seen, k.Name, true, "constant"); err != nil {
			return err
		}
		if err := c.constant(k); err != nil {
			return fmt.Errorf("constant %s: %w", k.Name, err)
		}
	}
	return nil
}

func (c *checker) constant(k *model.Const) error {
	if v, ok := c.enumerator[k.Name]; ok && v != k.Value {
		return fmt.Errorf("%s, and the enumerator of its name is %s", k.Value, v)
	}
	if err := c.typ(&k.Type, 0); err != nil {
		return err
	}
	var size int64
	var signed bool
	switch k.Type.Kind {
	case model.EnumRef:
		size, signed = c.enum[k.Type.Name].Size, c.enum[k.Type.Name].Signed
	case model.Scalar:
		s := model.Scalars[k.Type.Name]
		if s.Float {
			return fmt.Errorf("%s is no integer type", k.Type.Name)
		}
		size, signed = s.Size, s.Signed || s.Char && k.Value.Neg()
	default:
		return fmt.Errorf("%s is no integer type", k.Type.Text())
	}
	if !fits(k.Value, size, signed) {
		return fmt.Errorf("%s does not fit its type, %s", k.Value, k.Type.Text())
	}
	return since(k.Since)
}
