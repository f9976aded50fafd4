package emit

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/goverbs/ibv/gen/plan"
)

// Check type-checks files, which Emit made from p, as the Go compiler would on each architecture. The assertions in them
// are then proven for Go's layout. The error is that of the first file and line.
func Check(p *plan.Package, files map[string][]byte) error {
	fset := token.NewFileSet()
	parsed := map[string]*ast.File{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			var list scanner.ErrorList
			if errors.As(err, &list) {
				err = list[0]
			}
			return oneLine(err)
		}
		parsed[name] = f
	}
	errs := make([]error, len(p.Archs))
	var wg sync.WaitGroup
	for i, arch := range p.Archs {
		wg.Go(func() { errs[i] = checkArch(fset, p.Name, parsed, arch) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkArch(fset *token.FileSet, pkg string, parsed map[string]*ast.File, arch string) error {
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		if built(name, parsed[name], arch) {
			files = append(files, parsed[name])
		}
	}
	var first error
	conf := types.Config{
		Importer: stubs{}, Sizes: types.SizesFor("gc", arch), GoVersion: "go1.26",
		Error: func(err error) {
			if first == nil {
				first = err
			}
		},
	}
	if conf.Sizes == nil {
		return fmt.Errorf("GOARCH=%s: not known to go/types", arch)
	}
	conf.Check(pkg, fset, files, nil) // the error is in first
	if first != nil {
		return fmt.Errorf("GOARCH=%s: %w", arch, oneLine(first))
	}
	return nil
}

// built reports whether the go command would compile the file on arch: by its name's end and its constraint.
func built(name string, f *ast.File, arch string) bool {
	words := strings.Split(strings.TrimSuffix(path.Base(name), ".go"), "_")
	if last := words[len(words)-1]; types.SizesFor("gc", last) != nil && last != arch {
		return false
	}
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if x, err := constraint.Parse(c.Text); err == nil && !x.Eval(func(tag string) bool { return tag == arch }) {
				return false
			}
		}
	}
	return true
}
