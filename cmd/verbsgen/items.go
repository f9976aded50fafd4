package main

import (
	"fmt"
	"slices"

	"github.com/goverbs/ibv/gen/model"
)

// kinds are the kinds of items, in the order of the listing.
var kinds = []string{"struct", "union", "enum", "enumerator", "constant", "alias", "function"}

// An item is one line of the listing.
type item struct {
	Kind    string `json:"kind"`
	C       string `json:"c"`
	Go      string `json:"go,omitempty"`
	Since   string `json:"since,omitempty"`
	Size    int64  `json:"size,omitempty"`    // bytes, of a struct, union or enum
	Value   string `json:"value,omitempty"`   // of an enumerator or constant
	Of      string `json:"of,omitempty"`      // the enum of an enumerator, the tag behind an alias
	How     string `json:"how,omitempty"`     // of a function: exported, inline, macro
	Version string `json:"version,omitempty"` // symbol version of an exported function
	Hidden  bool   `json:"hidden,omitempty"`  // a macro of the same name stands before the function
	NoGo    string `json:"noGo,omitempty"`    // of a function: why Go has no call for it
	note    string
}

// items lists what m declares, by kind and then C name, without Go names.
func items(m *model.Model, arch string) []item {
	var list []item
	for i := range m.Aggregates {
		a := &m.Aggregates[i]
		it := item{Kind: "struct", C: a.Name, Size: a.Size.At(arch), Since: a.Since}
		if a.Union {
			it.Kind = "union"
		}
		it.note = plural(it.Size, "byte")
		if a.Opaque {
			it.note = "declared only"
		}
		list = append(list, it)
	}
	for i := range m.Enums {
		list = append(list, enumItems(&m.Enums[i])...)
	}
	for _, c := range m.Consts {
		list = append(list, item{Kind: "constant", C: c.Name, Value: c.Value.String(), Since: c.Since, note: "= " + c.Value.String()})
	}
	for _, a := range m.Aliases {
		list = append(list, item{Kind: "alias", C: a.Name, Of: a.Tag, Since: a.Since, note: "for " + a.Tag})
	}
	for i := range m.Funcs {
		list = append(list, funcItem(&m.Funcs[i]))
	}
	slices.SortStableFunc(list, func(a, b item) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return list
}

func enumItems(e *model.Enum) []item {
	sign := "unsigned"
	if e.Signed {
		sign = "signed"
	}
	c := e.Name
	if c == "" && len(e.Enumerators) > 0 {
		c = "the enum of " + e.Enumerators[0].Name
	}
	list := []item{{Kind: "enum", C: c, Size: e.Size, Since: e.Since, note: fmt.Sprintf("%s, %s", plural(e.Size, "byte"), sign)}}
	for _, v := range e.Enumerators {
		value := v.Value.String()
		list = append(list, item{Kind: "enumerator", C: v.Name, Value: value, Of: e.Name, Since: v.Since, note: "= " + value})
	}
	return list
}

func funcItem(f *model.Func) item {
	it := item{Kind: "function", C: f.Name, How: string(f.Kind), Version: f.Version, Hidden: f.Hidden, Since: f.Since, note: string(f.Kind)}
	if f.Version != "" {
		it.note += " " + f.Version
	}
	if f.Hidden {
		it.note += ", behind a macro"
	}
	return it
}
