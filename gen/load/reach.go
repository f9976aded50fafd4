package load

import "github.com/goverbs/ibv/gen/model"

// reach puts an aggregate into the model, if it is not there as fully already.
func (b *builder) reach(a *aggregate, how reach) {
	if how == byPointer && b.in.own.owns(a.file) {
		how = byValue
	}
	if b.dry || a.state >= how {
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
