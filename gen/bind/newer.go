package bind

import (
	"fmt"
	"strings"
)

// newer are the calls of inlines that are not taken from the header.
func newer(p *Package, c *code) {
	c.comment("Inlines that older headers lack, or that pass a size on, written from the records: the header does not matter.")
	c.line("")
	for _, h := range []string{"calls_generated.h", "count.h", "table_generated.h"} {
		c.line("#include \"%s\"", h)
	}
	c.line("#include <errno.h>")
	c.line("#include <stddef.h>")
	c.line("#include <string.h>")
	c.line("")
	defineByArch(c)
	if hasWay(p, ThroughObject) || hasWay(p, ThroughContext) {
		c.line("")
		c.comment("word_at reads a word of a struct.")
		c.line("static inline uintptr_t word_at(const void *start, ptrdiff_t offset)")
		c.line("{")
		c.line("\tuintptr_t word;")
		c.line("")
		c.line("\tmemcpy(&word, (const char *)start + offset, sizeof word);")
		c.line("\treturn word;")
		c.line("}")
	}
	if hasWay(p, ThroughContext) {
		contextFunction(c)
	}
	for i := range p.Verbs {
		v := &p.Verbs[i]
		switch v.How {
		case ThroughSized:
			sizedCall(v, c)
		case ThroughObject:
			objectCall(v, c)
		case ThroughContext:
			contextCall(v, c)
		}
	}
}

func hasWay(p *Package, how How) bool {
	for i := range p.Verbs {
		if p.Verbs[i].How == how {
			return true
		}
	}
	return false
}

func sizedCall(v *Verb, c *code) {
	c.line("")
	c.line("%s", declare(v.Result, v.Thunk, v.Params))
	c.line("{")
	c.line("\tIBVGO_COUNT(%s);", indexName(v))
	c.line("\treturn %s(%s);", v.Sized.Stub, strings.Join([]string{names(v.Params), number(v.Sized.Size)}, ", "))
	c.line("}")
}

func objectCall(v *Verb, c *code) {
	c.line("")
	c.comment(fmt.Sprintf("A %s that was created without %s has something else there, or nothing: whoever calls this knows that it was created with it.",
		v.Params[0].Type.Tag, v.Member.Name))
	c.line("%s", declare(v.Result, v.Thunk, v.Params))
	c.line("{")
	c.line("\t%s = %sword_at(%s, %s);", pointer(v.Result, "fn", v.Params), cast(v.Result, v.Params), v.Params[0].C, number(v.Member.Offset))
	c.line("")
	c.line("\tIBVGO_COUNT(%s);", indexName(v))
	c.line("\t%sfn(%s);", returning(v), names(v.Params))
	c.line("}")
}

func contextFunction(c *code) {
	c.line("")
	c.comment("function_at returns the function that the extended context around context has at a distance from its end; 0 if context has no " +
		"extended one or that ends before it. The offsets in context are of the word that is all ones for an extended one, and, backwards, of " +
		"the extended one's size.")
	c.line("static uintptr_t function_at(const void *context, ptrdiff_t extended, ptrdiff_t size, size_t distance, ptrdiff_t own)")
	c.line("{")
	c.line("\tif (!context || word_at(context, extended) != UINTPTR_MAX || word_at(context, -size) < distance)")
	c.line("\t\treturn 0;")
	c.line("\treturn word_at(context, own - (ptrdiff_t)distance);")
	c.line("}")
}

func contextCall(v *Verb, c *code) {
	m := v.Member
	context := v.Params[m.Object.Param].C
	if !m.Object.Self {
		context = fmt.Sprintf("(const void *)word_at(%s, %s)", context, number(m.Object.Offset))
	}
	c.line("")
	c.line("%s", declare(v.Result, v.Thunk, v.Params))
	c.line("{")
	c.line("\t%s = %sfunction_at(%s, %s, %s, %s, %s);", pointer(v.Result, "fn", v.Params), cast(v.Result, v.Params), context,
		number(m.Extended), number(m.Size), number(m.Offset), number(m.Own))
	c.line("")
	c.line("\tIBVGO_COUNT(%s);", indexName(v))
	c.line("\tif (!fn) {")
	value := map[Form]string{Null: " 0", Errno: " EOPNOTSUPP", Minus1: " -1", Negative: " -EOPNOTSUPP", None: " 0"}[v.Form]
	if v.Result.Class == Void {
		value = ""
	}
	c.line("\t\terrno = EOPNOTSUPP;")
	c.line("\t\treturn%s;", value)
	c.line("\t}")
	c.line("\t%sfn(%s);", returning(v), names(v.Params))
	c.line("}")
}

// returning is the start of a statement that ends v's thunk.
func returning(v *Verb) string {
	if v.Result.Class == Void {
		return ""
	}
	return "return "
}

func trim(s string) string { return strings.TrimSpace(s) }
