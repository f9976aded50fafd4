package plan

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// planTypes lays out every aggregate on every architecture. What comes out the same goes into the common file, the rest
// into the files of the architectures.
func (p *planner) planTypes() error {
	for i := range p.m.Aggregates {
		a := &p.m.Aggregates[i]
		shapes := map[string]*shape{}
		for _, arch := range p.pkg.Archs {
			l := &layouter{planner: p, arch: arch, busy: map[string]bool{}}
			s, err := l.declared(a.Name, place{pos: a.Pos, item: p.cName(a)})
			if err != nil {
				return err
			}
			shapes[arch] = s
		}
		if err := p.merge(a, shapes); err != nil {
			return err
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(p.otherC)) {
		for _, c := range p.otherC[tag] {
			if err := p.otherName(tag, c); err != nil {
				return err
			}
		}
	}
	byName := func(a, b Type) int { return strings.Compare(a.Go, b.Go) }
	slices.SortFunc(p.pkg.Types, byName)
	for _, arch := range p.pkg.Archs {
		slices.SortFunc(p.pkg.ArchTypes[arch], byName)
	}
	return nil
}

// otherName declares c, which stands for a type whose Go name comes from another alias.
func (p *planner) otherName(tag, c string) error {
	goName := p.goNames[tag]
	if typeName(c, false) == goName || slices.Min(p.otherC[tag]) == c {
		return nil
	}
	t := Type{Go: typeName(c, false), AliasOf: goName, C: []string{c}, Doc: wrap(typeName(c, false) + " is " + c + ", another name of " +
		tag + ".")}
	p.pkg.Types = append(p.pkg.Types, t)
	return p.addType(t.Go, c, "")
}

func (p *planner) merge(a *model.Aggregate, shapes map[string]*shape) error {
	first := shapes[p.pkg.Archs[0]]
	declared := map[string]bool{p.goNames[a.Name]: true}
	for _, arch := range p.pkg.Archs {
		for _, t := range shapes[arch].types {
			if declared[t.Go] {
				continue
			}
			declared[t.Go] = true
			if err := p.add(p.scope, t.Go, p.cName(a)+" (a part of it)", a.Pos); err != nil {
				return err
			}
		}
	}
	same := true
	for _, arch := range p.pkg.Archs {
		same = same && sameTypes(first.types, shapes[arch].types)
	}
	if same {
		p.pkg.Types = append(p.pkg.Types, p.joinTypes(shapes)...)
	} else {
		for _, arch := range p.pkg.Archs {
			p.pkg.ArchTypes[arch] = append(p.pkg.ArchTypes[arch], shapes[arch].types...)
		}
	}
	p.mergeChecks(shapes)
	return nil
}

// mergeChecks tells assertions that hold everywhere from the others.
func (p *planner) mergeChecks(shapes map[string]*shape) {
	count := map[Check]int{}
	for _, s := range shapes {
		for _, c := range s.checks {
			count[c]++
		}
	}
	for i, arch := range p.pkg.Archs {
		for _, c := range shapes[arch].checks {
			switch {
			case count[c] < len(p.pkg.Archs):
				p.pkg.ArchChecks[arch] = append(p.pkg.ArchChecks[arch], c)
			case i == 0:
				p.pkg.Checks = append(p.pkg.Checks, c)
			}
		}
	}
}

// sameTypes reports whether two architectures have the same Go declarations.
func sameTypes(a, b []Type) bool {
	return slices.EqualFunc(a, b, func(x, y Type) bool { return reflect.DeepEqual(withoutNumbers(x), withoutNumbers(y)) })
}

// withoutNumbers is t without the numbers that its Go source does not have.
func withoutNumbers(t Type) Type {
	t.Size, t.Align = model.Num{}, model.Num{}
	t.Fields = slices.Clone(t.Fields)
	for i := range t.Fields {
		t.Fields[i].Offset, t.Fields[i].Size = model.Num{}, model.Num{}
	}
	return t
}

// joinTypes makes one declaration with the numbers of all architectures.
func (p *planner) joinTypes(shapes map[string]*shape) []Type {
	r := slices.Clone(shapes[p.pkg.Archs[0]].types)
	join := func(get func(s *shape) int64) model.Num {
		by := map[string]int64{}
		for arch, s := range shapes {
			by[arch] = get(s)
		}
		return model.NumBy(by)
	}
	for i := range r {
		t := &r[i]
		t.Size = join(func(s *shape) int64 { return s.types[i].Size.V })
		t.Align = join(func(s *shape) int64 { return s.types[i].Align.V })
		t.Fields = slices.Clone(t.Fields)
		for j := range t.Fields {
			t.Fields[j].Offset = join(func(s *shape) int64 { return s.types[i].Fields[j].Offset.V })
			t.Fields[j].Size = join(func(s *shape) int64 { return s.types[i].Fields[j].Size.V })
		}
	}
	return r
}
