package emit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// stubs are the parts of the standard library that emitted files use. They save Check from reading the real packages,
// which would take longer than everything else; tests compile with the real ones.
type stubs struct{}

var stubSource = map[string]string{
	"structs": `package structs; type HostLayout struct{}`,
	"strconv": `package strconv; func FormatInt(i int64, base int) string; func FormatUint(i uint64, base int) string`,
}

// Import implements types.Importer.
func (stubs) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	src, ok := stubSource[path]
	if !ok {
		return nil, fmt.Errorf("emitted files do not use %s", path)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true}
	return conf.Check(path, fset, []*ast.File{f}, nil)
}
