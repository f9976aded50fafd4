package bind

import (
	"maps"
	"slices"
)

// prototypes is the one header that Go sees.
func prototypes(p *Package, c *code) {
	c.comment("The stubs, and the functions that Go calls. Numbers are spelled by their width, enums as numbers; void * is uintptr_t, " +
		"since in Go it is a number; so is what a pointer to a pointer points to.")
	c.line("")
	c.line("#ifndef IBVGO_CALLS_GENERATED_H")
	c.line("#define IBVGO_CALLS_GENERATED_H")
	c.line("")
	c.line("#include <stdint.h>")
	c.line("")
	c.comment("For cgo the structs have a byte: pointers to a struct without any are nothing that Go's collector and escape analysis follow. " +
		"Only pointers to them are ever used.")
	c.line("#ifdef IBVGO_FOR_GO")
	c.line("#define IBVGO_OBJECT(tag) tag { char ibvgo_byte; }")
	c.line("#else")
	c.line("#define IBVGO_OBJECT(tag) tag")
	c.line("#endif")
	c.line("")
	for _, tag := range tags(p) {
		c.line("IBVGO_OBJECT(%s);", tag)
	}
	c.line("")
	for i := range p.Verbs {
		v := &p.Verbs[i]
		if v.Stub != nil {
			c.line("%s;", declare(v.Stub.Result, v.Stub.Name, v.Stub.Params))
		}
		if v.Thunk != "" && v.How != ThroughStub {
			c.line("%s;", declare(v.Result, v.Thunk, v.Params))
		}
	}
	c.line("")
	c.line("#endif")
}

// tags are the structs and unions that the prototypes mention.
func tags(p *Package) []string {
	seen := map[string]bool{}
	add := func(result Type, params []Param) {
		seen[result.Tag] = true
		for _, a := range params {
			seen[a.Type.Tag] = true
		}
	}
	for i := range p.Verbs {
		v := &p.Verbs[i]
		if v.Stub != nil {
			add(v.Stub.Result, v.Stub.Params)
		}
		if v.Thunk != "" {
			add(v.Result, v.Params)
		}
	}
	delete(seen, "")
	return slices.Sorted(maps.Keys(seen))
}
