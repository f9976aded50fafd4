package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// TestErrors has models that nothing can be made of. Each error is one line with the place and the item.
func TestErrors(t *testing.T) {
	at := func(a model.Aggregate, pos string) model.Aggregate { a.Pos = pos; return a }
	unsizedBits := member(0, 4, "int", "f")
	unsizedBits.Bits = &model.Bits{Width: 40}
	for _, tt := range []struct {
		what string
		m    model.Model
		want []string
	}{
		{"two structs, one name", model.Model{Aggregates: []model.Aggregate{
			at(aggregate("ibv_foo_bar", 0, 1), "a.h:3"), at(aggregate("foo__bar", 0, 1), "b.h:7")}},
			[]string{"FooBar", "struct ibv_foo_bar", "struct foo__bar", "a.h:3", "b.h:7"}},
		{"struct and constant", model.Model{Aggregates: []model.Aggregate{aggregate("ibv_WC", 0, 1)},
			Consts: []model.Const{{Name: "WC", Pos: "a.h:9"}}}, []string{"a.h:9: macro WC", "struct ibv_WC"}},
		{"helper's name", model.Model{Aggregates: []model.Aggregate{aggregate("be32", 0, 1)}}, []string{"struct be32", "Be32"}},
		{"two members", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 4, member(0, 4, "int", "a_b"), member(4, 4, "int", "aB"),
			member(4, 4, "int", "AB"))}}, []string{"struct s"}},
		{"overlap", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 4, member(0, 4, "int", "a"), member(2, 4, "int", "b"))}},
			[]string{"struct s: member b", "overlaps"}},
		{"beyond the end", model.Model{Aggregates: []model.Aggregate{aggregate("s", 4, 4, member(0, 8, "long", "a"))}}, []string{"beyond"}},
		{"size of the type", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 8, member(0, 8, "int", "a"))}},
			[]string{"4 bytes in Go and 8 in C"}},
		{"unknown struct", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 8, member(0, 8, "* struct gone", "a"))}},
			[]string{"member a", "struct gone"}},
		{"unknown enum", model.Model{Aggregates: []model.Aggregate{aggregate("s", 4, 4, member(0, 4, "enum gone", "a"))}},
			[]string{"enum gone is not declared"}},
		{"itself", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 8, member(0, 8, "struct s", "a"))}}, []string{"contains itself"}},
		{"deep nesting", nested(30), []string{"nested more than 12 deep"}},
		{"no size", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 8, member(0, 8, "void", "a"))}}, []string{"has no size"}},
		{"enum of 3 bytes", model.Model{Enums: []model.Enum{{Name: "e", Size: 3}}}, []string{"enum e", "3 bytes"}},
		{"wide bit-field", model.Model{Aggregates: []model.Aggregate{aggregate("s", 8, 4, unsizedBits)}}, []string{"bit-field of 40 bits"}},
		{"huge", model.Model{Aggregates: []model.Aggregate{aggregate("s", 1<<40, 8)}}, []string{"struct s", "1099511627776"}},
		{"alignment 3", model.Model{Aggregates: []model.Aggregate{aggregate("s", 6, 3)}}, []string{"alignment 3"}},
		{"alias of nothing", model.Model{Aliases: []model.Alias{{Name: "a", Tag: "b"}}}, []string{"stands for b"}},
	} {
		tt.m.Header = "infiniband/x.h"
		tt.m.Release = "65.0"
		_, err := Plan(&tt.m, nil, Options{})
		if err == nil {
			t.Errorf("%s: no error", tt.what)
			continue
		}
		for _, want := range append(tt.want, ": ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not have %q", tt.what, err, want)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: several lines: %q", tt.what, err)
		}
	}
	for _, pkg := range []string{"a b", "func", "_", "1", "a\nb"} {
		if _, err := Plan(&model.Model{Header: "x.h"}, nil, Options{Package: pkg}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("package %q: %v", pkg, err)
		}
	}
}

// TestWrap also has marks that gofmt would take for a list at the start of a line: they stay on the line before.
func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct {
		in   []string
		want string
	}{
		{nil, ""}, {[]string{"", " "}, ""}, {[]string{"a\nb", "", "c"}, "a b||c"}, {[]string{"a\n\nb"}, "a||b"},
		{[]string{long + "- 1. # x"}, strings.TrimSpace(strings.Repeat("word ", 22)) + "|" + strings.Repeat("word ", 18) + "- 1. # x"},
	} {
		if got := strings.Join(wrap(tt.in...), "|"); got != tt.want {
			t.Errorf("wrap(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// nested is a chain of structs, each the last member of the next.
func nested(n int) model.Model {
	var m model.Model
	last := "int"
	for i := range n {
		name := fmt.Sprintf("s%02d", i)
		size := int64(4 * (i + 1))
		m.Aggregates = append(m.Aggregates, aggregate(name, size+4, 4, member(0, 4, "int", "a"), member(4, size, last, "b")))
		last = "struct " + name
	}
	return m
}
