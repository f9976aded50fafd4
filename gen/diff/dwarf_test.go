package diff_test

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/internal/headers"
	"github.com/goverbs/ibv/internal/oracle"
)

// A side is what gcc's DWARF says of one header, by name: a struct's size, a member's place, an enumerator's value.
type side struct {
	all   map[string]string
	owned map[string]bool // declared in rdma-core's own headers
}

// front are the structs whose members count from the end.
var front = []string{"verbs_context"}

func dwarf(t *testing.T, release, header string) side {
	s := side{map[string]string{}, map[string]bool{}}
	types := oracle.DWARF(t, []string{"gcc"}, []string{headers.Include(t, release)}, header)
	for i := range types.Aggregates {
		a := &types.Aggregates[i]
		if a.Name == "" || a.Declared {
			continue
		}
		kind := "struct "
		if a.Union {
			kind = "union "
		}
		base := int64(0)
		if slices.Contains(front, a.Name) {
			base = -a.Size
		}
		s.put(kind+a.Name, fmt.Sprint(a.Size), a.File)
		s.members(kind+a.Name+".", a, base, a.File)
	}
	for _, e := range types.Enums {
		if e.Name != "" {
			s.put("enum "+e.Name, "", e.File)
		}
		for _, x := range e.Enumerators {
			s.put(x.Name, x.Value, e.File)
		}
	}
	return s
}

// put notes one name; several declared ones, of which only one has members, do not come here.
func (s side) put(name, value, file string) {
	s.all[name] = value
	dir := path.Base(path.Dir(file))
	own := []string{"rdma_cma.h", "rdma_verbs.h", "rdma_cma_abi.h", "rsocket.h"}
	if dir == "infiniband" || dir == "rdma" && slices.Contains(own, path.Base(file)) {
		s.owned[name] = true
	}
}

func (s side) members(prefix string, a *oracle.Aggregate, base int64, file string) {
	for i := range a.Members {
		m := &a.Members[i]
		switch {
		case m.Name == "" && m.Body != nil:
			s.members(prefix, m.Body, base+m.Offset, file)
			continue
		case m.Body != nil:
			s.members(prefix+m.Name+".", m.Body, 0, file)
		}
		s.put(prefix+m.Name, fmt.Sprintf("%d+%d", base+m.Offset, m.Size), file)
	}
}

// changes returns the names that differ and how, of those that keep chooses.
func changes(old, new side, keep func(string) bool) []string {
	names := maps.Clone(old.all)
	maps.Copy(names, new.all)
	var r []string
	for name := range names {
		o, inOld := old.all[name]
		n, inNew := new.all[name]
		switch {
		case !keep(name):
		case !inOld && !partOf(name, old.all, new.all):
			r = append(r, "added "+name+" "+n)
		case inOld && !inNew && !partOf(name, new.all, old.all):
			r = append(r, "removed "+name)
		case inOld && inNew && o != n:
			r = append(r, "changed "+name+" "+o+" "+n)
		}
	}
	slices.Sort(r)
	return r
}

// partOf reports whether name belongs to something that is itself not in here: it needs no line of its own.
func partOf(name string, here, there map[string]string) bool {
	for i := range name {
		if name[i] != '.' {
			continue
		}
		_, h := here[name[:i]]
		_, th := there[name[:i]]
		if th && !h {
			return true
		}
	}
	return false
}

var (
	offsetText = regexp.MustCompile(`^offset (\d+), size (\d+)`)
	firstInt   = regexp.MustCompile(`-?\d+`)
)

// told returns the same of a report, for names that DWARF knows.
func told(t *testing.T, r *diff.Report, old, new *model.Model, keep func(string) bool) []string {
	set := map[string]bool{}
	sizes := map[string][2]string{}
	for _, c := range r.Changes {
		name := c.Item
		if c.Member != "" {
			name += "." + c.Member
		}
		if !keep(name) || strings.HasSuffix(name, "()") {
			continue
		}
		switch c.Kind {
		case diff.AddedName:
			value := firstInt.FindString(c.New)
			if strings.HasPrefix(name, "enum ") {
				value = ""
			}
			set["added "+name+" "+value] = true
		case diff.AppendedMember, diff.ReservedGivenName, diff.InsertedMember:
			set["added "+name+" "+placeIn(new, c)] = true
		case diff.RemovedName:
			set["removed "+name] = true
		case diff.MovedMember, diff.ChangedMember:
			if o, n := placeOf(t, old, c), placeOf(t, new, c); o != n {
				set["changed "+name+" "+o+" "+n] = true
			}
		case diff.GrownStruct, diff.GrownInArrays, diff.ChangedLayout:
			if strings.HasPrefix(c.Old, "size ") {
				sizes[name] = [2]string{firstInt.FindString(c.Old), firstInt.FindString(c.New)}
			}
		case diff.ChangedEnumerator, diff.MovedSentinel:
			set["changed "+name+" "+c.Old+" "+c.New] = true
		}
	}
	for name, s := range sizes {
		set["changed "+name+" "+s[0]+" "+s[1]] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// placeIn spells the place that a change gives for a new member; one that counts from the end, as a negative offset.
func placeIn(m *model.Model, c diff.Change) string {
	p := offsetText.FindStringSubmatch(c.New)
	if p == nil {
		return c.New
	}
	var off int64
	fmt.Sscan(p[1], &off)
	for _, a := range m.Aggregates {
		if slices.Contains(front, a.Name) && c.Item == "struct "+a.Name {
			off -= a.Size.At(runtime.GOARCH)
		}
	}
	return fmt.Sprintf("%d+%s", off, p[2])
}

// placeOf spells the place of a changed member in one of the two models.
func placeOf(t *testing.T, m *model.Model, c diff.Change) string {
	_, tag, _ := strings.Cut(c.Item, " ")
	i := slices.IndexFunc(m.Aggregates, func(a model.Aggregate) bool { return a.Name == tag })
	if i < 0 {
		t.Fatalf("no %s", c.Item)
	}
	a := &m.Aggregates[i]
	for _, name := range strings.Split(c.Member, ".") {
		list := a.Flat()
		j := slices.IndexFunc(list, func(f model.Flat) bool { return f.Name == name })
		if j < 0 {
			t.Fatalf("no %s.%s", c.Item, c.Member)
		}
		if a = list[j].Type.Unnamed(); a == nil {
			return fmt.Sprintf("%s+%s", list[j].At, list[j].Size)
		}
	}
	return ""
}

// TestEqualsDWARF compares the report on each pair of real releases with a comparison of what gcc says of the two headers.
func TestEqualsDWARF(t *testing.T) {
	for _, header := range []string{"infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h", "infiniband/efadv.h"} {
		models, sides := map[string]*model.Model{}, map[string]side{}
		for _, release := range headers.Releases {
			m, err := load.Load(load.Options{Header: header, Include: []string{headers.Include(t, release)}, Release: release,
				CC: "gcc", Archs: []string{runtime.GOARCH}})
			if err != nil {
				t.Fatal(err)
			}
			models[release], sides[release] = m, dwarf(t, release, header)
		}
		for i, old := range headers.Releases {
			for _, new := range headers.Releases[i+1:] {
				for _, p := range [][2]string{{old, new}, {new, old}} {
					o, n := sides[p[0]], sides[p[1]]
					report := diff.Diff(models[p[0]], models[p[1]], diff.Options{Front: front})
					keep := func(name string) bool { return o.owned[name] || n.owned[name] }
					want, got := changes(o, n, keep), told(t, report, models[p[0]], models[p[1]], keep)
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s, %s to %s (-DWARF +report):\n%s", header, p[0], p[1], d)
					}
					if len(want) < 5 {
						t.Errorf("%s, %s to %s: DWARF shows %d changes, too few to be true", header, p[0], p[1], len(want))
					}
				}
			}
		}
	}
}
