package bind

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/goverbs/ibv/gen/plan"
)

// callsGo are the Go calls.
func callsGo(p *Package) (*jen.File, string) {
	f := goFile(p)
	f.CgoPreamble("// #define IBVGO_FOR_GO")
	f.CgoPreamble("// #include \"calls_generated.h\"")
	for i := range p.Verbs {
		if v := &p.Verbs[i]; v.Hot && v.Go != "" && v.takesMemory() {
			f.CgoPreamble("// #cgo noescape " + v.Thunk)
			f.CgoPreamble("// #cgo nocallback " + v.Thunk)
		}
	}
	for i := range p.Verbs {
		if v := &p.Verbs[i]; v.Go != "" {
			comments(f, v.doc(p.Oldest))
			signature(p, f.Func().Id(v.Go), v).BlockFunc(func(g *jen.Group) { body(p, g, v) })
			f.Line()
		}
	}
	return f, built
}

// takesMemory tells whether v has a pointer beside its object, the first parameter. The object is C memory, the rest is often Go's,
// and must not be moved to the heap for the call: noescape sees to that, and needs nocallback, which costs two calls of the runtime.
func (v *Verb) takesMemory() bool {
	for i, a := range v.Params {
		if i > 0 && a.Type.Go.Pointer() {
			return true
		}
	}
	return false
}

// nocgoGo are the same calls where none can work.
func nocgoGo(p *Package) (*jen.File, string) {
	f := goFile(p)
	for i := range p.Verbs {
		if v := &p.Verbs[i]; v.Go != "" {
			f.Comment("// " + v.Go + " would call " + v.C + ".")
			signature(p, f.Func().Id(v.Go), v).BlockFunc(func(g *jen.Group) { refusal(g, v) })
			f.Line()
		}
	}
	return f, "!linux || !cgo"
}

func goFile(p *Package) *jen.File {
	f := jen.NewFile(p.Name)
	f.ImportName(p.Import, typesName)
	return f
}

// typesName is the name of the package with the types.
const typesName = "ibv"

func comments(f *jen.File, lines []string) {
	for _, l := range lines {
		f.Comment(strings.TrimRight("// "+l, " "))
	}
}

// doc is the comment of a Go call.
func (v *Verb) doc(oldest string) []string {
	text := fmt.Sprintf("%s calls %s", v.Go, v.C)
	if v.Since != "" && v.Since != oldest {
		text += ", which came with rdma-core " + v.Since
	}
	r := wrap(text + ".")
	add := func(s string) {
		if s != "" {
			r = append(append(r, ""), wrap(s)...)
		}
	}
	add(v.Doc)
	switch {
	case v.Form == Errno && v.Hot:
		add("It returns 0 or the errno value.")
	case v.Form == None && v.Symbol != "" && v.Result.Class != Void:
		add("Where the library has no such function the result is zero.")
	}
	if v.Guessed {
		add("How it reports failure is guessed from its result.")
	}
	if v.How == ThroughObject {
		add("Objects made without asking for such calls have no function for it, and what is in its place is called.")
	}
	return r
}

// signature adds the parameters and results.
func signature(p *Package, s *jen.Statement, v *Verb) *jen.Statement {
	return s.ParamsFunc(func(g *jen.Group) {
		for _, a := range v.Params {
			g.Id(a.Go).Add(p.goType(a.Type.Go, a.Type.Local))
		}
	}).ParamsFunc(func(g *jen.Group) {
		for _, t := range p.results(v) {
			g.Add(t)
		}
	})
}

// results are the types of what a Go call returns.
func (p *Package) results(v *Verb) []jen.Code {
	value, failure := p.goType(v.Result.Go, v.Result.Local), jen.Error()
	switch v.Form {
	case Null:
		return []jen.Code{value, failure}
	case Errno:
		if v.Hot {
			return []jen.Code{jen.Qual("syscall", "Errno")}
		}
		return []jen.Code{failure}
	case Minus1:
		if !v.Value {
			return []jen.Code{failure}
		}
		return []jen.Code{value, failure}
	case Negative:
		return []jen.Code{jen.Int(), failure}
	}
	if v.Result.Class == Void {
		return nil
	}
	return []jen.Code{value}
}

// goType is the source of a type. What is local to the header is in the package with the types.
func (p *Package) goType(t plan.GoType, local bool) *jen.Statement {
	switch {
	case t.Pointer():
		return jen.Op("*").Add(p.goType(*t.Elem, local))
	case local:
		return jen.Qual(p.Import, t.Name)
	}
	return jen.Id(t.Name)
}
