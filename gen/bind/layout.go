package bind

import (
	"bytes"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
)

// asserts takes what the oldest record has, and leaves out what a later header may have otherwise: the marks of the next free
// value, members that only keep space, and structs that grow at their front, of which the distances from the end are kept.
func (p *planner) asserts() error {
	m := *p.oldest
	m.Consts = slices.DeleteFunc(slices.Clone(m.Consts), func(c model.Const) bool { return model.IsSentinel(c.Name) })
	m.Enums = slices.Clone(m.Enums)
	for i := range m.Enums {
		m.Enums[i].Enumerators = slices.DeleteFunc(slices.Clone(m.Enums[i].Enumerators),
			func(e model.Enumerator) bool { return model.IsSentinel(e.Name) })
	}
	front := func(a model.Aggregate) bool { return slices.Contains(p.in.Overlay.Front, a.Name) }
	m.Aggregates = slices.DeleteFunc(slices.Clone(m.Aggregates), front)
	for i := range m.Aggregates {
		m.Aggregates[i].Members = withoutReserved(m.Aggregates[i].Members)
	}
	p.pkg.Asserts = map[string][]string{}
	for _, arch := range model.Archs {
		var lines []string
		for line := range bytes.Lines(probe.Assertions(&m, arch, probe.AtLeast)) {
			if s := strings.TrimRight(string(line), "\n"); s != "" {
				lines = append(lines, s)
			}
		}
		p.pkg.Asserts[arch] = lines
	}
	for i := range p.oldest.Aggregates {
		if a := &p.oldest.Aggregates[i]; front(*a) && identifier.MatchString(a.Name) {
			p.fronts(a)
		}
	}
	return nil
}

func withoutReserved(members []model.Member) []model.Member {
	r := slices.DeleteFunc(slices.Clone(members), func(m model.Member) bool { return model.IsReserved(m.Name) })
	for i := range r {
		if b := r[i].Type.Body; b != nil {
			c := *b
			c.Members = withoutReserved(c.Members)
			r[i].Type.Body = &c
		}
	}
	return r
}

func (p *planner) fronts(a *model.Aggregate) {
	for _, f := range a.Flat() {
		if f.Bits == nil && identifier.MatchString(f.Name) && !model.IsReserved(f.Name) {
			p.pkg.Fronts = append(p.pkg.Fronts, Front{word(a) + " " + a.Name, f.Name, a.Size.Sub(f.At)})
		}
	}
}
