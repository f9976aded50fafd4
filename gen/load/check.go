package load

import (
	"runtime"
	"slices"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// checkAggregate refuses a definition whose attributes the front end does not take as gcc does.
func (b *builder) checkAggregate(a *aggregate, u use) error {
	if b.in.foreignMachine(b.arch, a.file) {
		return u.refuse("its layout on %s is not known: %s belongs to this machine", b.arch, a.file)
	}
	la, err := b.attributes([]*cc.AttributeSpecifierList{a.spec.AttributeSpecifierList, a.spec.AttributeSpecifierList2}, u)
	if err != nil {
		return err
	}
	if la.align != 0 && a.spec.StructDeclarationList == nil {
		return u.refuse("attribute aligned of an empty struct or union is not supported")
	}
	return b.noLayout(a.outer, u)
}

// checkUnnamed refuses a declaration without a name that gcc ignores and the front end does not.
func (b *builder) checkUnnamed(s specs, n *cc.StructDeclaration, u use) error {
	if len(s.types) != 1 || s.types[0].Case != cc.TypeSpecifierStructOrUnion ||
		s.types[0].StructOrUnionSpecifier.Case != cc.StructOrUnionSpecifierDef ||
		s.types[0].StructOrUnionSpecifier.Token.SrcStr() != "" {
		return u.refuse("it declares nothing")
	}
	lists := s.attrs
	if n.AttributeSpecifierList != nil {
		lists = append(lists, n.AttributeSpecifierList)
	}
	return b.noLayout(lists, u)
}

// checkDeclarator refuses what the parts of a member's declaration hold that the front end drops or takes in another way. It
// returns the alignment asked for before the member's name.
func (b *builder) checkDeclarator(s specs, d *cc.StructDeclarator, attrs []*cc.AttributeSpecifierList, u use) (int64, error) {
	la, err := b.attributes(attrs, u)
	if err != nil {
		return 0, err
	}
	ls, err := b.attributes(s.attrs, u)
	switch {
	case err != nil:
		return 0, err
	case la.align != 0 && ls.align != 0 || s.aligns > 1:
		return 0, u.refuse("more than one alignment is not supported")
	case d.Case == cc.StructDeclaratorBitField && (la.align != 0 || ls.align != 0 || s.aligns > 0):
		return 0, u.refuse("an aligned bit-field is not supported")
	case ls.packed && namesEnum(s):
		return 0, u.refuse("a packed enum is not supported")
	}
	if t, err := b.base(s, u); err == nil && ls.packed && (t.Kind == model.Struct || t.Kind == model.Union) {
		return 0, u.refuse("attribute packed before the name is not supported here")
	}
	return ls.align, b.checkPointers(d.Declarator, u)
}

// checkAligned refuses a member that should have been aligned, but that the front end, which takes the alignment for one of
// the type, has not aligned, or has aligned less than the type demands.
func (b *builder) checkAligned(align int64, t model.Type, f *cc.Field, whole layout, u use) error {
	if align == 0 {
		return nil
	}
	if f.Offset()%align != 0 || int64(whole.Align())%align != 0 || align < b.natural(t) {
		return u.refuse("attribute aligned before the name is not supported here")
	}
	return nil
}

// natural is the alignment of a type; at least that, where it is not known.
func (b *builder) natural(t model.Type) int64 {
	for t.Kind == model.Array {
		t = *t.Elem
	}
	switch t.Kind {
	case model.Scalar:
		return min(16, model.Scalars[t.Name].Size)
	case model.Struct, model.Union:
		if t.Body != nil {
			return t.Body.Align.V
		}
		if a := b.lookup(t); a != nil && a.spec != nil {
			return int64(a.spec.Type().Align())
		}
	}
	return 8
}

// checkTypedef refuses a typedef whose attributes change the type, or that the front end takes for packed because it was
// declared together with a packed struct.
func (b *builder) checkTypedef(d *typedef, u use) error {
	t := use{pos: d.pos, item: "typedef " + d.name, depth: u.depth}
	if d.name == "__builtin_va_list" {
		return u.refuse("the type va_list is not supported")
	}
	file, _ := place(d.decl)
	if b.in.foreignMachine(b.arch, file) || b.arch != runtime.GOARCH && slices.Contains(sizeDiffers, d.name) {
		return u.refuse("the size of %s on %s is not known: it belongs to this machine", d.name, b.arch)
	}
	if err := b.noLayout(d.attr, t); err != nil {
		return err
	}
	switch ct := d.decl.Type(); {
	case ct == nil:
		return t.refuse("its type is not known")
	case ct.Kind() != cc.Struct && ct.Kind() != cc.Union && ct.Attributes().Packed():
		return t.refuse("a typedef declared together with a packed struct is not supported")
	}
	return b.checkPointers(d.decl, t)
}

// namesEnum reports whether the specifiers define or name an enum.
func namesEnum(s specs) bool {
	for _, t := range s.types {
		if t.Case == cc.TypeSpecifierEnum {
			return true
		}
	}
	return false
}

// checkPointers refuses attributes inside a declarator.
func (b *builder) checkPointers(d *cc.Declarator, u use) (err error) {
	if d == nil {
		return nil
	}
	for p := d.Pointer; p != nil; p = p.Pointer {
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			if q.TypeQualifier == nil {
				continue
			}
			switch q.TypeQualifier.Case {
			case cc.TypeQualifierAtomic:
				return u.refuse("an _Atomic type is not supported")
			case cc.TypeQualifierAttr:
				if err := b.noLayout([]*cc.AttributeSpecifierList{q.TypeQualifier.AttributeSpecifierList}, u); err != nil {
					return err
				}
			}
		}
	}
	for dd := d.DirectDeclarator; dd != nil; dd = dd.DirectDeclarator {
		if u, err = u.deeper(); err != nil {
			return err
		}
		if dd.Case == cc.DirectDeclaratorDecl {
			if err := b.hidden(dd.Token, dd.Declarator, u); err != nil {
				return err
			}
			return b.checkPointers(dd.Declarator, u)
		}
	}
	return nil
}

// checkMember compares the size that the front end gives a member with that of its type as described.
func (b *builder) checkMember(t model.Type, f *cc.Field, u use) error {
	if t.Kind == model.Array && t.Len < 0 {
		if f.Index() == 0 {
			return u.refuse("a flexible array without a member before it is not supported")
		}
		if !f.IsFlexibleArrayMember() {
			return u.refuse("a flexible array that is not the last member of a struct is not supported")
		}
		if b.flexible(*t.Elem) {
			return u.refuse("an array of structs that end with a flexible array is not supported")
		}
		return nil
	}
	size, ok := b.size(t, 0)
	got := f.Type().Size()
	switch {
	case !ok:
		return u.refuse("its type is incomplete")
	case size < 0 || size > maxSize:
		return u.refuse("too large")
	case b.emptyElements(t):
		return u.refuse("an array of elements without a size is not supported")
	case got != size:
		return u.refuse("the front end gives it %d bytes, its type has %d", got, size)
	}
	if t.Kind == model.Array && b.flexible(*t.Elem) {
		return u.refuse("an array of structs that end with a flexible array is not supported")
	}
	return nil
}

// emptyElements reports whether t is an array of elements of size 0, or of arrays of them. The front end gives such an array the
// size -1, so that the aggregate is too small and the members behind it are in the wrong place.
func (b *builder) emptyElements(t model.Type) bool {
	for t.Kind == model.Array {
		t = *t.Elem
		if size, ok := b.size(t, 0); ok && size == 0 {
			return true
		}
	}
	return false
}

// flexible reports whether t is a struct that ends with a flexible array.
func (b *builder) flexible(t model.Type) bool {
	for t.Kind == model.Array {
		t = *t.Elem
	}
	var spec cc.Type
	switch a := b.lookup(t); {
	case t.Kind != model.Struct:
		return false
	case t.Body != nil:
		n := len(t.Body.Members)
		return n > 0 && t.Body.Members[n-1].Type.Kind == model.Array && t.Body.Members[n-1].Type.Len < 0
	case a == nil || a.spec == nil:
		return false
	default:
		spec = a.spec.Type()
	}
	s, ok := spec.(*cc.StructType)
	return ok && s.HasFlexibleArrayMember() && s.FlexibleArrayMember().Type().Size() < 0
}

// size is the size of a type, if it is complete.
func (b *builder) size(t model.Type, depth int) (int64, bool) {
	switch t.Kind {
	case model.Scalar:
		return model.Scalars[t.Name].Size, true
	case model.Pointer:
		return 8, true
	case model.EnumRef:
		e := b.findEnum(t.Name)
		if e == nil {
			return 0, false
		}
		m, err := b.enumOf(e)
		return m.Size, err == nil
	case model.Array:
		if t.Len < 0 || depth > maxTypeDepth {
			return 0, false
		}
		n, ok := b.size(*t.Elem, depth+1)
		if n > 0 && t.Len > maxSize/n {
			return maxSize + 1, ok
		}
		return n * t.Len, ok
	case model.Struct, model.Union:
		if t.Body != nil {
			return t.Body.Size.V, true
		}
		if a := b.lookup(t); a != nil && a.spec != nil {
			return a.spec.Type().Size(), true
		}
	}
	return 0, false
}

// checkBitField refuses a bit-field that gcc would refuse, or whose type the front end does not lay out.
func (b *builder) checkBitField(name string, t model.Type, f *cc.Field, u use) error {
	size, ok := b.size(t, 0)
	info := model.Scalars[t.Name]
	switch {
	case !ok || t.Kind != model.Scalar && t.Kind != model.EnumRef || info.Float || size > 8:
		return u.refuse("a bit-field of this type is not supported")
	case f.ValueBits() > 8*size || info.Bool && f.ValueBits() > 1:
		return u.refuse("a bit-field wider than its type")
	case f.ValueBits() == 0 && name != "":
		return u.refuse("a bit-field of no width with a name")
	}
	return nil
}
