package bind

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
	"github.com/goverbs/ibv/gen/record"
)

var update = flag.Bool("update", false, "write the golden file anew")

const toyFile = "testdata/toy.txtar"

// A toy is the made-up header of testdata, unpacked, with what is known of it.
type toy struct {
	ar   *txtar.Archive
	dir  string // has old/ and new/
	ours Input
}

func readToy(t testing.TB) *toy {
	t.Helper()
	ar, err := txtar.ParseFile(toyFile)
	if err != nil {
		t.Fatal(err)
	}
	y := &toy{ar: ar, dir: t.TempDir()}
	var ov *overlay.Overlay
	for _, f := range ar.Files {
		path := filepath.Join(y.dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		if f.Name == "overlay.json" {
			if ov, err = overlay.Parse(f.Data, f.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	y.ours = input(t, ov, y.load(t, "old", "1.0"), y.load(t, "new", "2.0"))
	return y
}

// load reads one release of the header. There is no shared object, so that versions are made up.
func (y *toy) load(t testing.TB, folder, release string) *model.Model {
	t.Helper()
	m, err := load.Load(load.Options{Header: "infiniband/toy.h", Include: []string{filepath.Join(y.dir, folder)}, Release: release})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.Kind == model.Exported {
			f.Version = "TOY_1.0"
		}
	}
	return m
}

// input joins records.
func input(t testing.TB, ov *overlay.Overlay, records ...*model.Model) Input {
	t.Helper()
	u, err := record.Union(records, ov.Front)
	if err != nil {
		t.Fatal(err)
	}
	if err := ov.Validate(u); err != nil {
		t.Fatal(err)
	}
	p, err := plan.Plan(u, ov, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Input{Records: records, Union: u, Overlay: ov, Types: p, Import: "example.com/ibv"}
}

// emitted plans and prints.
func emitted(t testing.TB, in Input) map[string][]byte {
	t.Helper()
	p, err := Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Emit(p)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// write puts what came out into the golden file.
func (y *toy) write(t *testing.T, files map[string][]byte) {
	t.Helper()
	keep := slices.DeleteFunc(slices.Clone(y.ar.Files), func(f txtar.File) bool { return strings.Contains(f.Name, "_generated") })
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		keep = append(keep, txtar.File{Name: n, Data: files[n]})
	}
	y.ar.Files = keep
	if err := os.WriteFile(toyFile, txtar.Format(y.ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
