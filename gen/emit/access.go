package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/goverbs/ibv/gen/plan"
)

// accessor prints the methods for a member that is no Go field.
func accessor(f *jen.File, recv string, a plan.Accessor) {
	places(f, a)
	var params []jen.Code
	result := goType(a.Type)
	switch a.Form {
	case plan.InPlace:
		result = jen.Op("*").Add(result)
	case plan.Tail, plan.InnerTail:
		params, result = []jen.Code{jen.Id("n").Int()}, jen.Index().Add(result)
	}
	if a.Form == plan.Inner && !a.Set { // the inner method hands out a pointer
		result = jen.Op("*").Add(result)
	}
	comments(f, a.Doc)
	get := method(f, recv, a.Go, params)
	if a.Form == plan.Copied {
		get.Params(jen.Id("v").Add(result)).Block(getter(a)...)
	} else {
		get.Add(result).Block(getter(a)...)
	}
	f.Line()
	if a.Set {
		comments(f, a.SetDoc)
		method(f, recv, "Set"+a.Go, []jen.Code{jen.Id("v").Add(goType(a.Type))}).Block(setter(a)...)
		f.Line()
	}
}

// places prints the constants by which the methods find the member. Assertions hold them to C's numbers.
func places(f *jen.File, a plan.Accessor) {
	if len(a.Places) == 0 {
		return
	}
	f.Const().DefsFunc(func(b *jen.Group) {
		for _, p := range a.Places {
			b.Id(p.Const).Op("=").Lit(int(p.Value))
		}
	})
	f.Line()
}

func method(f *jen.File, recv, name string, params []jen.Code) *jen.Statement {
	return f.Func().Params(jen.Id("s").Op("*").Id(recv)).Id(name).Params(params...)
}

func getter(a plan.Accessor) []jen.Code {
	switch a.Form {
	case plan.InPlace:
		if a.Via != "" {
			return ret(jen.Op("&").Add(via(a)).Dot(a.Inner))
		}
		return ret(cast(goType(a.Type), address(a)))
	case plan.Copied:
		return []jen.Code{copyBytes(a.Size, jen.Op("&").Id("v"), nil, a), jen.Return()}
	case plan.BitField:
		return ret(bitValue(a))
	case plan.Tail:
		return ret(jen.Qual("unsafe", "Slice").Call(cast(goType(a.Type), tailAddress(a)), jen.Id("n")))
	case plan.Inner:
		return ret(via(a).Dot(a.Inner).Call())
	case plan.InnerTail:
		return ret(via(a).Dot(a.Inner).Call(jen.Id("n")))
	}
	return ret(value(a))
}

func setter(a plan.Accessor) []jen.Code {
	switch a.Form {
	case plan.Copied:
		return []jen.Code{copyBytes(a.Size, nil, jen.Op("&").Id("v"), a)}
	case plan.BitField:
		return setBits(a)
	case plan.Inner:
		return []jen.Code{via(a).Dot("Set" + a.Inner).Call(jen.Id("v"))}
	}
	return []jen.Code{value(a).Op("=").Id("v")}
}

func ret(s *jen.Statement) []jen.Code { return []jen.Code{jen.Return(s)} }

// value is the member as an expression that can stand on both sides of an assignment.
func value(a plan.Accessor) *jen.Statement {
	if a.Via != "" {
		return via(a).Dot(a.Inner)
	}
	return jen.Op("*").Add(cast(goType(a.Type), address(a)))
}

// address is that of the storage.
func address(a plan.Accessor) *jen.Statement {
	return unsafePointer(jen.Op("&").Id("s").Dot(a.Storage))
}

// tailAddress is that of the elements of a flexible array.
func tailAddress(a plan.Accessor) *jen.Statement {
	if a.Storage != "" {
		return address(a)
	}
	return jen.Qual("unsafe", "Add").Call(unsafePointer(jen.Id("s")), jen.Id(a.Places[0].Const))
}

// via is the hidden struct that lies over the storage.
func via(a plan.Accessor) *jen.Statement { return cast(jen.Id(a.Via), address(a)) }

func unsafePointer(of *jen.Statement) *jen.Statement { return jen.Qual("unsafe", "Pointer").Call(of) }

// cast is (*t)(p).
func cast(t, p *jen.Statement) *jen.Statement { return jen.Parens(jen.Op("*").Add(t)).Call(p) }

// copyBytes copies size bytes between the storage and what a pointer points to: the one that is nil is the storage.
func copyBytes(size int64, to, from *jen.Statement, a plan.Accessor) jen.Code {
	bytes := func(p *jen.Statement) *jen.Statement {
		if p == nil && a.Bytes {
			return jen.Id("s").Dot(a.Storage)
		}
		if p == nil {
			p = jen.Op("&").Id("s").Dot(a.Storage)
		}
		return jen.Op("*").Add(cast(jen.Index(jen.Lit(int(size))).Byte(), unsafePointer(p)))
	}
	return bytes(to).Op("=").Add(bytes(from))
}
