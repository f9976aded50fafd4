package oracletest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// reflected is what a program found out about one package, by Go name.
type reflected struct {
	Types  map[string]*reflectedType
	Consts map[string]string // in decimal
	Enums  map[string]reflectedEnum
}

type reflectedType struct {
	Size   int64
	Fields map[string]reflectedPlace
	// Methods tells which bytes an accessor reaches. A setter was seen to set them all and its getter to read them all.
	Methods map[string]reflectedPlace
}

type reflectedPlace struct {
	Offset, Size int64
	Bits         string // of a bit-field: the bits that it reaches, as hexadecimal bytes of the whole type
	Err          string
}

type reflectedEnum struct {
	Size   int64
	Signed bool
}

// reflectOn builds and runs a program that imports the packages and reports on each type and constant that their plans name.
func reflectOn(t *testing.T, pkgs []*goPackage) map[string]*reflected {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module report\n\ngo 1.26\n"))
	program, err := os.ReadFile(filepath.Join("testdata", "reflect.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write("main.go", program)
	for _, p := range pkgs {
		for name, data := range p.files {
			write(filepath.Join(p.dir, name), data)
		}
		write("list_"+p.dir+".go", listing(p))
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the reporting program: %v\n%.4000s", err, stderr.String())
	}
	var seen map[string]*reflected
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatal(err)
	}
	return seen
}

// listing is a Go file that hands the package's types and constants to the program.
func listing(p *goPackage) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"reflect\"\n\n\tp %q\n)\n\nfunc init() {\n", "report/"+p.dir)
	fmt.Fprintf(&b, "\tr := newReport(%q)\n", p.dir)
	for _, ty := range p.plan.Types {
		listType(&b, ty.Go)
	}
	for _, ty := range p.plan.ArchTypes[hostArch] {
		listType(&b, ty.Go)
	}
	for _, e := range p.plan.Enums {
		fmt.Fprintf(&b, "\tr.enum(%q, reflect.TypeFor[p.%s]())\n", e.Go, e.Go)
		for _, c := range e.Group.Consts {
			listConst(&b, c.Go, c.Value)
		}
	}
	for _, g := range p.plan.Groups {
		for _, c := range g.Consts {
			listConst(&b, c.Go, c.Value)
		}
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func listType(b *strings.Builder, name string) {
	// Types without a capital lie under others and cannot be named from outside.
	if strings.ToUpper(name[:1]) == name[:1] {
		fmt.Fprintf(b, "\tr.typ(%q, reflect.TypeFor[p.%s]())\n", name, name)
	}
}

// listConst picks the conversion by the value's sign only: a wrong value is reported, or does not compile.
func listConst(b *strings.Builder, name string, v model.Value) {
	if v.Neg() {
		fmt.Fprintf(b, "\tr.signed(%q, int64(p.%s))\n", name, name)
		return
	}
	fmt.Fprintf(b, "\tr.unsigned(%q, uint64(p.%s))\n", name, name)
}
