package load

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// layout is what the front end's struct and union types have in common.
type layout interface {
	cc.Type
	NumFields() int
	FieldByIndex(int) *cc.Field
}

// keyword is how C spells an aggregate.
func (a *aggregate) String() string {
	word := "struct"
	if a.union {
		word = "union"
	}
	switch {
	case a.name == "":
		return "unnamed " + word
	case a.typedef:
		return word + " typedef " + a.name
	}
	return word + " " + a.name
}

// ownAggregates puts the header's own named structs and unions on the work list.
func (b *builder) ownAggregates() error {
	for _, a := range b.decls.aggregates {
		if a.name != "" && b.in.own.owns(a.file) {
			b.reach(a, byValue)
		}
	}
	return b.drain()
}

// reach puts an aggregate into the model, if it is not there as fully already.
func (b *builder) reach(a *aggregate, how reach) {
	if how == byPointer && b.in.own.owns(a.file) {
		how = byValue
	}
	if a.state >= how {
		return
	}
	a.state = how
	if how == byValue {
		b.work = append(b.work, a)
	}
}

// reached finishes the work list and adds the opaque aggregates.
func (b *builder) reached() error {
	if err := b.drain(); err != nil {
		return err
	}
	for _, a := range b.decls.aggregates {
		if a.state == byPointer {
			b.out.Aggregates = append(b.out.Aggregates,
				model.Aggregate{Name: a.name, Union: a.union, Typedef: a.typedef, Opaque: true, Pos: a.pos})
		}
	}
	return nil
}

func (b *builder) drain() error {
	for len(b.work) > 0 {
		a := b.work[0]
		b.work = b.work[1:]
		m, err := b.aggregate(a, use{pos: a.pos, item: a.String()})
		if err != nil {
			return err
		}
		b.out.Aggregates = append(b.out.Aggregates, m)
	}
	return nil
}

// aggregate describes a struct or union.
func (b *builder) aggregate(a *aggregate, u use) (model.Aggregate, error) {
	m := model.Aggregate{Name: a.name, Union: a.union, Typedef: a.typedef, Pos: a.pos}
	if a.spec == nil {
		m.Opaque = true
		return m, nil
	}
	t, ok := a.spec.Type().(layout)
	if !ok {
		return m, u.refuse("the front end does not know it")
	}
	m.Size, m.Align = model.N(t.Size()), model.N(int64(t.Align()))
	if isSubstitute(a.file) { // only its size is the target's
		return m, nil
	}
	if err := b.checkAggregate(a, u); err != nil {
		return m, err
	}
	w := memberWalk{b: b, a: a, t: t, u: u}
	for l := a.spec.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		if err := w.declaration(l.StructDeclaration); err != nil {
			return m, err
		}
	}
	if w.next != t.NumFields() {
		return m, u.refuse("the front end counts %d members, there are %d", t.NumFields(), w.next)
	}
	if t.Size() < 0 || t.Align() < 1 {
		return m, u.refuse("its size is not known")
	}
	m.Members = w.members
	return m, checkNames(m, u)
}

// checkNames refuses two members of one name, which the front end accepts.
func checkNames(m model.Aggregate, u use) error {
	seen := map[string]string{}
	var walk func(members []model.Member) error
	walk = func(members []model.Member) error {
		for _, f := range members {
			if f.Name == "" {
				if f.Type.Body != nil {
					if err := walk(f.Type.Body.Members); err != nil {
						return err
					}
				}
				continue
			}
			if _, dup := seen[f.Name]; dup {
				return refusef(f.Pos, u.item, "two members named %s", f.Name)
			}
			seen[f.Name] = f.Pos
		}
		return nil
	}
	return walk(m.Members)
}

// A memberWalk goes through the members of an aggregate in step with the front end's fields.
type memberWalk struct {
	b       *builder
	a       *aggregate
	t       layout
	u       use
	next    int // index of the next field
	members []model.Member
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
	u := use{pos: pos, item: "unnamed member of " + w.u.item, depth: w.u.depth}
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
	u := use{at: at.Position(), pos: pos, item: fmt.Sprintf("member %s of %s", name, w.u.item), depth: w.u.depth}
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

// reachType brings in what a type names: in full what it holds, by name what it points to.
func (b *builder) reachType(t model.Type, u use) error {
	how := byValue
	p := &t
	for p.Elem != nil {
		if p.Kind == model.Pointer {
			how = byPointer
		}
		p = p.Elem
	}
	switch p.Kind {
	case model.Struct, model.Union:
		if p.Body != nil {
			return nil
		}
		a := b.lookup(*p)
		if a == nil { // first named among the parameters of a function
			a = &aggregate{name: p.Name, union: p.Kind == model.Union, pos: u.pos}
			b.decls.tags[p.Name] = a
			b.decls.aggregates = append(b.decls.aggregates, a)
		}
		if how == byValue && (a.spec == nil || !b.complete(a, u)) {
			return u.refuse("%s has no definition before", a)
		}
		b.reach(a, how)
	case model.EnumRef:
		e := b.findEnum(p.Name)
		if e == nil {
			if how == byPointer {
				return nil
			}
			return u.refuse("enum %s has no definition", p.Name)
		}
		return b.addEnum(e)
	}
	return nil
}

// complete reports whether the definition of a ends before the use of it. Of definitions in two files that include each other
// the front end refuses the impossible.
func (b *builder) complete(a *aggregate, u use) bool {
	end := a.spec.Token3.Position()
	return u.at.Filename != end.Filename || u.at.Offset > end.Offset
}

// lookup finds the aggregate that a type names.
func (b *builder) lookup(t model.Type) *aggregate {
	if a := b.decls.tags[t.Name]; a != nil && t.Typedef != t.Name {
		return a
	}
	for _, a := range b.decls.aggregates {
		if a.typedef && a.name == t.Name {
			return a
		}
	}
	return b.decls.tags[t.Name]
}

func (b *builder) findEnum(name string) *enum {
	if e := b.decls.enums[name]; e != nil {
		return e
	}
	for _, e := range b.decls.enumList {
		if e.typedef && e.name == name {
			return e
		}
	}
	return nil
}
