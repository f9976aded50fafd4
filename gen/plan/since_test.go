package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

func TestOlder(t *testing.T) {
	order := []string{"9", "9.1", "33.2", "44.0", "56.1", "100.0"}
	for i, a := range order {
		for j, b := range order {
			if older(a, b) != (i < j) {
				t.Errorf("older(%s, %s) = %v", a, b, i >= j)
			}
		}
	}
}

// TestSince checks what comments say of items and parts of items in a union of records.
func TestSince(t *testing.T) {
	m := &model.Model{Header: "infiniband/x.h", Release: "65.0",
		Aggregates: []model.Aggregate{
			{Name: "ibv_old", Size: model.N(8), Align: model.N(4), Since: "33.2", Members: []model.Member{
				{Name: "a", Type: i32, Size: model.N(4), Since: "33.2"},
				{Name: "b", Type: i32, Size: model.N(4), Offset: model.N(4), Since: "56.1"},
			}},
			{Name: "ibv_outer", Size: model.N(4), Align: model.N(4), Since: "33.2", Members: []model.Member{
				{Name: "in", Type: model.Type{Kind: model.Struct, Body: &model.Aggregate{Size: model.N(4), Align: model.N(4),
					Members: []model.Member{{Name: "a", Type: i32, Size: model.N(4), Since: "44.0"}}}}, Size: model.N(4), Since: "44.0"},
			}},
			{Name: "ibv_new", Size: model.N(4), Align: model.N(4), Since: "56.1", Members: []model.Member{
				{Name: "a", Type: i32, Size: model.N(4), Since: "56.1"},
			}},
		},
		Enums: []model.Enum{{Name: "ibv_e", Size: 4, Since: "33.2", Enumerators: []model.Enumerator{
			{Name: "A", Since: "33.2"}, {Name: "B", Value: model.Int(1), Since: "44.0"}}}},
		Consts: []model.Const{{Name: "C", Since: "44.0"}},
	}
	p := mustPlan(t, m)
	if want := "ABI records of rdma-core 33.2 to 65.0"; p.Source != want {
		t.Errorf("source %q, want %q", p.Source, want)
	}
	for got, want := range map[string]string{
		typeNamed(t, p, "Old").Doc[0]:                                           "Old is struct ibv_old (8 bytes), since 33.2 or before.",
		typeNamed(t, p, "New").Doc[0]:                                           "New is struct ibv_new (4 bytes), since 56.1.",
		typeNamed(t, p, "OuterIn").Doc[0]:                                       "OuterIn is the unnamed struct in of struct ibv_outer (4 bytes), since 44.0.",
		notes(typeNamed(t, p, "OuterIn")) + ".":                                 "int a.",
		notes(typeNamed(t, p, "Old")):                                           "int a, int b; since 56.1",
		notes(typeNamed(t, p, "New")):                                           "int a",
		p.Enums[0].Group.Consts[0].Note + "/" + p.Enums[0].Group.Consts[1].Note: "/since 44.0",
		p.Groups[0].Consts[0].Note:                                              "since 44.0",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

var i32 = model.Type{Kind: model.Scalar, Name: "int"}

func mustPlan(t *testing.T, m *model.Model) *Package {
	t.Helper()
	p, err := Plan(m, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func typeNamed(t *testing.T, p *Package, name string) Type {
	t.Helper()
	i := slices.IndexFunc(p.Types, func(ty Type) bool { return ty.Go == name })
	if i < 0 {
		t.Fatalf("no type %s", name)
	}
	return p.Types[i]
}

// notes are the comments at the ends of the fields' lines.
func notes(ty Type) string {
	var r []string
	for _, f := range ty.Fields {
		if f.Note != "" {
			r = append(r, f.Note)
		}
	}
	return strings.Join(r, ", ")
}
