package load

import (
	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
	"modernc.org/token"
)

// maxTypeDepth bounds pointers, arrays and typedefs in one type; model reads back at most 64.
const maxTypeDepth = 60

// maxSize bounds the size of a type. It is far above what any machine has, and sums of such sizes stay in range.
const maxSize = 1 << 40

// A use is the construct whose type is being described, for errors.
type use struct {
	at        token.Position // of a member
	pos, item string
	depth     int
}

func (u use) refuse(format string, args ...any) error {
	return refusef(u.pos, u.item, format, args...)
}

func (u use) deeper() (use, error) {
	u.depth++
	if u.depth > maxTypeDepth {
		return u, u.refuse("its type is nested deeper than %d", maxTypeDepth)
	}
	return u, nil
}

// specs are the parts of specifiers that make a type, from either of the two lists that C has for them.
type specs struct {
	types  []*cc.TypeSpecifier
	konst  bool
	atomic bool
	aligns int // number of _Alignas
	attrs  []*cc.AttributeSpecifierList
}

func (s *specs) qualifier(n *cc.TypeQualifier) {
	switch n.Case {
	case cc.TypeQualifierConst:
		s.konst = true
	case cc.TypeQualifierAtomic:
		s.atomic = true
	case cc.TypeQualifierAttr:
		s.attrs = append(s.attrs, n.AttributeSpecifierList)
	}
}

func declarationSpecs(n *cc.DeclarationSpecifiers) (s specs) {
	for ; n != nil; n = n.DeclarationSpecifiers {
		switch n.Case {
		case cc.DeclarationSpecifiersTypeSpec:
			s.types = append(s.types, n.TypeSpecifier)
		case cc.DeclarationSpecifiersTypeQual:
			s.qualifier(n.TypeQualifier)
		case cc.DeclarationSpecifiersAlignSpec:
			s.aligns++
		case cc.DeclarationSpecifiersAttr:
			s.attrs = append(s.attrs, n.AttributeSpecifierList)
		}
	}
	return s
}

func qualifierSpecs(n *cc.SpecifierQualifierList) (s specs) {
	for ; n != nil; n = n.SpecifierQualifierList {
		switch n.Case {
		case cc.SpecifierQualifierListTypeSpec:
			s.types = append(s.types, n.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			s.qualifier(n.TypeQualifier)
		case cc.SpecifierQualifierListAlignSpec:
			s.aligns++
		}
	}
	return s
}

// base returns the type that specifiers name.
func (b *builder) base(s specs, u use) (model.Type, error) {
	if s.atomic {
		return model.Type{}, u.refuse("an _Atomic type is not supported")
	}
	t, err := b.unqualified(s, u)
	t.Const = t.Const || s.konst
	return t, err
}

func (b *builder) unqualified(s specs, u use) (model.Type, error) {
	if len(s.types) == 1 {
		switch n := s.types[0]; n.Case {
		case cc.TypeSpecifierTypeName:
			return b.typedefType(n.Token.SrcStr(), u)
		case cc.TypeSpecifierStructOrUnion:
			return b.aggregateType(n.StructOrUnionSpecifier, u)
		case cc.TypeSpecifierEnum:
			return b.enumType(n.EnumSpecifier, u)
		case cc.TypeSpecifierVoid:
			return model.Type{Kind: model.Void}, nil
		}
	}
	name, err := scalarName(s.types, u)
	return model.Type{Kind: model.Scalar, Name: name}, err
}

// typedefType returns the type that a typedef name stands for.
func (b *builder) typedefType(name string, u use) (model.Type, error) {
	d := b.decls.typedefs[name]
	if d == nil {
		return model.Type{}, u.refuse("unknown type name %s", name)
	}
	if t, ok := b.typedefTypes[name]; ok {
		return t, nil
	}
	u, err := u.deeper()
	if err != nil {
		return model.Type{}, err
	}
	if err := b.checkTypedef(d, u); err != nil {
		return model.Type{}, err
	}
	t, err := b.base(declarationSpecs(d.spec), u)
	if err != nil {
		return t, err
	}
	if t, err = b.declarator(t, d.decl, u); err != nil {
		return t, err
	}
	t.Typedef = name
	b.typedefTypes[name] = t
	return t, nil
}

func (b *builder) aggregateType(n *cc.StructOrUnionSpecifier, u use) (model.Type, error) {
	t := model.Type{Kind: model.Struct}
	if n.StructOrUnion.Case == cc.StructOrUnionUnion {
		t.Kind = model.Union
	}
	if tag := n.Token.SrcStr(); tag != "" {
		t.Name = tag
		return t, nil
	}
	a := b.decls.bodies[n]
	if a == nil {
		return t, u.refuse("an unnamed struct or union where no definition is expected")
	}
	if a.name != "" {
		t.Name = a.name
		return t, nil
	}
	u, err := u.deeper()
	if err != nil {
		return t, err
	}
	body, err := b.aggregate(a, u)
	t.Body = &body
	return t, err
}

func (b *builder) enumType(n *cc.EnumSpecifier, u use) (model.Type, error) {
	if tag := n.Token2.SrcStr(); tag != "" {
		return model.Type{Kind: model.EnumRef, Name: tag}, nil
	}
	e := b.decls.names[n]
	if e == nil {
		return model.Type{}, u.refuse("an unnamed enum where no definition is expected")
	}
	if e.name != "" {
		return model.Type{Kind: model.EnumRef, Name: e.name}, nil
	}
	m, err := b.enumOf(e)
	return model.Type{Kind: model.Scalar, Name: enumScalar(m.Size, m.Signed)}, err
}

// declarator applies pointers, arrays and parameter lists to t.
func (b *builder) declarator(t model.Type, d *cc.Declarator, u use) (model.Type, error) {
	if d == nil {
		return t, nil
	}
	t, u, err := b.pointers(t, d.Pointer, u)
	if err != nil {
		return t, err
	}
	for dd := d.DirectDeclarator; dd != nil; dd = dd.DirectDeclarator {
		if u, err = u.deeper(); err != nil {
			return t, err
		}
		switch dd.Case {
		case cc.DirectDeclaratorIdent:
			return t, nil
		case cc.DirectDeclaratorDecl:
			return b.declarator(t, dd.Declarator, u)
		case cc.DirectDeclaratorFuncParam, cc.DirectDeclaratorFuncIdent:
			t = model.Type{Kind: model.Function}
		default:
			if t, err = b.array(t, dd.AssignmentExpression, u); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// abstract is declarator for a parameter without a name.
func (b *builder) abstract(t model.Type, d *cc.AbstractDeclarator, u use) (model.Type, error) {
	if d == nil {
		return t, nil
	}
	t, u, err := b.pointers(t, d.Pointer, u)
	if err != nil {
		return t, err
	}
	for dd := d.DirectAbstractDeclarator; dd != nil; dd = dd.DirectAbstractDeclarator {
		if u, err = u.deeper(); err != nil {
			return t, err
		}
		switch dd.Case {
		case cc.DirectAbstractDeclaratorDecl:
			return b.abstract(t, dd.AbstractDeclarator, u)
		case cc.DirectAbstractDeclaratorFunc:
			t = model.Type{Kind: model.Function}
		default:
			if t, err = b.array(t, dd.AssignmentExpression, u); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

func (b *builder) pointers(t model.Type, p *cc.Pointer, u use) (model.Type, use, error) {
	var err error
	for ; p != nil; p = p.Pointer {
		if u, err = u.deeper(); err != nil {
			return t, u, err
		}
		elem := t
		t = model.Type{Kind: model.Pointer, Elem: &elem}
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			if q.TypeQualifier != nil && q.TypeQualifier.Case == cc.TypeQualifierConst {
				t.Const = true
			}
		}
	}
	return t, u, nil
}

func (b *builder) array(elem model.Type, size cc.ExpressionNode, u use) (model.Type, error) {
	t := model.Type{Kind: model.Array, Len: -1, Elem: &elem}
	if size == nil {
		return t, nil
	}
	n, ok := intValue(size.Value())
	switch {
	case !ok:
		return t, u.refuse("an array whose length is not a constant")
	case n.Neg():
		return t, u.refuse("an array of negative length")
	case n.Uint64() > maxSize:
		return t, u.refuse("an array that is too large: %s elements", n)
	}
	if err := b.checkConstant(size, n, u); err != nil {
		return t, err
	}
	t.Len = int64(n.Uint64())
	return t, nil
}

// intValue returns an integer constant of the front end.
func intValue(v cc.Value) (model.Value, bool) {
	switch x := v.(type) {
	case cc.Int64Value:
		return model.Int(int64(x)), true
	case cc.UInt64Value:
		return model.Uint(uint64(x)), true
	}
	return model.Value{}, false
}
