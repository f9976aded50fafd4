package plan

import (
	"go/token"

	"github.com/goverbs/ibv/gen/model"
)

func isKeyword(s string) bool { return token.IsKeyword(s) }

// names gives each type of the model its Go name, before anything refers to it.
func (p *planner) names() error {
	alias := map[string]string{}
	for _, a := range p.m.Aliases {
		if err := p.checkC(a.Pos, "alias", a.Name, a.Tag); err != nil {
			return err
		}
		if first, ok := alias[a.Tag]; !ok || a.Name < first {
			alias[a.Tag] = a.Name
		}
	}
	for i := range p.m.Enums {
		if err := p.nameEnum(&p.m.Enums[i], alias); err != nil {
			return err
		}
	}
	for i := range p.m.Aggregates {
		if err := p.nameAggregate(&p.m.Aggregates[i], alias); err != nil {
			return err
		}
	}
	for _, a := range p.m.Aliases {
		if p.goNames[a.Tag] == "" {
			return p.errorf(a.Pos, a.Name, "it stands for %s, which is not declared", a.Tag)
		}
		p.otherC[a.Tag] = append(p.otherC[a.Tag], a.Name)
	}
	return nil
}

func (p *planner) nameAggregate(a *model.Aggregate, alias map[string]string) error {
	if err := p.checkC(a.Pos, "struct or union", a.Name); err != nil {
		return err
	}
	if _, ok := p.goNames[a.Name]; ok {
		return p.errorf(a.Pos, a.Name, "declared twice")
	}
	name := typeName(a.Name, a.Typedef)
	if c := alias[a.Name]; c != "" {
		name = typeName(c, false)
	}
	// For an alias the overlay may use either name.
	for _, key := range []string{alias[a.Name], a.Name} {
		if s, ok := p.ov.Structs[key]; ok && s.Go != "" {
			name = s.Go
			break
		}
	}
	p.aggs[a.Name], p.goNames[a.Name] = a, name
	return p.addType(name, p.cName(a), a.Pos)
}

func (p *planner) nameEnum(e *model.Enum, alias map[string]string) error {
	key := enumKey(e)
	if err := p.checkC(e.Pos, "enum", key); err != nil {
		return err
	}
	if _, ok := p.goNames[key]; ok {
		return p.errorf(e.Pos, key, "declared twice")
	}
	p.enums[key] = e
	name := ""
	if e.Name != "" {
		name = typeName(e.Name, e.Typedef)
	}
	if c := alias[e.Name]; c != "" {
		name = typeName(c, false)
	}
	if g := p.enumOverlay(e).Go; g != "" {
		name = g
	}
	if name == "" {
		return nil
	}
	p.goNames[key] = name
	return p.addType(name, p.enumC(e), e.Pos)
}

func (p *planner) addType(name, c, pos string) error {
	if !token.IsExported(name) || !isC(name) {
		return p.errorf(pos, c, "%q is not an exported Go name", name)
	}
	return p.add(p.scope, name, c, pos)
}

// checkC refuses names that no C compiler takes: a damaged or hostile record could smuggle in anything.
func (p *planner) checkC(pos, kind string, names ...string) error {
	for _, n := range names {
		if !isC(n) {
			return p.errorf(pos, kind, "%q is not a C name", n)
		}
	}
	return nil
}

// cName is how C spells a.
func (p *planner) cName(a *model.Aggregate) string {
	switch {
	case a.Name == "" && a.Union:
		return "unnamed union"
	case a.Name == "":
		return "unnamed struct"
	case a.Typedef:
		return a.Name
	case a.Union:
		return "union " + a.Name
	}
	return "struct " + a.Name
}
