package bind

import "github.com/dave/jennifer/jen"

// indexName is what C calls the index of a verb.
func indexName(v *Verb) string { return "IBVGO_INDEX_" + v.C }

func tableHeader(p *Package, c *code) {
	c.comment("The functions of " + p.Header + ", sorted by name. The indices change from release to release of this module.")
	c.line("")
	c.line("#ifndef IBVGO_TABLE_GENERATED_H")
	c.line("#define IBVGO_TABLE_GENERATED_H")
	c.line("")
	c.comment("The library's function that each one is, or calls, and the version that programs are bound to; NULL if it needs none.")
	c.line("struct ibvgo_symbol {")
	c.line("\tconst char *name, *version;")
	c.line("};")
	c.line("extern const struct ibvgo_symbol ibvgo_symbols[];")
	c.line("extern const int ibvgo_nsymbols;")
	c.line("")
	if len(p.Verbs) > 0 {
		c.line("enum ibvgo_index {")
		for i := range p.Verbs {
			c.line("\t%s = %d,", indexName(&p.Verbs[i]), i)
		}
		c.line("};")
		c.line("")
	}
	c.line("#endif")
}

func tableC(p *Package, c *code) {
	c.line("#include \"table_generated.h\"")
	c.line("")
	c.line("const struct ibvgo_symbol ibvgo_symbols[] = {")
	for i := range p.Verbs {
		if v := &p.Verbs[i]; v.Symbol != "" {
			c.line("\t[%s] = {\"%s\", \"%s\"},", indexName(v), v.Symbol, v.Version)
		}
	}
	c.line("\t[%d] = {0, 0},", len(p.Verbs))
	c.line("};")
	c.line("")
	c.line("const int ibvgo_nsymbols = %d;", len(p.Verbs))
}

func tableGo(p *Package) (*jen.File, string) {
	f := jen.NewFile(p.Name)
	f.Comment("// The verbs that have a Go call.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for i := range p.Verbs {
			if v := &p.Verbs[i]; v.Go != "" {
				g.Id(verbConst(v)).Id("Verb").Op("=").Lit(i)
			}
		}
	})
	f.Line()
	f.Comment("// verbTable has the functions of the header, sorted by C name.")
	f.Var().Id("verbTable").Op("=").Index(jen.Op("...")).Id("verb").ValuesFunc(func(g *jen.Group) {
		for i := range p.Verbs {
			v := &p.Verbs[i]
			form := string(v.Form)
			if v.Go == "" && v.Stub == nil {
				form = ""
			}
			g.Line().Values(jen.Lit(v.C), jen.Lit(v.Go), jen.Lit(string(v.Kind)), jen.Lit(form), jen.Lit(v.Symbol), jen.Lit(v.Version),
				jen.Lit(v.Since))
		}
		g.Line()
	})
	return f, ""
}

// verbConst is the Go constant with the index of v.
func verbConst(v *Verb) string { return "Verb" + v.Go }
