package bind

import (
	"fmt"
	"strings"
)

// stubs stand for the exported functions, for Go and for the header's inlines.
func stubs(p *Package, c *code) {
	c.comment("A call goes to the provider of its object, if that is in this process, else to the library. If there is neither, it fails " +
		"the way the function does. " + p.Header + " is not included: what it has does not matter here.")
	c.line("")
	for _, h := range []string{"calls_generated.h", "count.h", "event.h", "registry.h", "table_generated.h"} {
		c.line("#include \"%s\"", h)
	}
	c.line("#include <errno.h>")
	c.line("#include <stddef.h>")
	c.line("#include <string.h>")
	c.line("")
	defineByArch(c)
	c.line("")
	c.comment("context_at returns the pointer that object has at offset. Nobody passes NULL, but then the library is to find out.")
	c.line("static inline const void *context_at(const void *object, size_t offset)")
	c.line("{")
	c.line("\tconst void *context = NULL;")
	c.line("")
	c.line("\tif (object)")
	c.line("\t\tmemcpy(&context, (const char *)object + offset, sizeof context);")
	c.line("\treturn context;")
	c.line("}")
	for i := range p.Verbs {
		if v := &p.Verbs[i]; v.Stub != nil {
			c.line("")
			stub(v, c)
		}
	}
}

func stub(v *Verb, c *code) {
	s := v.Stub
	index := indexName(v)
	c.line("%s", declare(s.Result, s.Name, s.Params))
	c.line("{")
	c.line("\tint why = 0;")
	c.line("\t%s = %sibvgo_pick(%s, %s, &why);", pointer(s.Result, "fn", s.Params), cast(s.Result, s.Params), s.object(), index)
	c.line("")
	if v.How == ThroughStub || v.Go == "" {
		c.line("\tIBVGO_COUNT(%s);", index)
	}
	c.line("\tif (!fn) {")
	for _, l := range v.failing() {
		c.line("\t\t%s", l)
	}
	c.line("\t}")
	word := "return "
	if s.Result.Class == Void {
		word = ""
	}
	c.line("\t%sfn(%s);", word, names(s.Params))
	c.line("}")
}

// object is the C expression of what may be registered.
func (s *Stub) object() string {
	o := s.Owner
	switch {
	case o.Param < 0:
		return "NULL"
	case o.Func != "":
		return fmt.Sprintf("%s(%s)", o.Func, s.Params[o.Param].C)
	case o.Self:
		return s.Params[o.Param].C
	}
	return fmt.Sprintf("context_at(%s, %s)", s.Params[o.Param].C, number(o.Offset))
}

// failing are the statements of a stub that has nobody to call.
func (v *Verb) failing() []string {
	value := map[Form]string{Null: "0", Errno: "why", Minus1: "-1", Negative: "-why", None: "0"}[v.Form]
	switch {
	case v.Stub.Result.Class == Void:
		return []string{"errno = why;", "return;"}
	case v.Stub.Result.Class == Text:
		value = `""` // callers print it
	case strings.HasSuffix(v.Stub.Result.C, "*"):
		value = "NULL"
	}
	return []string{"errno = why;", "return " + value + ";"}
}
