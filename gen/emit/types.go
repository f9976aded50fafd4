package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/goverbs/ibv/gen/plan"
)

// typeDecl prints a struct and its methods.
func typeDecl(f *jen.File, t plan.Type) {
	comments(f, t.Doc)
	if t.AliasOf != "" {
		f.Type().Id(t.Go).Op("=").Id(t.AliasOf)
		f.Line()
		return
	}
	f.Type().Id(t.Go).StructFunc(func(b *jen.Group) {
		for _, fd := range t.Fields {
			comments(b, fd.Doc)
			note(b.Id(fd.Go).Add(goType(fd.Type)), fd.Note)
		}
	})
	f.Line()
	for _, a := range t.Accessors {
		accessor(f, t.Go, a)
	}
}

// goType is the source of a type.
func goType(t plan.GoType) *jen.Statement {
	switch {
	case t.Pointer():
		return jen.Op("*").Add(goType(*t.Elem))
	case t.Array():
		return jen.Index(jen.Lit(int(t.Len))).Add(goType(*t.Elem))
	}
	if pkg, name, ok := strings.Cut(t.Name, "."); ok {
		return jen.Qual(pkg, name)
	}
	return jen.Id(t.Name)
}
