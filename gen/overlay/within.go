package overlay

import (
	"maps"
	"slices"

	"github.com/goverbs/ibv/gen/model"
)

// Within returns what o says about items that m has. It is o itself, unless o's entries were written for another header: of
// these, an older release or a header that includes only a part may lack some.
func (o *Overlay) Within(m *model.Model) *Overlay {
	if !o.inherited {
		return o
	}
	return o.Part(m)
}

// Part returns o without what m does not have.
func (o *Overlay) Part(m *model.Model) *Overlay {
	x := newIndex(m)
	p := &Overlay{Header: o.Header, Consts: o.Consts, inherited: o.inherited,
		Structs: map[string]Struct{}, Enums: map[string]Enum{}}
	for _, tag := range o.Front {
		if x.aggregates[tag] != nil {
			p.Front = append(p.Front, tag)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(o.Structs)) {
		if x.aggregates[tag] == nil {
			continue
		}
		s := o.Structs[tag]
		s.Members = maps.Clone(s.Members)
		for path, member := range s.Members {
			if member.Type != "" && x.enums[member.Type] == nil {
				member.Type = ""
				s.Members[path] = member
			}
		}
		p.Structs[tag] = s
	}
	for key, e := range o.Enums {
		if x.enums[key] != nil {
			p.Enums[key] = e
		}
	}
	return p
}
