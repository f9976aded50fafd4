package bind

import (
	"github.com/goverbs/ibv/gen/model"
)

// findSizes notes which structs the library allocates, and which have not had the same size in all releases.
func (p *planner) findSizes() {
	for _, f := range p.in.Union.Funcs {
		p.allocated(&f.Result)
		for i := range f.Params {
			if t := &f.Params[i].Type; t.Kind == model.Pointer && t.Elem != nil && t.Elem.Kind == model.Pointer {
				p.allocated(t.Elem) // the caller gets a pointer
			}
		}
	}
	for _, m := range p.in.Records {
		for _, a := range m.Aggregates {
			if u := p.aggs[a.Name]; u != nil && !a.Opaque && !a.Size.Equal(u.Size) {
				p.grown[a.Name] = true
			}
		}
	}
}

func (p *planner) allocated(t *model.Type) {
	for t != nil && t.Kind == model.Pointer {
		t = t.Elem
	}
	if t != nil && t.Name != "" {
		p.made[t.Name] = true
	}
}

// grow tells whether the header may have another size for what a parameter of type t points to than Go has, and its caller
// allocates it.
func (p *planner) grow(t *model.Type) *Grow {
	if t.Kind != model.Pointer || t.Elem == nil {
		return nil
	}
	e := t.Elem
	a := p.aggs[e.Name]
	if a == nil || e.Kind != model.Struct && e.Kind != model.Union || a.Opaque || p.made[e.Name] || !p.grows(a) {
		return nil
	}
	return &Grow{Type: word(a) + " " + a.Name, Size: a.Size, In: e.Const}
}

func (p *planner) grows(a *model.Aggregate) bool {
	if said := p.in.Overlay.Structs[a.Name].Grows; said != nil {
		return *said
	}
	if p.grown[a.Name] {
		return true
	}
	for _, f := range a.Flat() {
		if f.Name == "comp_mask" {
			return true
		}
	}
	return false
}
