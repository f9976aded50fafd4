package record

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goverbs/ibv/gen/model"
)

func field(name string, offset, size int64) model.Member {
	byte1 := model.Type{Kind: model.Scalar, Name: "unsigned char"}
	return model.Member{Name: name, Type: model.Type{Kind: model.Array, Len: size, Elem: &byte1}, Offset: model.N(offset), Size: model.N(size)}
}

func structOf(name string, size int64, members ...model.Member) model.Aggregate {
	return model.Aggregate{Name: name, Size: model.N(size), Align: model.N(1), Members: members}
}

func unnamed(offset int64, union bool, size int64, members ...model.Member) model.Member {
	b := structOf("", size, members...)
	kind := model.Struct
	if b.Union = union; union {
		kind = model.Union
	}
	return model.Member{Type: model.Type{Kind: kind, Body: &b}, Offset: model.N(offset), Size: model.N(size)}
}

func at(release string, as ...model.Aggregate) *model.Model {
	return &model.Model{Header: "x.h", Release: release, Aggregates: as}
}

func enum(name string, values ...any) model.Enum {
	e := model.Enum{Name: name, Size: 4}
	for i := 0; i < len(values); i += 2 {
		e.Enumerators = append(e.Enumerators, model.Enumerator{Name: values[i].(string), Value: model.Int(int64(values[i+1].(int)))})
	}
	return e
}

// dates lists "member since" of an aggregate, through unnamed ones.
func dates(a *model.Aggregate) string {
	r := []string{a.Since + ":"}
	for _, f := range a.Flat() {
		r = append(r, f.Name+" "+f.Since)
	}
	return strings.Join(r, " ")
}

func TestUnionMembers(t *testing.T) {
	tests := []struct {
		name   string
		models []*model.Model
		front  []string
		size   int64
		want   string
	}{
		{"appended", []*model.Model{at("100.0", structOf("s", 12, field("a", 0, 4), field("b", 4, 4), field("c", 8, 4))),
			at("44.0", structOf("s", 8, field("a", 0, 4), field("b", 4, 4))), at("33.2", structOf("s", 4, field("a", 0, 4)))},
			nil, 12, "33.2: a 33.2 b 44.0 c 100.0"},
		{"at the front", []*model.Model{at("33.2", structOf("s", 4, field("a", 0, 4))), at("44.0", structOf("s", 12, field("b", 0, 8), field("a", 8, 4)))},
			[]string{"s"}, 12, "33.2: b 44.0 a 33.2"},
		{"reserved used up", []*model.Model{at("1", structOf("s", 8, field("a", 0, 4), field("reserved", 4, 4))),
			at("2", structOf("s", 8, field("a", 0, 4), field("b", 4, 1), field("reserved", 5, 3)))},
			nil, 8, "1: a 1 b 2 reserved 1"},
		{"moved into an unnamed union", []*model.Model{at("1", structOf("s", 8, field("a", 0, 4), field("b", 4, 4))),
			at("2", structOf("s", 8, field("a", 0, 4), unnamed(4, true, 4, field("b", 0, 4), field("c", 0, 2))))},
			nil, 8, "1: a 1 b 1 c 2"},
		{"only declared before", []*model.Model{at("1", model.Aggregate{Name: "s", Opaque: true}), at("2", structOf("s", 4, field("a", 0, 4)))},
			nil, 4, "1: a 2"},
		{"only declared later", []*model.Model{at("1", structOf("s", 4, field("a", 0, 4))), at("2", model.Aggregate{Name: "s", Opaque: true})},
			nil, 4, "1: a 1"},
		{"gone later", []*model.Model{at("1", structOf("s", 4, field("a", 0, 4))), at("2")}, nil, 4, "1: a 1"},
		{"without a release", []*model.Model{at("", structOf("s", 8, field("a", 0, 4), field("b", 4, 4))), at("9", structOf("s", 4, field("a", 0, 4)))},
			nil, 8, "9: a 9 b "},
	}
	for _, tt := range tests {
		u, err := Union(tt.models, tt.front)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		s := &u.Aggregates[0]
		if got := dates(s); got != tt.want || !s.Size.Equal(model.N(tt.size)) || s.Opaque {
			t.Errorf("%s: %q, size %s, want %q, size %d", tt.name, got, s.Size, tt.want, tt.size)
		}
		for _, m := range tt.models {
			for _, a := range m.Aggregates {
				for _, f := range a.Flat() {
					if a.Since != "" || f.Since != "" {
						t.Errorf("%s: the union wrote into its operand: %s", tt.name, dates(&a))
					}
				}
			}
		}
	}
}

func TestUnionRefuses(t *testing.T) {
	s := at("1", structOf("s", 8, field("a", 0, 4), field("b", 4, 2)))
	wide := at("2", structOf("s", 8, field("a", 0, 4), field("b", 4, 2)))
	wide.Aggregates[0].Align = model.N(2)
	tests := []struct {
		name   string
		models []*model.Model
		want   string
	}{
		{"none", nil, "no ABI records"},
		{"the same release", []*model.Model{at("1"), at("1")}, "two records of the same release: 1"},
		{"other header", []*model.Model{at("1"), {Header: "y.h", Release: "2"}}, "different headers"},
		{"moved", []*model.Model{s, at("2", structOf("s", 8, field("a", 0, 4), field("b", 5, 2)))}, "struct s: member b: offset 4 in 1, 5 in 2"},
		{"resized", []*model.Model{s, at("2", structOf("s", 8, field("a", 0, 4), field("b", 4, 4)))}, "struct s: member b: size 2 in 1, 4 in 2"},
		{"removed", []*model.Model{s, at("2", structOf("s", 8, field("a", 0, 4)))}, "struct s: member b: in 1, not in 2"},
		{"shrunk", []*model.Model{s, at("2", structOf("s", 6, field("a", 0, 4), field("b", 4, 2)))}, "struct s: size 8 in 1, 6 in 2"},
		{"aligned", []*model.Model{s, wide}, "struct s: alignment 1 in 1, 2 in 2"},
		{"constant", []*model.Model{{Header: "x.h", Release: "1", Enums: []model.Enum{enum("e", "A", 1)}},
			{Header: "x.h", Release: "2", Enums: []model.Enum{enum("e", "A", 2)}}}, "enum e: constant A: 1 in 1, 2 in 2"},
	}
	for _, tt := range tests {
		_, err := Union(tt.models, nil)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		oneLine(t, err, tt.want)
	}
}

func TestUnionConstants(t *testing.T) {
	integer := model.Type{Kind: model.Scalar, Name: "int"}
	old := &model.Model{Header: "x.h", Release: "33.2", Enums: []model.Enum{
		enum("", "LINK_A", 0), enum("flags", "F_A", 1, "F_GONE", 4, "F_RESERVED", 2), enum("gone", "G", 7),
	}, Consts: []model.Const{{Name: "M", Value: model.Int(3), Type: integer}, {Name: "OLD", Value: model.Int(9), Type: integer}}}
	now := &model.Model{Header: "x.h", Release: "44.0", Enums: []model.Enum{
		enum("", "LINK_NEW", 5, "LINK_A", 0), enum("flags", "F_B", 2, "F_A", 1, "F_RESERVED", 8), enum("more", "M", 3),
	}, Consts: []model.Const{{Name: "F_B", Value: model.Int(2), Type: integer}}}
	u, err := Union([]*model.Model{old, now}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range u.Enums {
		s := "enum " + e.Name + " " + e.Since + ":"
		for _, x := range e.Enumerators {
			s += " " + x.Name + "=" + x.Value.String() + " " + x.Since
		}
		got = append(got, s)
	}
	for _, k := range u.Consts {
		got = append(got, k.Name+"="+k.Value.String()+" "+k.Since)
	}
	want := []string{
		"enum  33.2: LINK_NEW=5 44.0 LINK_A=0 33.2",
		"enum flags 33.2: F_B=2 44.0 F_A=1 33.2 F_RESERVED=8 33.2 F_GONE=4 33.2",
		"enum gone 33.2: G=7 33.2",
		"enum more 44.0: M=3 33.2",
		"F_B=2 44.0",
		"OLD=9 33.2",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestUnionFunctions(t *testing.T) {
	fn := func(name string, kind model.FuncKind, version string) model.Func {
		return model.Func{Name: name, Kind: kind, Version: version, Result: model.Type{Kind: model.Void}}
	}
	old := &model.Model{Header: "x.h", Release: "1.5", Funcs: []model.Func{
		fn("dropped", model.Exported, "V_1.0"), fn("moved", model.Inline, ""), fn("versioned", model.Exported, "V_1.0")},
		Aliases: []model.Alias{{Name: "b", Tag: "s"}}, Aggregates: []model.Aggregate{structOf("s", 1)}}
	now := &model.Model{Header: "x.h", Release: "1.10", Funcs: []model.Func{
		fn("added", model.Macro, ""), fn("moved", model.Exported, "V_1.1"), fn("versioned", model.Exported, "V_1.1")},
		Aggregates: []model.Aggregate{structOf("b", 1), structOf("s", 1)}}
	u, err := Union([]*model.Model{old, now}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Func{fn("added", model.Macro, ""), fn("dropped", model.Exported, "V_1.0"),
		fn("moved", model.Exported, "V_1.1"), fn("versioned", model.Exported, "V_1.1")}
	for i, since := range []string{"1.10", "1.5", "1.5", "1.5"} {
		want[i].Since = since
	}
	if d := cmp.Diff(want, u.Funcs); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(u.Aliases) > 0 {
		t.Errorf("an alias that became a struct stays: %v", u.Aliases)
	}
	if u.Release != "1.10" {
		t.Errorf("release %q, want the newest, 1.10", u.Release)
	}
}

func TestCompareReleases(t *testing.T) {
	order := []string{"33.2", "44.0", "44.1", "56.1", "66.0-rc1", "66.0", "66.0.1", "100.0", ""}
	for i, a := range order {
		for j, b := range order {
			got := CompareReleases(a, b)
			if got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("CompareReleases(%q, %q) = %d", a, b, got)
			}
		}
	}
}

func TestIsRelease(t *testing.T) {
	for _, r := range []string{"33.2", "65.0", "66.0-rc1", "100", "1.2.3"} {
		if !IsRelease(r) {
			t.Errorf("%q is refused", r)
		}
	}
	// Each of these would name a strange file, or compare equal to another text.
	for _, r := range []string{"", ".", "..", ".65.0", "65.0.", "+65.0", "65_0", "065.0", "65.00", "66.0-1", "66.0-rc-1", "66.0~rc1", "a", "../65.0", "65.0\n"} {
		if IsRelease(r) {
			t.Errorf("%q is taken for a release", r)
		}
	}
}
