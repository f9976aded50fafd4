package gen

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// TypeCheck reports the first error that Go's type checker finds in a package made of files (name to text) on each of archs,
// the layout assertions included. What files import comes from the standard library's source.
func TypeCheck(files map[string][]byte, archs []string) error {
	fset := token.NewFileSet()
	parsed := map[string]*ast.File{}
	for _, name := range goFiles(files) {
		f, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("emitted code does not parse: %w", err)
		}
		parsed[name] = f
	}
	// One importer serves all architectures: no signature that generated code uses differs between them.
	lib := &library{Importer: importer.ForCompiler(fset, "source", nil)}
	for _, arch := range archs {
		if err := checkArch(fset, parsed, files, lib, arch); err != nil {
			return err
		}
	}
	return nil
}

func checkArch(fset *token.FileSet, parsed map[string]*ast.File, files map[string][]byte, lib *library, arch string) error {
	ctxt := buildContext(files, arch)
	var use []*ast.File
	for _, name := range goFiles(files) {
		ok, err := ctxt.MatchFile(".", name)
		if err != nil {
			return fmt.Errorf("emitted code: %s: %w", name, err)
		}
		if ok {
			use = append(use, parsed[name])
		}
	}
	conf := types.Config{GoVersion: "go1.26", Importer: lib, Sizes: types.SizesFor("gc", arch)}
	_, err := conf.Check("generated", fset, use, nil)
	if lib.missing != nil {
		return lib.missing
	}
	var te types.Error
	if errors.As(err, &te) {
		return fmt.Errorf("emitted code is wrong on %s: %s: %s", arch, fset.Position(te.Pos), te.Msg)
	}
	return err
}

// A library imports packages, and remembers that one is not there: a fault of the machine, not of what was emitted.
type library struct {
	types.Importer
	missing error
}

// Import implements types.Importer.
func (l *library) Import(path string) (*types.Package, error) {
	p, err := l.Importer.Import(path)
	if err != nil {
		l.missing = fmt.Errorf("cannot check what was emitted: the source of Go's package %s is not found; set GOROOT to what 'go env GOROOT' prints", path)
	}
	return p, err
}

// buildContext selects the files that a build for arch takes, reading them from memory.
func buildContext(files map[string][]byte, arch string) *build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "linux", arch, false
	c.OpenFile = func(path string) (io.ReadCloser, error) {
		b, ok := files[filepath.ToSlash(filepath.Clean(path))]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return io.NopCloser(strings.NewReader(string(b))), nil
	}
	return &c
}

func goFiles(files map[string][]byte) []string {
	names := slices.Sorted(maps.Keys(files))
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".go") || strings.Contains(n, "/") })
}
