package bind

// inlines are the calls of what the header has as code.
func inlines(p *Package, c *code) {
	c.comment("Calls of the inlines and macros of " + p.Header + " as the header being built with has them. Structs that differ between " +
		"releases are passed as copies that have room for the larger of the header's form and Go's: an inline may clear, fill or hand on " +
		"as many bytes as its header says, and Go's memory has only as many as Go's form has.")
	c.line("")
	c.line("#include \"labels_generated.h\"")
	c.line("")
	c.line("#include <%s>", p.Header)
	c.line("#include \"calls_generated.h\"")
	c.line("#include \"count.h\"")
	c.line("#include \"table_generated.h\"")
	c.line("#include <errno.h>")
	c.line("#include <string.h>")
	for i := range p.Verbs {
		if v := &p.Verbs[i]; v.How == ThroughHeader {
			c.line("")
			inline(v, c)
		}
	}
}

func inline(v *Verb, c *code) {
	c.line("%s", declare(v.Result, v.Thunk, v.Params))
	c.line("{")
	last := lastGrow(v.Params)
	for _, a := range v.Params {
		if a.Grow != nil {
			c.line("\tunion {")
			c.line("\t\t%s header;", a.Grow.Type)
			c.line("\t\tunsigned char room[%d];", a.Grow.Size.V)
			c.line("\t} %s_copy;", a.C)
		}
	}
	kept := v.Result.Class != Void && (back(v.Params) || v.OrMinus1)
	if kept {
		c.line("\t%sr;", v.Result.C)
	}
	if last >= 0 || kept {
		c.line("")
	}
	c.line("\tIBVGO_COUNT(%s);", indexName(v))
	for _, a := range v.Params {
		if a.Grow != nil {
			c.line("\tmemset(&%s_copy, 0, sizeof %[1]s_copy);", a.C)
			c.line("\tif (%s)", a.C)
			c.line("\t\tmemcpy(&%s_copy, %[1]s, sizeof %[1]s_copy.room);", a.C)
		}
	}
	if v.OrMinus1 {
		c.line("\terrno = 0;")
	}
	call := headerCall(v)
	switch {
	case v.Result.Class == Void:
		c.line("\t%s;", call)
	case kept:
		c.line("\tr = %s;", call)
	default:
		c.line("\treturn %s;", call)
	}
	for _, a := range v.Params {
		if a.Grow != nil && !a.Grow.In {
			c.line("\tif (%s)", a.C)
			c.line("\t\tmemcpy(%s, &%[1]s_copy, sizeof %[1]s_copy.room);", a.C)
		}
	}
	switch {
	case v.OrMinus1:
		c.line("\treturn r == -1 && errno ? errno : r;")
	case kept:
		c.line("\treturn r;")
	}
	c.line("}")
}

func lastGrow(params []Param) int {
	last := -1
	for i, a := range params {
		if a.Grow != nil {
			last = i
		}
	}
	return last
}

// back tells whether something has to be copied after the call.
func back(params []Param) bool {
	for _, a := range params {
		if a.Grow != nil && !a.Grow.In {
			return true
		}
	}
	return false
}

// headerCall is the call of the header's inline or macro.
func headerCall(v *Verb) string {
	args := ""
	for i, a := range v.Params {
		if i > 0 {
			args += ", "
		}
		switch {
		case a.Grow != nil:
			args += a.C + " ? &" + a.C + "_copy.header : NULL"
		case a.Type.Header != "":
			args += "(" + a.Type.Header + ")" + a.C
		default:
			args += a.C
		}
	}
	call := v.C + "(" + args + ")"
	if v.Result.Class == Address || v.Result.Class == Slot {
		call = "(" + trim(v.Result.C) + ")" + call
	}
	return call
}
