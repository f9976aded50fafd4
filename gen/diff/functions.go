package diff

import (
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// functions compares functions and function-like macros.
func (c *comparison) functions() {
	olds, news := byName(c.old.Funcs), byName(c.new.Funcs)
	for name, o := range olds {
		n := news[name]
		if n == nil {
			c.add(RemovedName, Incompatible, Change{Item: name + "()", Old: describe(o)})
			continue
		}
		c.function(o, n)
	}
	for name, n := range news {
		if olds[name] == nil {
			c.add(AddedName, Compatible, Change{Item: name + "()", New: describe(n)})
		}
	}
}

func byName(list []model.Func) map[string]*model.Func {
	r := map[string]*model.Func{}
	for i := range list {
		r[list[i].Name] = &list[i]
	}
	return r
}

// describe says how a function reaches its caller.
func describe(f *model.Func) string {
	s := string(f.Kind)
	if f.Version != "" {
		s += " " + f.Version
	}
	if f.Hidden {
		s += ", behind a macro"
	}
	return s
}

func (c *comparison) function(o, n *model.Func) {
	ch := Change{Item: o.Name + "()"}
	if o.Kind != n.Kind || o.Hidden != n.Hidden {
		ch.Old, ch.New = describe(o), describe(n)
		class := Compatible // the source still compiles
		if o.Kind == model.Exported && n.Kind != model.Exported {
			class, ch.Note = Incompatible, "no longer exported by the header"
		}
		c.add(ChangedFunction, class, ch)
	} else if o.Version != "" && n.Version != "" && o.Version != n.Version {
		c.add(ChangedVersion, Incompatible, Change{Item: ch.Item, Old: o.Version, New: n.Version})
	}
	if o.Kind == model.Macro && n.Kind == model.Macro && len(o.Params) != len(n.Params) || c.old.call(o) != c.new.call(n) && o.Kind != model.Macro && n.Kind != model.Macro {
		c.add(ChangedFunction, Incompatible, Change{Item: ch.Item, Old: c.old.signature(o), New: c.new.signature(n)})
	} else if !alike(o, n) {
		c.add(ChangedFunction, Compatible, Change{Item: ch.Item, Old: c.old.signature(o), New: c.new.signature(n), Note: "called alike"})
	}
}

// call spells how f is called, as the machine sees it.
func (s sideModel) call(f *model.Func) string {
	parts := []string{s.pass(f.Result)}
	for _, q := range f.Params {
		parts = append(parts, s.pass(q.Type))
	}
	if f.Variadic {
		parts = append(parts, "...")
	}
	return strings.Join(parts, " ")
}

// alike reports whether two functions that are called alike also have the same types.
func alike(o, n *model.Func) bool {
	if o.Kind == model.Macro || n.Kind == model.Macro {
		return true
	}
	for i := range o.Params {
		if !same(o.Params[i].Type, n.Params[i].Type) {
			return false
		}
	}
	return same(o.Result, n.Result)
}

// signature spells f's declaration as C does.
func (s sideModel) signature(f *model.Func) string {
	var parts []string
	for _, q := range f.Params {
		if f.Kind == model.Macro {
			parts = append(parts, q.Name)
			continue
		}
		parts = append(parts, q.Type.C(q.Name, s.typedefs))
	}
	if f.Variadic {
		parts = append(parts, "...")
	}
	return strings.TrimSpace(s.c(f.Result) + " (" + strings.Join(parts, ", ") + ")")
}

// aliases compares macros that rename tags.
func (c *comparison) aliases() {
	olds, news := map[string]string{}, map[string]string{}
	for _, a := range c.old.Aliases {
		olds[a.Name] = a.Tag
	}
	for _, a := range c.new.Aliases {
		news[a.Name] = a.Tag
	}
	for name, o := range olds {
		n, ok := news[name]
		switch {
		case !ok && c.new.aggregate[name] == nil && c.new.enum[name] == nil:
			c.add(RemovedName, Incompatible, Change{Item: name, Old: "another name of " + o})
		case !ok:
			c.add(ChangedAlias, Compatible, Change{Item: name, Old: "another name of " + o, New: "a type"})
		case o != n:
			c.add(ChangedAlias, Incompatible, Change{Item: name, Old: "another name of " + o, New: n})
		}
	}
	for name, n := range news {
		if _, ok := olds[name]; !ok {
			c.add(AddedName, Compatible, Change{Item: name, New: "another name of " + n})
		}
	}
}
