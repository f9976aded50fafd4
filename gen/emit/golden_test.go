package emit

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A golden is one file of testdata: a header, what the overlay says of it, and the files that come out.
type golden struct {
	name   string
	file   string
	ar     *txtar.Archive
	dir    string // holds the header
	header string // as included
}

func goldens(t testing.TB) []golden {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	var r []golden
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		g := golden{strings.TrimSuffix(filepath.Base(f), ".txtar"), f, ar, t.TempDir(), ar.Files[0].Name}
		path := filepath.Join(g.dir, filepath.FromSlash(g.header))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, ar.Files[0].Data, 0o644); err != nil {
			t.Fatal(err)
		}
		r = append(r, g)
	}
	return r
}

// find returns the named golden.
func find(t testing.TB, name string) golden {
	t.Helper()
	for _, g := range goldens(t) {
		if g.name == name {
			return g
		}
	}
	t.Fatalf("no golden file %s", name)
	return golden{}
}

func (g golden) load(t testing.TB) *model.Model {
	t.Helper()
	m, err := load.Load(load.Options{Header: g.header, Include: []string{g.dir}})
	if err != nil {
		t.Fatal(err)
	}
	m.Kernel = "" // differs from machine to machine
	return m
}

func (g golden) plan(t testing.TB, pkg string) *plan.Package {
	t.Helper()
	var ov overlay.Overlay
	for _, f := range g.ar.Files {
		if f.Name == "overlay.json" {
			if err := json.Unmarshal(f.Data, &ov); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, err := plan.Plan(g.load(t), &ov, plan.Options{Package: pkg})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func emitted(t testing.TB, p *plan.Package) map[string][]byte {
	t.Helper()
	files, err := Emit(p)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			p := g.plan(t, g.name)
			files := emitted(t, p)
			if err := Check(p, files); err != nil {
				t.Error(err)
			}
			if *update {
				g.write(t, files)
				return
			}
			want := map[string]string{}
			for _, f := range g.ar.Files {
				if strings.HasSuffix(f.Name, ".go") {
					want[f.Name] = string(f.Data)
				}
			}
			got := map[string]string{}
			for n, b := range files {
				got[n] = string(b)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("run with -update if this is meant (-want +got):\n%s", d)
			}
		})
	}
}

// TestFewerArchs plans for two architectures only.
func TestFewerArchs(t *testing.T) {
	p, err := plan.Plan(find(t, "archs").load(t), nil, plan.Options{Package: "few", Archs: []string{"arm64", "s390x"}})
	if err != nil {
		t.Fatal(err)
	}
	files := emitted(t, p)
	if err := Check(p, files); err != nil {
		t.Error(err)
	}
	got := strings.Join(slices.Sorted(maps.Keys(files)), " ")
	if want := "archs_generated.go archs_generated_arm64.go archs_generated_layout.go archs_generated_other.go " +
		"archs_generated_s390x.go"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if !strings.Contains(string(files["archs_generated_other.go"]), "//go:build !arm64 && !s390x") {
		t.Errorf("the build constraint is wrong:\n%s", files["archs_generated_other.go"])
	}
}

func (g golden) write(t *testing.T, files map[string][]byte) {
	t.Helper()
	keep := slices.DeleteFunc(slices.Clone(g.ar.Files), func(f txtar.File) bool { return strings.HasSuffix(f.Name, ".go") })
	for _, n := range slices.Sorted(maps.Keys(files)) {
		keep = append(keep, txtar.File{Name: n, Data: files[n]})
	}
	g.ar.Files = keep
	if err := os.WriteFile(g.file, txtar.Format(g.ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
