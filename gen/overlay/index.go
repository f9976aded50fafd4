package overlay

import "github.com/goverbs/ibv/gen/model"

// An index holds what a model declares, in the terms in which an overlay names it.
type index struct {
	aggregates map[string]map[string]bool // by tag: the paths of the members
	enums      map[string]map[string]bool // by tag or first enumerator: the enumerators
	consts     map[string]bool
	functions  map[string]bool
}

func newIndex(m *model.Model) *index {
	x := &index{
		aggregates: make(map[string]map[string]bool, len(m.Aggregates)),
		enums:      make(map[string]map[string]bool, len(m.Enums)),
		consts:     make(map[string]bool, len(m.Consts)),
		functions:  make(map[string]bool, len(m.Funcs)),
	}
	for i := range m.Aggregates {
		paths := map[string]bool{}
		addPaths(paths, "", &m.Aggregates[i], 0)
		x.aggregates[m.Aggregates[i].Name] = paths
	}
	for _, e := range m.Enums {
		if key := enumKey(e); key != "" {
			values := make(map[string]bool, len(e.Enumerators))
			for _, v := range e.Enumerators {
				values[v.Name] = true
			}
			x.enums[key] = values
		}
	}
	for _, c := range m.Consts {
		x.consts[c.Name] = true
	}
	for _, f := range m.Funcs {
		x.functions[f.Name] = true
	}
	return x
}

// enumKey is how an overlay names an enum.
func enumKey(e model.Enum) string {
	if e.Name == "" && len(e.Enumerators) > 0 {
		return e.Enumerators[0].Name
	}
	return e.Name
}

// maxDepth bounds the nesting of unnamed aggregates; a record could hold more, but no header does.
const maxDepth = 64

// addPaths adds the members of a, and those of the unnamed aggregates inside it.
func addPaths(paths map[string]bool, prefix string, a *model.Aggregate, depth int) {
	if depth > maxDepth {
		return
	}
	for i := range a.Members {
		member := &a.Members[i]
		inner := prefix
		if member.Name != "" {
			paths[prefix+member.Name] = true
			inner = prefix + member.Name + "."
		}
		if body := unnamedBody(&member.Type); body != nil {
			addPaths(paths, inner, body, depth+1)
		}
	}
}

// unnamedBody is the unnamed aggregate that t is, points to or is an array of; nil if there is none.
func unnamedBody(t *model.Type) *model.Aggregate {
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Body
}
