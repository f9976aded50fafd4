package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// Union joins the models of several releases of one header into one that serves them all. Each item and member says since
// which release it is there; what a newer release dropped stays. Of what changed, the newest form wins: layouts, which
// may only have grown, symbol versions, signatures and kinds of functions, values of sentinels (names ending in _RESERVED).
// front names structs that grow at their beginning: the distance of their members from the end must not change.
//
// A model without a release counts as newer than all, and what only it has gets no 'since'. A member that moved, shrank,
// grew or is gone, and a constant with another value, are errors; reserved members may be used up.
func Union(models []*model.Model, front []string) (*model.Model, error) {
	models = slices.Clone(models)
	slices.SortStableFunc(models, func(a, b *model.Model) int { return CompareReleases(b.Release, a.Release) })
	if err := joinable(models); err != nil {
		return nil, err
	}
	newest := models[0]
	u := &model.Model{Header: newest.Header, Release: newest.Release, Level: newest.Level, Kernel: newest.Kernel}
	var err error
	if u.Aggregates, err = joinAggregates(models, front); err != nil {
		return nil, err
	}
	if u.Enums, u.Consts, err = joinConstants(models); err != nil {
		return nil, err
	}
	joinNamed(models, u)
	sortLists(u)
	if err := Check(u); err != nil {
		return nil, fmt.Errorf("the union of %s: %w", releases(models), err)
	}
	return u, nil
}

func joinable(models []*model.Model) error {
	if len(models) == 0 {
		return errors.New("no ABI records to join")
	}
	for i, m := range models[1:] {
		if m.Header != models[0].Header {
			return fmt.Errorf("records of different headers: %s and %s", models[0].Header, m.Header)
		}
		if CompareReleases(m.Release, models[i].Release) == 0 {
			return fmt.Errorf("two records of the same release: %s", releaseName(m.Release))
		}
	}
	return nil
}

// releaseName names a release in messages.
func releaseName(r string) string { return cmp.Or(r, "the header without a release") }

func releases(models []*model.Model) string {
	var names []string
	for _, m := range models {
		names = append(names, releaseName(m.Release))
	}
	return strings.Join(names, ", ")
}

// joinNamed joins functions and aliases: the newest of each name. A name that a newer release declares as a type is no
// alias any more.
func joinNamed(models []*model.Model, u *model.Model) {
	funcs, aliases := map[string]int{}, map[string]int{}
	types := map[string]bool{}
	for _, a := range u.Aggregates {
		types[a.Name] = true
	}
	for _, e := range u.Enums {
		types[e.Name] = true
	}
	for _, m := range models {
		for _, f := range m.Funcs {
			if _, ok := funcs[f.Name]; !ok {
				funcs[f.Name] = len(u.Funcs)
				f.Params = slices.Clone(f.Params)
				u.Funcs = append(u.Funcs, f)
			}
			u.Funcs[funcs[f.Name]].Since = m.Release
		}
		for _, a := range m.Aliases {
			if types[a.Name] {
				continue
			}
			if _, ok := aliases[a.Name]; !ok {
				aliases[a.Name] = len(u.Aliases)
				u.Aliases = append(u.Aliases, a)
			}
			u.Aliases[aliases[a.Name]].Since = m.Release
		}
	}
}

// sortLists puts m's lists in their order: by name, untagged enums by their first enumerator.
func sortLists(m *model.Model) {
	slices.SortFunc(m.Aggregates, func(a, b model.Aggregate) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Enums, func(a, b model.Enum) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(enumName(&a), enumName(&b)))
	})
	slices.SortFunc(m.Consts, func(a, b model.Const) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Aliases, func(a, b model.Alias) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Funcs, func(a, b model.Func) int { return cmp.Compare(a.Name, b.Name) })
}
