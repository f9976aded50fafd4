package emit

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"

	"github.com/goverbs/ibv/gen/plan"
)

//go:embed internal/helper
var helperFS embed.FS

// helperSource is the file of helper declarations that the package needs, or nil.
func helperSource(p *plan.Package) ([]byte, error) {
	var names []string
	for _, h := range []struct {
		used bool
		name string
	}{
		{p.Helpers.Be16, "be16"}, {p.Helpers.Be32, "be32"}, {p.Helpers.Be64, "be64"}, {p.Helpers.Flags, "flags"},
		{p.Helpers.Bits, "bits"},
	} {
		if h.used {
			names = append(names, h.name)
		}
	}
	if names == nil {
		return nil, nil
	}
	used := map[string]bool{}
	var body bytes.Buffer
	for _, n := range names {
		if err := cut(&body, used, "internal/helper/"+n+".go"); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%spackage %s\n\n", fileHead(p, ""), p.Name)
	for _, path := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	body.WriteTo(&b)
	return final(b.Bytes())
}

// cut appends the declarations of an embedded file and notes its imports.
func cut(to *bytes.Buffer, used map[string]bool, name string) error {
	src, err := helperFS.ReadFile(name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		return err
	}
	end := f.Name.End()
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			end = g.End()
		}
	}
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		used[path] = true
	}
	to.Write(src[fset.Position(end).Offset:])
	return nil
}
