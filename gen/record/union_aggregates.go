package record

import (
	"fmt"
	"slices"

	"github.com/goverbs/ibv/gen/model"
)

// A version is one release's form of an aggregate.
type version struct {
	release string
	*model.Aggregate
	flat map[string]model.Flat
}

func newVersion(release string, a *model.Aggregate) version {
	v := version{release, a, map[string]model.Flat{}}
	for _, f := range a.Flat() {
		v.flat[f.Name] = f
	}
	return v
}

// joinAggregates joins the structs and unions of models, which come newest first.
func joinAggregates(models []*model.Model, front []string) ([]model.Aggregate, error) {
	versions := map[string][]version{}
	var names []string
	aliased := map[string]bool{}
	for _, m := range models {
		for i := range m.Aggregates {
			a := &m.Aggregates[i]
			if aliased[a.Name] {
				continue // a newer release made the name an alias
			}
			if versions[a.Name] == nil {
				names = append(names, a.Name)
			}
			versions[a.Name] = append(versions[a.Name], newVersion(m.Release, a))
		}
		for _, a := range m.Aliases {
			aliased[a.Name] = true
		}
	}
	var r []model.Aggregate
	for _, name := range names {
		a, err := joinVersions(versions[name], slices.Contains(front, name))
		if err != nil {
			return nil, err
		}
		r = append(r, a)
	}
	return r, nil
}

// joinVersions joins one aggregate's versions, newest first: the newest form that has members.
func joinVersions(vs []version, front bool) (model.Aggregate, error) {
	best := 0
	if i := slices.IndexFunc(vs, func(v version) bool { return !v.Opaque }); i > 0 {
		best = i
	}
	out := clone(vs[best].Aggregate)
	for _, old := range vs[best+1:] {
		if old.Opaque {
			continue
		}
		if err := grown(old, vs[best], front); err != nil {
			return out, fmt.Errorf("%s %s: %w", what(&out), out.Name, err)
		}
	}
	out.Since = vs[len(vs)-1].release
	datedMembers(&out, vs)
	return out, nil
}

// grown reports whether now is old, or old with more members.
func grown(old, now version, front bool) error {
	rel := func(o, n string) string {
		return fmt.Sprintf("%s in %s, %s in %s", o, releaseName(old.release), n, releaseName(now.release))
	}
	if old.Union != now.Union {
		return fmt.Errorf("%s", rel(what(old.Aggregate), what(now.Aggregate)))
	}
	if !old.Align.Equal(now.Align) {
		return fmt.Errorf("alignment %s", rel(old.Align.String(), now.Align.String()))
	}
	growth := now.Size.Sub(old.Size)
	for _, arch := range model.Archs {
		if growth.At(arch) < 0 {
			return fmt.Errorf("size %s", rel(old.Size.String(), now.Size.String()))
		}
	}
	if !front {
		growth = model.N(0)
	}
	for _, f := range old.Flat() {
		n, ok := now.flat[f.Name]
		switch {
		case model.IsReserved(f.Name):
			continue
		case !ok:
			return fmt.Errorf("member %s: in %s, not in %s", f.Name, releaseName(old.release), releaseName(now.release))
		case !f.At.Add(growth).Equal(n.At):
			return fmt.Errorf("member %s: offset %s", f.Name, rel(f.At.String(), n.At.String()))
		case !f.Size.Equal(n.Size):
			return fmt.Errorf("member %s: size %s", f.Name, rel(f.Size.String(), n.Size.String()))
		case bitText(f) != bitText(n):
			return fmt.Errorf("member %s: %s", f.Name, rel(bitText(f), bitText(n)))
		}
		if o, n := f.Type.Unnamed(), n.Type.Unnamed(); o != nil && n != nil {
			if err := grown(newVersion(old.release, o), newVersion(now.release, n), false); err != nil {
				return fmt.Errorf("member %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// bitText says which bits f takes.
func bitText(f model.Flat) string {
	if f.Bits == nil {
		return "no bit-field"
	}
	return fmt.Sprintf("%d bits at bit %s", f.Bits.Width, f.Bit)
}

// datedMembers sets the members' 'since', from versions that come newest first.
func datedMembers(a *model.Aggregate, vs []version) {
	for i := range a.Members {
		m := &a.Members[i]
		body := m.Type.Unnamed()
		if m.Name == "" {
			datedMembers(body, vs)
			m.Since = oldest(body)
			continue
		}
		var bodies []version
		for _, v := range vs {
			f, ok := v.flat[m.Name]
			if !ok {
				continue
			}
			m.Since = v.release
			if b := f.Type.Unnamed(); b != nil {
				bodies = append(bodies, newVersion(v.release, b))
			}
		}
		if body != nil {
			datedMembers(body, bodies)
		}
	}
}

// oldest returns the oldest 'since' of a's members.
func oldest(a *model.Aggregate) string {
	r := ""
	for _, m := range a.Members {
		if CompareReleases(m.Since, r) < 0 {
			r = m.Since
		}
	}
	return r
}

// clone copies a and all that belongs to it alone.
func clone(a *model.Aggregate) model.Aggregate {
	c := *a
	c.Members = slices.Clone(a.Members)
	for i := range c.Members {
		c.Members[i].Type = cloneType(c.Members[i].Type)
	}
	return c
}

func cloneType(t model.Type) model.Type {
	if t.Elem != nil {
		e := cloneType(*t.Elem)
		t.Elem = &e
	}
	if t.Body != nil {
		b := clone(t.Body)
		t.Body = &b
	}
	return t
}
