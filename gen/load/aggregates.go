package load

import (
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
	switch {
	case t.Size() < 0 || t.Align() < 1:
		return m, u.refuse("its size is not known")
	case t.Size() > maxSize:
		return m, u.refuse("too large: %d bytes", t.Size())
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
