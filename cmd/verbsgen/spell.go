package main

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// spell splits a member's declaration into its type and its declarator. The signature of a function is not known.
func spell(m *model.Member, typedefs map[string]bool) (base, decl string) {
	t := withFunction(m.Type)
	inner := &t
	for inner.Typedef == "" && (inner.Kind == model.Pointer || inner.Kind == model.Array) {
		inner = inner.Elem
	}
	base = inner.C("", typedefs)
	decl = strings.TrimPrefix(strings.TrimPrefix(t.C(m.Name, typedefs), base), " ")
	if m.Bits != nil {
		decl += fmt.Sprintf(":%d", m.Bits.Width)
	}
	return base, decl
}

// withFunction is t with a function at its end replaced by a name for it.
func withFunction(t model.Type) model.Type {
	switch {
	case t.Elem != nil:
		e := withFunction(*t.Elem)
		t.Elem = &e
	case t.Kind == model.Function && t.Typedef == "":
		t = model.Type{Kind: model.Scalar, Name: "function"}
	}
	return t
}

// bodyOf is the unnamed aggregate that t, or what t is an array of, is made of.
func bodyOf(t *model.Type) *model.Aggregate {
	for t.Kind == model.Array {
		t = t.Elem
	}
	return t.Body
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
