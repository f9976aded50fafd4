package record

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// maxSize bounds sizes and offsets, so that sums of them stay in range.
const maxSize = 1 << 40

func (c *checker) aggregates() error {
	for i := range c.m.Aggregates {
		a := &c.m.Aggregates[i]
		if err := c.layout(a, 0); err != nil {
			return fmt.Errorf("%s %s: %w", what(a), a.Name, err)
		}
	}
	return nil
}

// number checks that n is there for each architecture, and in range.
func number(what string, n model.Num) error {
	if n.By != nil && len(n.By) != len(model.Archs) {
		return fmt.Errorf("%s: not one for each of %d architectures", what, len(model.Archs))
	}
	for _, arch := range model.Archs {
		if _, ok := n.By[arch]; n.By != nil && !ok {
			return fmt.Errorf("%s: none for %s", what, arch)
		}
		if v := n.At(arch); v < 0 || v > maxSize {
			return fmt.Errorf("%s %d is out of range", what, v)
		}
	}
	return nil
}

func (c *checker) layout(a *model.Aggregate, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("nested deeper than %d", maxNesting)
	}
	if err := number("size", a.Size); err != nil {
		return err
	}
	if err := number("alignment", a.Align); err != nil {
		return err
	}
	for _, arch := range model.Archs {
		if n := a.Align.At(arch); n&(n-1) != 0 || n == 0 && !a.Opaque {
			return fmt.Errorf("alignment %d is no power of two", n)
		}
	}
	if a.Opaque && len(a.Members) > 0 {
		return fmt.Errorf("opaque, and yet it has members")
	}
	// An endless body would never come back from Flat's order of visits, so members are checked first.
	for i := range a.Members {
		if err := c.member(&a.Members[i], depth); err != nil {
			return fmt.Errorf("member %s: %w", memberName(a, i), err)
		}
	}
	if err := places(a); err != nil {
		return err
	}
	if err := since(a.Since); err != nil {
		return err
	}
	return unique(a)
}

func memberName(a *model.Aggregate, i int) string {
	if name := a.Members[i].Name; name != "" {
		return fmt.Sprintf("%.80s", name)
	}
	return fmt.Sprintf("number %d", i+1)
}

// unique checks that C could tell the members apart by name.
func unique(a *model.Aggregate) error {
	seen := map[string]bool{}
	for _, f := range a.Flat() {
		if err := addName(seen, f.Name, true, "member"); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) member(m *model.Member, depth int) error {
	if m.Name == "" && m.Type.Body == nil {
		return fmt.Errorf("it has no name")
	}
	if err := number("offset", m.Offset); err != nil {
		return err
	}
	if err := number("size", m.Size); err != nil {
		return err
	}
	if err := c.typ(&m.Type, depth); err != nil {
		return err
	}
	if err := since(m.Since); err != nil {
		return err
	}
	if m.Bits != nil {
		return bitField(m)
	}
	for _, arch := range model.Archs {
		n, ok := c.sizeOf(&m.Type, arch)
		if !ok {
			return fmt.Errorf("%s has no size", m.Type.Text())
		}
		if got := m.Size.At(arch); got != n {
			return fmt.Errorf("size %d, and %s has %d", got, m.Type.Text(), n)
		}
	}
	return nil
}

func bitField(m *model.Member) error {
	if m.Type.Kind != model.Scalar && m.Type.Kind != model.EnumRef {
		return fmt.Errorf("a bit-field of type %s", m.Type.Text())
	}
	if m.Bits.Width < 1 || m.Bits.Width > 128 {
		return fmt.Errorf("a bit-field of %d bits", m.Bits.Width)
	}
	return number("bit position", m.Bits.Pos)
}

// places checks that members lie inside of a and, in a struct, one after the other.
func places(a *model.Aggregate) error {
	for _, arch := range model.Archs {
		next := int64(0) // first bit that is still free
		for i := range a.Members {
			m := &a.Members[i]
			start, end := 8*m.Offset.At(arch), 8*(m.Offset.At(arch)+m.Size.At(arch))
			if m.Bits != nil {
				start = m.Bits.Pos.At(arch)
				end = start + int64(m.Bits.Width)
			}
			switch {
			case end > 8*a.Size.At(arch):
				return fmt.Errorf("member %s: its end, byte %d, is outside of the %d bytes on %s",
					memberName(a, i), (end+7)/8, a.Size.At(arch), arch)
			case a.Union && start != 0:
				return fmt.Errorf("member %s: offset %d in a union", memberName(a, i), start/8)
			case start < next:
				return fmt.Errorf("member %s: offset %d is inside of an earlier member on %s", memberName(a, i), start/8, arch)
			}
			if !a.Union {
				next = end
			}
		}
	}
	return nil
}

// cycles looks for an aggregate that contains itself.
func (c *checker) cycles() error {
	done := map[*model.Aggregate]int{} // 1: being visited, 2: fine
	for i := range c.m.Aggregates {
		if err := c.visit(&c.m.Aggregates[i], done); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) visit(a *model.Aggregate, done map[*model.Aggregate]int) error {
	switch done[a] {
	case 1:
		return fmt.Errorf("%s %s contains itself", what(a), a.Name)
	case 2:
		return nil
	}
	done[a] = 1
	for i := range a.Members {
		t := &a.Members[i].Type
		for t.Kind == model.Array {
			t = t.Elem
		}
		in := t.Body
		if in == nil && (t.Kind == model.Struct || t.Kind == model.Union) {
			in = c.aggregate[t.Name]
		}
		if in == nil {
			continue
		}
		if err := c.visit(in, done); err != nil {
			return err
		}
	}
	done[a] = 2
	return nil
}
