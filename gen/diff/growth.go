package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// growth judges a change of size. A program built with the old header allocates the old size, so a struct may grow only
// where the library can tell how much there is.
func (p *pair) growth() {
	o, n := span(p.o.Size, p.n.Size)
	ch := Change{Item: p.item, Old: "size " + o, New: n}
	switch sign(p.n.Size.Sub(p.o.Size)) {
	case -1:
		p.c.add(ChangedLayout, Incompatible, ch)
	case 1:
		if ch.Note = p.extensible(); ch.Note != "" {
			p.c.add(GrownStruct, Compatible, ch)
			return
		}
		if ch.Note = p.c.inArrays(p.o); ch.Note != "" {
			p.c.add(GrownInArrays, Incompatible, ch)
			return
		}
		if _, mask := p.oldOf["comp_mask"]; mask {
			ch.Note = "comp_mask tells which members count"
			p.c.add(GrownStruct, Compatible, ch)
			return
		}
		ch.Note = "callers allocate it, and nothing tells the library its size"
		p.c.add(GrownStruct, Incompatible, ch)
	}
}

// extensible says why the aggregate may grow even in arrays, or returns "". A mask is not enough for that.
func (p *pair) extensible() string {
	switch {
	case slices.Contains(p.c.opts.Extensible, p.o.Name):
		return "it may grow, by the overlay"
	case p.front:
		return "it grows at its front and tells its size"
	}
	if f := p.c.old.maker(p.o); f != "" {
		return "the library allocates it: " + f
	}
	if f := p.c.old.wrapper(p.o); f != "" {
		return "the header passes its size: macro " + f
	}
	return ""
}

// points reports whether t is that many pointers to a.
func points(t model.Type, a *model.Aggregate, times int) bool {
	for ; times > 0; times-- {
		if t.Kind != model.Pointer {
			return false
		}
		t = *t.Elem
	}
	kind := model.Struct
	if a.Union {
		kind = model.Union
	}
	return t.Kind == kind && t.Name == a.Name
}

// maker returns a function that hands out objects of type a: one that returns a pointer to it, or stores one through a
// parameter and takes none itself.
func (s sideModel) maker(a *model.Aggregate) string {
	for _, f := range s.Funcs {
		if points(f.Result, a, 1) || points(f.Result, a, 2) {
			return f.Name
		}
	}
	for _, f := range s.Funcs {
		stores := slices.ContainsFunc(f.Params, func(q model.Param) bool { return points(q.Type, a, 2) })
		takes := slices.ContainsFunc(f.Params, func(q model.Param) bool { return points(q.Type, a, 1) })
		if stores && !takes {
			return f.Name
		}
	}
	return ""
}

// wrapper returns a function that stands behind a macro of its name, where the macro's inline function takes a pointer to a:
// such a macro is there to pass the size. It returns "" if an exported function without a macro takes one too.
func (s sideModel) wrapper(a *model.Aggregate) string {
	hidden := map[string]bool{}
	for _, f := range s.Funcs {
		hidden[f.Name] = f.Hidden
	}
	name := ""
	for _, f := range s.Funcs {
		if !slices.ContainsFunc(f.Params, func(q model.Param) bool { return points(q.Type, a, 1) }) {
			continue
		}
		behind := strings.TrimLeft(f.Name, "_")
		switch {
		case hidden[behind]:
			name = behind
		case f.Kind == model.Exported:
			return ""
		}
	}
	return name
}

// inArrays says where arrays of a cross the border to the library, or returns "".
func (c *comparison) inArrays(a *model.Aggregate) string {
	for _, s := range []sideModel{c.new, c.old} {
		if why := s.inArrays(a); why != "" {
			return why
		}
	}
	return ""
}

func (s sideModel) inArrays(a *model.Aggregate) string {
	for _, f := range s.Funcs {
		if q := counted(a, f.Params, func(q model.Param) (string, model.Type) { return q.Name, q.Type }); q != "" {
			return fmt.Sprintf("%s takes %s of them", f.Name, q)
		}
	}
	for i := range s.Aggregates {
		members := s.Aggregates[i].Flat()
		for _, f := range members {
			if f.Type.Kind == model.Array && points(*f.Type.Elem, a, 0) {
				return fmt.Sprintf("%s.%s is an array of them", s.Aggregates[i].Name, f.Name)
			}
		}
		if q := counted(a, members, func(f model.Flat) (string, model.Type) { return f.Name, f.Type }); q != "" {
			return fmt.Sprintf("%s holds %s of them", s.Aggregates[i].Name, q)
		}
	}
	return ""
}

// counted looks in a list of parameters or members for a number of things and, next to it, a pointer to a. A number belongs to
// the pointer after it or, if none follows, to the one before it.
func counted[T any](a *model.Aggregate, list []T, of func(T) (string, model.Type)) string {
	typ := func(i int) model.Type {
		if i < 0 || i >= len(list) {
			return model.Type{}
		}
		_, t := of(list[i])
		return t
	}
	for i, v := range list {
		name, t := of(v)
		if !counts(name, t) {
			continue
		}
		at := i + 1
		if typ(at).Kind != model.Pointer {
			at = i - 1
		}
		if points(typ(at), a, 1) {
			return name
		}
	}
	return ""
}

// counts tells whether an integer beside a pointer is the number of things there. Names that only end in _num are not:
// port_num.
func counts(name string, t model.Type) bool {
	if t.Kind != model.Scalar || model.Scalars[t.Name].Float {
		return false
	}
	for _, begin := range []string{"num_", "n_", "nr_", "max_", "nents"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	for _, end := range []string{"_cnt", "_count", "_entries", "_len"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return slices.Contains([]string{"num", "n", "cnt", "count", "entries", "nwc", "len"}, name)
}
