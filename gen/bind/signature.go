package bind

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// signature fills in what Go passes and gets. A hidden function is called by the macro before it, so that what counts are the
// types of the inline that the macro leads to, where there is one: that has the function's name with underscores before it.
func (p *planner) signature(v *Verb, f *model.Func) error {
	if f.Variadic {
		return fmt.Errorf("it takes a variable number of arguments, which Go cannot pass")
	}
	if f.Kind == model.Macro {
		return fmt.Errorf("it is a macro, whose arguments have no types")
	}
	var err error
	if v.Result, err = p.typ(&f.Result, true); err != nil {
		return fmt.Errorf("its result: %w", err)
	}
	v.Params, err = p.params(f, p.behind(f))
	return err
}

// behind finds the inline that the macro before f leads to, or nil.
func (p *planner) behind(f *model.Func) *model.Func {
	if !f.Hidden {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.funcs)) {
		if g := p.funcs[name]; g.Kind == model.Inline && strings.HasPrefix(name, "_") && strings.TrimLeft(name, "_") == f.Name {
			return g
		}
	}
	return nil
}

// params are f's parameters, with the types that the same ones of as have, if that is given.
func (p *planner) params(f, as *model.Func) ([]Param, error) {
	r := []Param{}
	for i := range f.Params {
		a := &f.Params[i]
		t := &a.Type
		if as != nil {
			if j := slices.IndexFunc(as.Params, func(b model.Param) bool { return b.Name == a.Name }); j >= 0 {
				t = &as.Params[j].Type
			}
		}
		typ, err := p.typ(t, false)
		if err != nil {
			return nil, fmt.Errorf("its parameter %s: %w", a.Name, err)
		}
		r = append(r, Param{C: a.Name, Type: typ})
	}
	nameParams(r)
	return r, nil
}
