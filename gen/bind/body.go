package bind

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// body adds the statements of a Go call.
func body(p *Package, g *jen.Group, v *Verb) {
	call := jen.Qual("C", v.Thunk).CallFunc(func(g *jen.Group) {
		for _, a := range v.Params {
			g.Add(toC(a))
		}
	})
	verb := jen.Id(verbConst(v))
	r, err := jen.Id("r"), jen.Id("err")
	switch v.Form {
	case Null:
		nothing := jen.Nil()
		if v.Result.Class == Address {
			nothing = jen.Lit(0)
		}
		g.List(r, err).Op(":=").Add(call)
		g.If(jen.Id("r").Op("==").Add(nothing)).Block(jen.Return(nothing, jen.Id("nullError").Call(verb, err)))
		g.Return(fromC(p, v), jen.Nil())
	case Errno:
		if v.Hot {
			g.Return(jen.Id("plainErrno").Call(jen.Int().Call(call)))
		} else {
			g.Return(jen.Id("errnoError").Call(verb, jen.Int().Call(call)))
		}
	case Minus1:
		g.List(r, err).Op(":=").Add(call)
		if !v.Value {
			g.Return(jen.Id("minus1Error").Call(verb, jen.Int().Call(r), err))
			return
		}
		g.If(jen.Id("r").Op("<").Lit(0)).Block(jen.Return(fromC(p, v), jen.Id("nullError").Call(verb, err)))
		g.Return(fromC(p, v), jen.Nil())
	case Negative:
		negative(g, v, call, verb)
	default:
		none(p, g, v, call)
	}
}

func negative(g *jen.Group, v *Verb, call, verb *jen.Statement) {
	g.Id("r").Op(":=").Int().Call(call)
	g.If(jen.Id("r").Op("<").Lit(0)).Block(jen.Return(jen.Lit(0), jen.Id("negativeError").Call(verb, jen.Id("r"))))
	if v.Most >= 0 {
		most, to := v.Params[v.Most], jen.Int
		if strings.HasPrefix(most.Type.Go.Name, "uint") {
			to = jen.Uint64
		}
		g.If(jen.Id("r").Op(">").Lit(0).Op("&&").Add(to().Call(jen.Id("r"))).Op(">").Add(to().Call(jen.Id(most.Go)))).Block(
			jen.Comment("// No count: providers without the function answer with a positive errno value."),
			jen.Return(jen.Lit(0), jen.Id("errnoError").Call(verb, jen.Id("r"))))
	}
	g.Return(jen.Id("r"), jen.Nil())
}

func none(p *Package, g *jen.Group, v *Verb, call *jen.Statement) {
	if v.Result.Class == Void {
		g.Add(call)
		return
	}
	g.Id("r").Op(":=").Add(call)
	g.Return(fromC(p, v))
}

// toC converts an argument.
func toC(a Param) *jen.Statement {
	c := jen.Qual("C", a.Type.Cgo)
	switch a.Type.Class {
	case Object, Slot, Cell:
		return jen.Parens(jen.Op("*").Add(c)).Call(jen.Qual("unsafe", "Pointer").Call(jen.Id(a.Go)))
	}
	return c.Call(jen.Id(a.Go))
}

// fromC converts the result r.
func fromC(p *Package, v *Verb) *jen.Statement {
	t := p.goType(v.Result.Go, v.Result.Local)
	switch v.Result.Class {
	case Object, Slot, Cell:
		return jen.Parens(t).Call(jen.Qual("unsafe", "Pointer").Call(jen.Id("r")))
	case Text:
		return jen.Qual("C", "GoString").Call(jen.Id("r"))
	}
	return t.Call(jen.Id("r"))
}

// refusal adds the statements of a Go call where nothing can be called.
func refusal(g *jen.Group, v *Verb) {
	failure := jen.Id("unsupported").Call(jen.Id(verbConst(v)))
	zero := map[Class]jen.Code{Number: jen.Lit(0), Address: jen.Lit(0), Text: jen.Lit("")}[v.Result.Class]
	if zero == nil {
		zero = jen.Nil()
	}
	if v.Result.Go.Name == "bool" {
		zero = jen.False()
	}
	switch {
	case v.Form == Errno && v.Hot:
		g.Return(jen.Qual("syscall", "ENOSYS"))
	case v.Form == Errno, v.Form == Minus1 && !v.Value:
		g.Return(failure)
	case v.Form == Negative:
		g.Return(jen.Lit(0), failure)
	case v.Form == Null, v.Form == Minus1:
		g.Return(zero, failure)
	case v.Result.Class != Void:
		g.Return(zero)
	}
}
