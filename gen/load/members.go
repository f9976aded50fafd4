package load

import (
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// A memberWalk goes through the members of an aggregate in step with the front end's fields.
type memberWalk struct {
	b       *builder
	a       *aggregate
	t       layout
	u       use
	next    int // index of the next field
	members []model.Member
}

// within names a member of a construct. Of a deep nest of members it leaves the middle out.
func within(member, of string) string {
	const last = " of "
	switch n := strings.Count(of, last); {
	case member == "unnamed member" && strings.HasPrefix(of, member):
		return of
	case n > 2:
		return member + " of ..." + of[strings.LastIndex(of, last):]
	}
	return member + last + of
}

func (w *memberWalk) declaration(n *cc.StructDeclaration) error {
	if n.Case != cc.StructDeclarationDecl {
		return nil
	}
	s := qualifierSpecs(n.SpecifierQualifierList)
	if n.StructDeclaratorList == nil {
		return w.unnamed(n, s)
	}
	for l := n.StructDeclaratorList; l != nil; l = l.StructDeclaratorList {
		if err := w.member(n, s, l.StructDeclarator, l.StructDeclaratorList == nil); err != nil {
			return err
		}
	}
	return nil
}

// unnamed adds a struct or union whose members belong to the parent.
func (w *memberWalk) unnamed(n *cc.StructDeclaration, s specs) error {
	_, pos := place(n)
	u := use{pos: pos, item: within("unnamed member", w.u.item), depth: w.u.depth}
	f := w.field()
	if f == nil {
		return u.refuse("the front end has no such member")
	}
	if err := w.b.checkUnnamed(s, n, u); err != nil {
		return err
	}
	t, err := w.b.base(s, u)
	if err != nil {
		return err
	}
	w.members = append(w.members, model.Member{Type: t, Offset: model.N(f.Offset()), Size: model.N(f.Type().Size()), Pos: pos})
	return w.b.checkMember(t, f, u)
}

func (w *memberWalk) member(n *cc.StructDeclaration, s specs, d *cc.StructDeclarator, last bool) error {
	name := ""
	var at cc.Node = n
	if d.Declarator != nil {
		name, at = d.Declarator.Name(), d.Declarator
	}
	_, pos := place(at)
	u := use{at: at.Position(), pos: pos, item: within("member "+name, w.u.item), depth: w.u.depth}
	f := w.field()
	if f == nil || f.Name() != name {
		return u.refuse("the front end has another member here")
	}
	var attrs []*cc.AttributeSpecifierList
	if last && n.AttributeSpecifierList != nil {
		attrs = append(attrs, n.AttributeSpecifierList)
	}
	align, err := w.b.checkDeclarator(s, d, attrs, u)
	if err != nil {
		return err
	}
	t, err := w.b.base(s, u)
	if err != nil {
		return err
	}
	if t, err = w.b.declarator(t, d.Declarator, u); err != nil {
		return err
	}
	if f.IsBitfield() {
		return w.bitField(name, t, f, pos, u)
	}
	m := model.Member{Name: name, Type: t, Offset: model.N(f.Offset()), Size: model.N(f.Type().Size()), Pos: pos}
	if f.IsFlexibleArrayMember() && t.Kind == model.Array && t.Len < 0 {
		m.Size = model.N(0)
	}
	w.members = append(w.members, m)
	if err := w.b.reachType(t, u); err != nil {
		return err
	}
	if err := w.b.checkAligned(align, t, f, w.t, u); err != nil {
		return err
	}
	return w.b.checkMember(t, f, u)
}

func (w *memberWalk) field() *cc.Field {
	if w.next >= w.t.NumFields() {
		return nil
	}
	w.next++
	return w.t.FieldByIndex(w.next - 1)
}

// bitField adds a bit-field unless it only moves what follows.
func (w *memberWalk) bitField(name string, t model.Type, f *cc.Field, pos string, u use) error {
	if err := w.b.checkBitField(name, t, f, u); err != nil {
		return err
	}
	if name == "" {
		return nil
	}
	width := f.ValueBits()
	// The front end counts from the least significant bit of the unit through which it reaches the bit-field.
	first := 8*f.Offset() + int64(f.OffsetBits())
	if targets[w.b.arch].bigEndian {
		first = 8*f.Offset() + 8*f.AccessBytes() - int64(f.OffsetBits()) - width
	}
	w.members = append(w.members, model.Member{
		Name: name, Type: t, Pos: pos,
		Offset: model.N(first / 8),
		Size:   model.N((first%8 + width + 7) / 8), // the bytes it touches
		Bits:   &model.Bits{Pos: model.N(first), Width: int(width)},
	})
	return w.b.reachType(t, u)
}
