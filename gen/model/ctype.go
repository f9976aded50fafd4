package model

import (
	"fmt"
	"strings"
)

// C spells a declaration of name with type t; without a name, the type itself. Typedef names are used where the header
// used them; typedefs tells which aggregates and enums have no tag. The body of an unnamed aggregate is left out.
func (t Type) C(name string, typedefs map[string]bool) string {
	decl := name
	p := &t
	for ; p.Typedef == "" && (p.Kind == Pointer || p.Kind == Array); p = p.Elem {
		switch {
		case p.Kind == Pointer && p.Const:
			decl = strings.TrimSuffix("*const "+decl, " ")
		case p.Kind == Pointer:
			decl = "*" + decl
		case p.Len < 0:
			decl = group(decl) + "[]"
		default:
			decl = fmt.Sprintf("%s[%d]", group(decl), p.Len)
		}
	}
	if p.Kind == Function && p.Typedef == "" {
		// The signature is not kept.
		return "void " + group(decl) + "()"
	}
	base := p.base(typedefs)
	if p.Const {
		base = "const " + base
	}
	return strings.TrimSuffix(base+" "+decl, " ")
}

// group puts parentheses around a pointer declarator that an array or function suffix follows.
func group(decl string) string {
	if strings.HasPrefix(decl, "*") {
		return "(" + decl + ")"
	}
	return decl
}

func (t *Type) base(typedefs map[string]bool) string {
	switch {
	case t.Typedef != "":
		return t.Typedef
	case t.Kind == Void:
		return "void"
	case t.Kind == Scalar || typedefs[t.Name]:
		return t.Name
	case t.Kind == Struct:
		return strings.TrimSuffix("struct "+t.Name, " ")
	case t.Kind == Union:
		return strings.TrimSuffix("union "+t.Name, " ")
	}
	return "enum " + t.Name
}

// Typedefs returns the names of aggregates and enums that have no tag, for Type.C.
func (m *Model) Typedefs() map[string]bool {
	r := map[string]bool{}
	for _, a := range m.Aggregates {
		if a.Typedef {
			r[a.Name] = true
		}
	}
	for _, e := range m.Enums {
		if e.Typedef {
			r[e.Name] = true
		}
	}
	return r
}
