package load

import (
	"fmt"
	"reflect"

	"github.com/goverbs/ibv/gen/model"
)

// join makes one model of those of the architectures, which must differ in sizes, alignments and offsets only.
func join(archs []string, models []*model.Model) (*model.Model, error) {
	out := models[0]
	if len(archs) == 1 {
		return out, nil
	}
	j := joiner{archs: archs}
	if err := j.lists(models); err != nil {
		return nil, err
	}
	for i := range out.Aggregates {
		same := make([]*model.Aggregate, len(models))
		for k, m := range models {
			same[k] = &m.Aggregates[i]
		}
		if err := j.aggregate(same); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A joiner merges numbers into the models of the first architecture.
type joiner struct{ archs []string }

// differ refuses an item that is not the same on two architectures.
func (j joiner) differ(pos, item string, k int, what string) error {
	return refusef(pos, item, "differs between %s and %s: %s", j.archs[0], j.archs[k], what)
}

// lists compares all that has no Num in it.
func (j joiner) lists(models []*model.Model) error {
	a := models[0]
	for k, b := range models[1:] {
		k++
		if err := sameNames(j, k, a.Aggregates, b.Aggregates, func(x model.Aggregate) (string, string) { return x.Name, x.Pos }); err != nil {
			return err
		}
		if err := sameItems(j, k, a.Enums, b.Enums, func(x model.Enum) (string, string) { return enumName(x), x.Pos }); err != nil {
			return err
		}
		if err := sameItems(j, k, a.Consts, b.Consts, func(x model.Const) (string, string) { return x.Name, x.Pos }); err != nil {
			return err
		}
		if err := sameItems(j, k, a.Aliases, b.Aliases, func(x model.Alias) (string, string) { return x.Name, x.Pos }); err != nil {
			return err
		}
		if err := sameItems(j, k, a.Funcs, b.Funcs, func(x model.Func) (string, string) { return x.Name, x.Pos }); err != nil {
			return err
		}
	}
	return nil
}

func enumName(e model.Enum) string {
	if e.Name == "" {
		return "enum of " + first(e)
	}
	return "enum " + e.Name
}

// sameNames refuses an item that only one architecture has.
func sameNames[T any](j joiner, k int, a, b []T, id func(T) (name, pos string)) error {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			name, pos := id(b[i])
			return j.differ(pos, name, k, "declared only on the latter")
		case i >= len(b):
			name, pos := id(a[i])
			return j.differ(pos, name, k, "declared only on the former")
		}
		an, apos := id(a[i])
		bn, bpos := id(b[i])
		switch {
		case an < bn:
			return j.differ(apos, an, k, "declared only on the former")
		case an > bn:
			return j.differ(bpos, bn, k, "declared only on the latter")
		}
	}
	return nil
}

// sameItems refuses an item that is not the same in every respect.
func sameItems[T any](j joiner, k int, a, b []T, id func(T) (name, pos string)) error {
	if err := sameNames(j, k, a, b, id); err != nil {
		return err
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			name, pos := id(a[i])
			return j.differ(pos, name, k, "its value or type")
		}
	}
	return nil
}

func (j joiner) num(at func(k int) *model.Num) {
	by := map[string]int64{}
	for k, arch := range j.archs {
		by[arch] = at(k).V
	}
	*at(0) = model.NumBy(by)
}

// aggregate merges one aggregate into that of the first architecture.
func (j joiner) aggregate(same []*model.Aggregate) error {
	a := same[0]
	name := a.Name
	if name == "" {
		name = "unnamed struct or union"
	}
	for k, b := range same[1:] {
		k++
		if a.Union != b.Union || a.Typedef != b.Typedef || a.Opaque != b.Opaque || len(a.Members) != len(b.Members) {
			return j.differ(a.Pos, name, k, "its members")
		}
		for i := range a.Members {
			x, y := a.Members[i], b.Members[i]
			if x.Name != y.Name || (x.Bits == nil) != (y.Bits == nil) || x.Bits != nil && x.Bits.Width != y.Bits.Width {
				return j.differ(x.Pos, name, k, fmt.Sprintf("member %s or %s", x.Name, y.Name))
			}
			if x.Type.Text() != y.Type.Text() {
				return j.differ(x.Pos, name, k, fmt.Sprintf("member %s is %q or %q", x.Name, x.Type.Text(), y.Type.Text()))
			}
		}
	}
	j.num(func(k int) *model.Num { return &same[k].Size })
	j.num(func(k int) *model.Num { return &same[k].Align })
	for i := range a.Members {
		if err := j.member(same, i); err != nil {
			return err
		}
	}
	return nil
}

func (j joiner) member(same []*model.Aggregate, i int) error {
	j.num(func(k int) *model.Num { return &same[k].Members[i].Offset })
	j.num(func(k int) *model.Num { return &same[k].Members[i].Size })
	if same[0].Members[i].Bits != nil {
		j.num(func(k int) *model.Num { return &same[k].Members[i].Bits.Pos })
	}
	if innermost(same[0].Members[i].Type).Body == nil {
		return nil
	}
	bodies := make([]*model.Aggregate, len(same))
	for k := range same {
		bodies[k] = innermost(same[k].Members[i].Type).Body
	}
	return j.aggregate(bodies)
}

// innermost follows pointers and arrays.
func innermost(t model.Type) model.Type {
	for t.Elem != nil {
		t = *t.Elem
	}
	return t
}
