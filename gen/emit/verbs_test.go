package emit

import (
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
	"github.com/goverbs/ibv/gen/record"
	"github.com/goverbs/ibv/gen/records"
	"github.com/goverbs/ibv/internal/headers"
)

// realPlan plans one of rdma-core's headers.
func realPlan(t testing.TB, header, release, pkg string) *plan.Package {
	t.Helper()
	m, err := load.Load(load.Options{Header: header, Include: []string{headers.Include(t, release)}, Release: release})
	if err != nil {
		t.Fatal(err)
	}
	ov, err := overlay.For(header)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Plan(m, ov, plan.Options{Package: pkg})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRealHeaders emits verbs.h of every release, and the others of the family in the oldest and the newest, and has the
// result type-checked.
func TestRealHeaders(t *testing.T) {
	for i, release := range headers.Releases {
		names := []string{"infiniband/verbs.h"}
		if i == 0 || i == len(headers.Releases)-1 {
			names = append(names, "rdma/rdma_cma.h", "infiniband/mlx5dv.h", "infiniband/efadv.h")
		}
		for _, header := range names {
			p := realPlan(t, header, release, "x")
			if err := Check(p, emitted(t, p)); err != nil {
				t.Errorf("%s of %s: %v", header, release, err)
			}
		}
	}
}

// TestRecords plans the union of all records: every struct, enumerator and constant must be there, with its value.
func TestRecords(t *testing.T) {
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	ov, err := overlay.For("infiniband/verbs.h")
	if err != nil {
		t.Fatal(err)
	}
	m, err := record.Union(all, ov.Front)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Plan(m, ov, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(p, emitted(t, p)); err != nil {
		t.Error(err)
	}
	got := map[string]string{}
	addGroup := func(g plan.Group) {
		for _, c := range g.Consts {
			got[c.C] = c.Value.String()
		}
	}
	for _, e := range p.Enums {
		addGroup(e.Group)
	}
	for _, g := range p.Groups {
		addGroup(g)
	}
	for _, t := range append(slices.Clone(p.Types), p.ArchTypes["amd64"]...) {
		got[t.C[0]] = t.Size.String()
	}
	typedefs := m.Typedefs()
	for _, e := range m.Enums {
		for _, v := range e.Enumerators {
			if got[v.Name] != v.Value.String() {
				t.Errorf("%s is %q, want %s", v.Name, got[v.Name], v.Value)
			}
		}
	}
	for _, c := range m.Consts {
		if got[c.Name] != c.Value.String() {
			t.Errorf("%s is %q, want %s", c.Name, got[c.Name], c.Value)
		}
	}
	for _, a := range m.Aggregates {
		kind := model.Struct
		if a.Union {
			kind = model.Union
		}
		c := model.Type{Kind: kind, Name: a.Name}.C("", typedefs)
		if size := a.Size.String(); got[c] != size && a.Size.By == nil {
			t.Errorf("%s has %q bytes, want %s", c, got[c], size)
		}
	}
}

// TestVerbsEdited builds verbs.h's package with one wrong number, for each architecture, with the real compiler.
func TestVerbsEdited(t *testing.T) {
	dir := t.TempDir()
	p := realPlan(t, "infiniband/verbs.h", "65.0", "ibv")
	files := emitted(t, p)
	files["go.mod"] = []byte("module ibv\n\ngo 1.26\n")
	const name = "verbs_generated_layout.go"
	const line = "var _ [16]byte = [unsafe.Offsetof(WC{}.VendorErr)]byte{}"
	if strings.Count(string(files[name]), line) != 1 {
		t.Fatalf("%s has no line %q", name, line)
	}
	files[name] = []byte(strings.Replace(string(files[name]), line, strings.Replace(line, "16", "20", 1), 1))
	writeFiles(t, dir, files)
	for _, arch := range model.Archs {
		out, err := goTry(dir, []string{"GOARCH=" + arch}, "build", "./...")
		if err == nil || !strings.Contains(out, "WC{}.VendorErr") || !strings.Contains(out, "[16]byte") || !strings.Contains(out, "[20]byte") {
			t.Errorf("GOARCH=%s: %v\n%s", arch, err, out)
		}
	}
}

// BenchmarkVerbs plans, emits and checks verbs.h.
func BenchmarkVerbs(b *testing.B) {
	m, err := load.Load(load.Options{Header: "infiniband/verbs.h", Include: []string{headers.Include(b, "65.0")}})
	if err != nil {
		b.Fatal(err)
	}
	ov, err := overlay.For("infiniband/verbs.h")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := plan.Plan(m, ov, plan.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := Check(p, emitted(b, p)); err != nil {
			b.Fatal(err)
		}
	}
}
