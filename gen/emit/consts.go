package emit

import (
	"math/bits"

	"github.com/dave/jennifer/jen"

	"github.com/goverbs/ibv/gen/plan"
)

// group prints a const block.
func group(f *jen.File, g plan.Group) {
	if len(g.Consts) == 0 {
		return
	}
	comments(f, g.Doc)
	f.Const().DefsFunc(func(b *jen.Group) {
		for _, c := range g.Consts {
			comments(b, c.Doc)
			s := b.Id(c.Go)
			if c.Type != "" {
				s.Id(c.Type)
			}
			note(s.Op("=").Id(c.Text), c.Note)
		}
	})
	f.Line()
}

// enum prints an enum's type, its values, and its String method.
func enum(f *jen.File, e plan.Enum) {
	comments(f, e.Doc)
	f.Type().Id(e.Go).Id(e.Under)
	f.Line()
	group(f, e.Group)
	if e.Flags {
		flagsString(f, e)
	} else {
		enumString(f, e)
	}
	f.Line()
}

// enumString prints String with a switch: it costs nothing when the program starts.
func enumString(f *jen.File, e plan.Enum) {
	f.Comment("// String returns the C name of the value, or " + e.Go + "(n) for one without a name.")
	f.Func().Params(jen.Id("v").Id(e.Go)).Id("String").Params().String().BlockFunc(func(b *jen.Group) {
		if len(e.Names) > 0 {
			b.Switch(jen.Id("v")).BlockFunc(func(b *jen.Group) {
				for _, n := range e.Names {
					b.Case(jen.Id(n.Const)).Block(jen.Return(jen.Lit(n.C)))
				}
			})
		}
		format, wide := "FormatUint", "uint64"
		if e.Signed {
			format, wide = "FormatInt", "int64"
		}
		b.Return(jen.Lit(e.Go+"(").Op("+").Qual("strconv", format).Call(jen.Id(wide).Call(jen.Id("v")), jen.Lit(10)).Op("+").Lit(")"))
	})
}

// flagsString prints String with a table that the linker lays out.
func flagsString(f *jen.File, e plan.Enum) {
	zero := "0"
	var entries []jen.Code
	for _, n := range flagNames(e.Names) {
		entries = append(entries, jen.Values(jen.Id("uint64").Call(jen.Id(n.Const)), jen.Lit(n.C)))
	}
	for _, n := range e.Names {
		if n.Value.Uint64() == 0 {
			zero = n.C
		}
	}
	table := "namesOf" + e.Go
	f.Var().Id(table).Op("=").Index(jen.Op("...")).Id("flagName").Custom(lines, entries...)
	f.Line()
	f.Comment("// String returns the C names of the flags with bars between, and bits without a name in hexadecimal.")
	f.Func().Params(jen.Id("v").Id(e.Go)).Id("String").Params().String().Block(
		jen.Return(jen.Id("flagText").Call(wide(e), jen.Id(table).Index(jen.Op(":")), jen.Lit(zero))))
}

// wide is v as 64 bits without sign extension.
func wide(e plan.Enum) *jen.Statement {
	v := jen.Id("v")
	if e.Signed {
		v = jen.Id("u" + e.Under).Call(v)
	}
	return jen.Uint64().Call(v)
}

// lines puts each value of a table on a line of its own.
var lines = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// flagNames is the order in which a set of flags is named: first the sets with a bit that has no name alone, widest first,
// then the single bits from the lowest. Other sets are named by their bits.
func flagNames(names []plan.Name) []plan.Name {
	var single uint64
	for _, n := range names {
		if v := n.Value.Uint64(); bits.OnesCount64(v) == 1 {
			single |= v
		}
	}
	var sets, flags []plan.Name
	for _, n := range names {
		switch v := n.Value.Uint64(); {
		case bits.OnesCount64(v) == 1:
			flags = append(flags, n)
		case v&^single != 0:
			sets = append(sets, n)
		}
	}
	return append(bySize(sets), flags...)
}
