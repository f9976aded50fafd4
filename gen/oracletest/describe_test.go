package oracletest

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// describe spells what the model knows of an item ("struct s", "union u", "typedef t", "enum e", "enumerators of A", "macro M",
// "func f") on amd64, for tables of right answers written by hand.
func describe(m *model.Model, item string) string {
	word, name, _ := strings.Cut(item, " ")
	for i := range m.Aggregates {
		a := &m.Aggregates[i]
		if a.Name == name && word == aggregateWord(a) {
			if a.Opaque {
				return "opaque"
			}
			return fmt.Sprintf("size %d align %d: %s", a.Size.At("amd64"), a.Align.At("amd64"), describeMembers(a))
		}
	}
	for i := range m.Enums {
		e := &m.Enums[i]
		untagged := e.Name == "" && item == "enumerators of "+e.Enumerators[0].Name
		if untagged || e.Name == name && (word == "enum" && !e.Typedef || word == "typedef" && e.Typedef) {
			return describeEnum(e)
		}
	}
	for i := range m.Consts {
		if c := &m.Consts[i]; c.Name == name && word == "macro" {
			return c.Value.String() + " " + c.Type.Text()
		}
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.Name == name && word == "func" {
			return fmt.Sprintf("%s, hidden %v", f.Kind, f.Hidden)
		}
	}
	return "none"
}

func aggregateWord(a *model.Aggregate) string {
	switch {
	case a.Typedef:
		return "typedef"
	case a.Union:
		return "union"
	}
	return "struct"
}

// describeMembers lists names and offsets; members of unnamed aggregates in braces, counted from the innermost start.
func describeMembers(a *model.Aggregate) string {
	var list []string
	for i := range a.Members {
		mem := &a.Members[i]
		s := fmt.Sprintf("%s %d", mem.Name, mem.Offset.At("amd64"))
		if mem.Bits != nil {
			s = fmt.Sprintf("%s bit %d+%d", mem.Name, mem.Bits.Pos.At("amd64"), mem.Bits.Width)
		}
		t := &mem.Type
		for t.Elem != nil {
			t = t.Elem
		}
		if t.Body != nil {
			s += " {" + describeMembers(t.Body) + "}"
		}
		list = append(list, strings.TrimSpace(s))
	}
	return strings.Join(list, ", ")
}

func describeEnum(e *model.Enum) string {
	sign := "unsigned"
	if e.Signed {
		sign = "signed"
	}
	s := fmt.Sprintf("size %d %s:", e.Size, sign)
	for _, v := range e.Enumerators {
		s += fmt.Sprintf(" %s %s", v.Name, v.Value)
	}
	return s
}
