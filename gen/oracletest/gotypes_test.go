package oracletest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/emit"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
	"github.com/goverbs/ibv/internal/headers"
	"github.com/goverbs/ibv/internal/oracle"
)

// TestGoTypes compares Go types with gcc's DWARF by reflection: the root package's with every release's verbs.h, and packages
// generated for each release's other headers with those headers. A program that imports all of these packages reports what the Go
// compiler made of them; see reflection_test.go.
func TestGoTypes(t *testing.T) {
	pkgs := []*goPackage{rootPackage(t)}
	for _, release := range headers.Releases {
		if !fetched(t, release) {
			continue
		}
		for _, h := range headerFamily[1:] { // verbs.h is in the others, too
			pkgs = append(pkgs, temporaryPackage(t, h, release))
		}
	}
	seen := reflectOn(t, pkgs)
	for _, p := range pkgs {
		t.Run(p.dir, func(t *testing.T) { p.compareAll(t, seen[p.dir]) })
	}
}

// fetched reports whether the headers of a release are there; without them a subtest says why not.
func fetched(t *testing.T, release string) bool {
	return t.Run("headers of "+release, func(t *testing.T) { headers.Include(t, release) }) &&
		exists(filepath.Join(headers.Root(t), ".cache", "headers", release, "usr"))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A goPackage is a package under test.
type goPackage struct {
	dir      string // folder and package name in the reporting program
	files    map[string][]byte
	plan     *plan.Package // which Go name stands for which C name; no number is taken from it
	header   string
	releases []string // whose headers it must agree with
	exact    bool     // made from the one header alone: sizes must be equal
}

// rootPackage is the package at the module's root, as it lies there.
func rootPackage(t *testing.T) *goPackage {
	known, err := gen.Known(gen.DefaultHeader, "")
	if err != nil {
		t.Fatal(err)
	}
	u, ov, err := gen.Union(gen.DefaultHeader, known)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Plan(u, ov, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(headers.Root(t), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return &goPackage{dir: "ibv", files: files, plan: p, header: gen.DefaultHeader,
		releases: append([]string{"installed"}, headers.Releases...)}
}

// temporaryPackage is generated from one release's header alone.
func temporaryPackage(t *testing.T, header, release string) *goPackage {
	t.Helper()
	m := loadHeader(t, header, includeOf(t, release))
	ov, err := overlay.For(header)
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(filepath.Base(header), ".h")
	name := base + "_" + strings.ReplaceAll(release, ".", "_")
	p, err := plan.Plan(m, ov, plan.Options{Package: name})
	if err != nil {
		t.Fatalf("%s of %s: %v", header, release, err)
	}
	files, err := emit.Emit(p)
	if err != nil {
		t.Fatalf("%s of %s: %v", header, release, err)
	}
	return &goPackage{dir: name, files: files, plan: p, header: header, releases: []string{release}, exact: true}
}

func (p *goPackage) compareAll(t *testing.T, seen *reflected) {
	if seen == nil {
		t.Fatal("the program reported nothing")
	}
	for _, release := range p.releases {
		if release != "installed" && !exists(filepath.Join(headers.Root(t), ".cache", "headers", release, "usr")) {
			continue // TestGoTypes has said so
		}
		include := includeOf(t, release)
		c := &goComparison{pkg: p, seen: seen, newest: p.exact}
		types := oracle.DWARF(t, gcc, include, p.header)
		c.types(types)
		c.constants(types, oracle.Macros(t, gcc, include, p.header, ownFile))
		for i := range c.diffs {
			c.diffs[i] = fmt.Sprintf("%s on %s: %s", release, runtime.GOARCH, c.diffs[i])
		}
		if c.compared < 100 {
			t.Errorf("%s: only %d members compared", release, c.compared)
		}
		report(t, c.diffs)
	}
}
