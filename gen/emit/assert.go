package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/goverbs/ibv/gen/plan"
)

// assertions prints the checks of a layout: two array types that are the same only if C's number and Go's agree. The
// compiler's message has the field and both numbers.
func assertions(f *jen.File, checks []plan.Check) {
	last := ""
	for _, c := range checks {
		if section := heading(c); section != last {
			f.Line()
			f.Comment("// " + section)
			last = section
		}
		f.Var().Id("_").Index(jen.Id(fmt.Sprint(c.Want))).Byte().Op("=").Index(measured(c)).Byte().Values()
	}
}

// heading is what stands above a type's assertions.
func heading(c plan.Check) string {
	if c.What == plan.CheckEnum {
		return "Enums have C's size."
	}
	return c.Type + " is laid out as in C."
}

// measured is the constant expression that has Go's number.
func measured(c plan.Check) *jen.Statement {
	zero := func() *jen.Statement { return jen.Id(c.Type).Values() }
	size := func(s *jen.Statement) *jen.Statement { return jen.Qual("unsafe", "Sizeof").Call(s) }
	switch c.What {
	case plan.CheckSize:
		return size(zero())
	case plan.CheckAlign:
		return jen.Qual("unsafe", "Alignof").Call(zero())
	case plan.CheckFieldSize:
		return size(zero().Dot(c.Field))
	case plan.CheckFromEnd:
		return size(zero()).Op("-").Qual("unsafe", "Offsetof").Call(zero().Dot(c.Field))
	case plan.CheckEnum:
		return size(jen.Id(c.Type).Call(jen.Lit(0)))
	case plan.CheckConst:
		return jen.Id(c.Field)
	}
	return jen.Qual("unsafe", "Offsetof").Call(zero().Dot(c.Field))
}
