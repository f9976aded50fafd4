package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

// enumKey identifies an enum: by its name or, without one, by its first enumerator.
func enumKey(e *model.Enum) string {
	if e.Name != "" || len(e.Enumerators) == 0 {
		return e.Name
	}
	return e.Enumerators[0].Name
}

func (p *planner) enumC(e *model.Enum) string {
	switch {
	case e.Name == "":
		return "the enum of " + enumKey(e)
	case e.Typedef:
		return e.Name
	}
	return "enum " + e.Name
}

// enumOverlay is what the overlay says of e, under its own name or an alias.
func (p *planner) enumOverlay(e *model.Enum) overlay.Enum {
	if o, ok := p.ov.Enums[enumKey(e)]; ok {
		return o
	}
	for _, a := range p.m.Aliases {
		if o, ok := p.ov.Enums[a.Name]; ok && a.Tag == e.Name {
			return o
		}
	}
	return overlay.Enum{}
}

// enumFor finds the enum that the overlay means: by its name, an alias or its first enumerator.
func (p *planner) enumFor(key string) (*model.Enum, string) {
	if e := p.enums[key]; e != nil {
		return e, p.goNames[key]
	}
	for _, a := range p.m.Aliases {
		if a.Name == key {
			return p.enums[a.Tag], p.goNames[a.Tag]
		}
	}
	return nil, ""
}

// planEnums makes a type of each enum with a name, and a group of plain constants of each other one.
func (p *planner) planEnums() error {
	for i := range p.m.Enums {
		e := &p.m.Enums[i]
		goName := p.goNames[enumKey(e)]
		group, err := p.enumGroup(e, goName)
		if err != nil {
			return err
		}
		if goName == "" {
			p.pkg.Groups = append(p.pkg.Groups, group)
			continue
		}
		if e.Size != 1 && e.Size != 2 && e.Size != 4 && e.Size != 8 {
			return p.errorf(e.Pos, p.enumC(e), "no Go integer has %d bytes", e.Size)
		}
		p.pkg.Enums = append(p.pkg.Enums, p.enumType(e, goName, group))
	}
	slices.SortFunc(p.pkg.Enums, func(a, b Enum) int { return strings.Compare(a.Go, b.Go) })
	return nil
}

func (p *planner) enumType(e *model.Enum, goName string, group Group) Enum {
	ov := p.enumOverlay(e)
	r := Enum{Go: goName, Under: integer(e.Size, e.Signed), Signed: e.Signed, Flags: p.isFlags(e), Group: group}
	r.C = append([]string{p.enumC(e)}, p.otherC[e.Name]...)
	p.pkg.Helpers.Flags = p.pkg.Helpers.Flags || r.Flags
	p.pkg.Checks = append(p.pkg.Checks, Check{What: CheckEnum, Type: goName, Want: e.Size})
	what := ""
	if r.Flags {
		what = ", a set of flags"
	}
	r.Doc = wrap(fmt.Sprintf("%s is %s (%s%s)%s.", goName, list(r.C), bytesText(model.N(e.Size), p.pkg.Archs), what,
		p.history.since(e.Since)), ov.Doc)
	r.Names = stringNames(e, group, ov)
	return r
}

// stringNames picks the name of each value: the first one, unless that only marks the end of a list.
func stringNames(e *model.Enum, group Group, ov overlay.Enum) []Name {
	var r []Name
	seen := map[model.Value]bool{}
	for _, sentinels := range []bool{false, true} {
		for i, v := range e.Enumerators {
			if (sentinelReason(e, ov, v) != "") == sentinels && !seen[v.Value] {
				seen[v.Value] = true
				r = append(r, Name{v.Value, group.Consts[i].Go, v.Name})
			}
		}
	}
	slices.SortStableFunc(r, func(a, b Name) int { return compareValues(a.Value, b.Value) })
	return r
}

func compareValues(a, b model.Value) int {
	switch {
	case a == b:
		return 0
	case a.Neg() != b.Neg():
		if a.Neg() {
			return -1
		}
		return 1
	case a.Uint64() < b.Uint64(): // in two's complement -2 is below -1
		return -1
	}
	return 1
}

func (p *planner) enumGroup(e *model.Enum, goName string) (Group, error) {
	ov := p.enumOverlay(e)
	g := Group{Doc: wrap(fmt.Sprintf("Values of %s.", list(append([]string{p.enumC(e)}, p.otherC[e.Name]...))))}
	if goName == "" {
		g.Doc = wrap(fmt.Sprintf("Values of an enum without a name%s.", p.history.since(e.Since)), ov.Doc)
	}
	flags := p.isFlags(e)
	for _, v := range e.Enumerators {
		if err := p.checkC(v.Pos, p.enumC(e), v.Name); err != nil {
			return g, err
		}
		c := Const{Go: constName(v.Name), C: v.Name, Type: goName, Value: v.Value, Text: valueText(v.Value, flags)}
		if e.Name == "" {
			c.Text = macroText(v.Name, v.Value)
		}
		if err := p.add(p.scope, c.Go, "enumerator "+v.Name, v.Pos); err != nil {
			return g, err
		}
		deprecated := ""
		if why := sentinelReason(e, ov, v); why != "" {
			deprecated = "Deprecated: " + why
		}
		text := ov.Values[v.Name].Doc
		if text == "" && deprecated != "" {
			text = c.Go + " marks where the next value will stand."
		}
		c.Doc = wrap(text, deprecated)
		c.Note = p.history.note(v.Since, e.Since)
		g.Consts = append(g.Consts, c)
	}
	return g, nil
}

// sentinelReason says why v is nothing to use, or is empty. Unless the overlay knows, an enumerator that ends in
// _RESERVED and is above all others counts as the mark of the next free value.
func sentinelReason(e *model.Enum, ov overlay.Enum, v model.Enumerator) string {
	if why := ov.Values[v.Name].Sentinel; why != "" {
		return why
	}
	if !strings.HasSuffix(v.Name, "_RESERVED") {
		return ""
	}
	for _, o := range e.Enumerators {
		if compareValues(o.Value, v.Value) > 0 {
			return ""
		}
	}
	return "it marks the next free value, moves from release to release, and the library refuses it."
}
