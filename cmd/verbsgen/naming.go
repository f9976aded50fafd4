package main

import (
	"strings"

	"github.com/goverbs/ibv/gen/bind"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/plan"
)

// A naming tells the Go name of each C item, and since which release it exists.
type naming struct {
	types  map[string]*plan.Type // by Go name
	goName map[string]string     // C spelling ("struct ibv_wc"), constant or alias to Go name
	all    *model.Model          // what knows since when items exist
	since  map[string]string     // by kind and C name
	calls  map[string]bind.Verb  // by C name
}

func newNaming(p *plan.Package, all *model.Model) *naming {
	n := &naming{types: map[string]*plan.Type{}, goName: map[string]string{}, all: all, since: map[string]string{}}
	for i := range p.Types {
		n.addType(&p.Types[i])
	}
	for _, arch := range p.Archs {
		for i := range p.ArchTypes[arch] {
			n.addType(&p.ArchTypes[arch][i])
		}
	}
	for _, e := range p.Enums {
		n.addC(e.C, e.Go)
		n.addConsts(e.Group.Consts)
	}
	for _, g := range p.Groups {
		n.addConsts(g.Consts)
	}
	for _, it := range items(all, p.Archs[0]) {
		n.since[it.Kind+" "+it.C] = it.Since
	}
	return n
}

func (n *naming) addType(t *plan.Type) {
	n.types[t.Go] = t
	n.addC(t.C, t.Go)
}

func (n *naming) addC(names []string, goName string) {
	for _, c := range names {
		n.goName[c] = goName
	}
}

func (n *naming) addConsts(list []plan.Const) {
	for _, c := range list {
		n.goName[c.C] = c.Go
	}
}

// addCalls adds the Go calls of functions.
func (n *naming) addCalls(p *bind.Package) {
	n.calls = map[string]bind.Verb{}
	for _, v := range p.Verbs {
		n.calls[v.C] = v
	}
}

// call returns the Go call of a function or, if it has none, the reason.
func (n *naming) call(c string) (goName, reason string) {
	v := n.calls[c]
	return v.Go, v.Reason
}

// item returns the Go name of an item; empty for a function. A typedef has no keyword before its name.
func (n *naming) item(kind, c string) (goName, since string) {
	since = n.since[kind+" "+c]
	if s, ok := n.goName[kind+" "+c]; ok {
		return s, since
	}
	return n.goName[c], since
}

// members returns what Go calls the members of a struct or union, by path.
func (n *naming) members(kind, c string) map[string]goName {
	r := map[string]goName{}
	goType, _ := n.item(kind, c)
	n.walk(r, "", n.types[goType], 0)
	for i := range n.all.Aggregates {
		if a := &n.all.Aggregates[i]; a.Name == c {
			dateMembers(r, "", a, 0)
		}
	}
	return r
}

// maxDepth bounds the nesting of aggregates.
const maxDepth = 32

// walk adds t's fields and accessors, and those of its members whose types C does not name.
func (n *naming) walk(r map[string]goName, path string, t *plan.Type, depth int) {
	if t == nil || depth > maxDepth {
		return
	}
	for _, f := range t.Fields {
		if f.C != "" {
			n.put(r, join(path, f.C), goName{name: f.Go, typ: f.Type.String()}, f.Type, depth)
		}
	}
	for _, a := range t.Accessors {
		typ := a.Type
		text := typ.String()
		switch a.Form {
		case plan.InPlace:
			text = "*" + text
		case plan.Tail:
			text = "[]" + text
		}
		n.put(r, join(path, a.C), goName{name: a.Go + "()", typ: text}, typ, depth)
	}
}

func (n *naming) put(r map[string]goName, path string, g goName, typ plan.GoType, depth int) {
	r[path] = g
	for typ.Array() {
		typ = *typ.Elem
	}
	if t := n.types[typ.Name]; t != nil && isBody(t) {
		n.walk(r, path, t, depth+1)
	}
}

// isBody reports whether t is the unnamed body of a member, which is drawn with the member.
func isBody(t *plan.Type) bool { return len(t.C) > 0 && strings.HasPrefix(t.C[0], "the unnamed ") }

func dateMembers(r map[string]goName, path string, a *model.Aggregate, depth int) {
	if depth > maxDepth {
		return
	}
	for i := range a.Members {
		m := &a.Members[i]
		at := join(path, m.Name)
		if g, ok := r[at]; ok && m.Name != "" {
			g.since = m.Since
			r[at] = g
		}
		if body := bodyOf(&m.Type); body != nil {
			dateMembers(r, at, body, depth+1)
		}
	}
}
