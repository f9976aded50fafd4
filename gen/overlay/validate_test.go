package overlay

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/goverbs/ibv/gen/model"
)

// sample is what a header of this text would give:
//
//	enum kind { KIND_A };
//	enum { PLAIN_A, PLAIN_B };
//	#define LIMIT 4
//	struct s {
//		int a;
//		union { int b; struct { int c; } in; };
//		struct { int e; } arr[2];
//	};
//	int f(void);
//	static inline int g(void) { return f(); }
//	#define h(x) (x)
func sample() *model.Model {
	integer := model.Type{Kind: model.Scalar, Name: "int"}
	unnamed := func(kind model.Kind, members ...model.Member) model.Type {
		return model.Type{Kind: kind, Body: &model.Aggregate{Union: kind == model.Union, Members: members}}
	}
	in := unnamed(model.Struct, model.Member{Name: "c", Type: integer})
	elem := unnamed(model.Struct, model.Member{Name: "e", Type: integer})
	return &model.Model{
		Aggregates: []model.Aggregate{{Name: "s", Members: []model.Member{
			{Name: "a", Type: integer},
			{Type: unnamed(model.Union, model.Member{Name: "b", Type: integer}, model.Member{Name: "in", Type: in})},
			{Name: "arr", Type: model.Type{Kind: model.Array, Len: 2, Elem: &elem}},
		}}},
		Enums: []model.Enum{
			{Name: "kind", Enumerators: []model.Enumerator{{Name: "KIND_A"}}},
			{Enumerators: []model.Enumerator{{Name: "PLAIN_A"}, {Name: "PLAIN_B"}}},
		},
		Consts: []model.Const{{Name: "LIMIT", Value: model.Int(4)}},
		Funcs: []model.Func{
			{Name: "f", Kind: model.Exported}, {Name: "g", Kind: model.Inline}, {Name: "h", Kind: model.Macro},
		},
	}
}

func TestValidate(t *testing.T) {
	good := Overlay{
		Header: "h.h",
		Front:  []string{"s"},
		Structs: map[string]Struct{"s": {Members: map[string]Member{
			"a": {Type: "kind"}, "b": {Type: "PLAIN_A"}, "in": {}, "in.c": {}, "arr": {}, "arr.e": {},
		}}},
		Enums:  map[string]Enum{"kind": {Values: map[string]Value{"KIND_A": {}}}, "PLAIN_A": {Values: map[string]Value{"PLAIN_B": {}}}},
		Consts: map[string]string{"LIMIT": "A limit."},
		Functions: map[string]Function{
			"f": {Fails: "errno", Hot: true, Doc: "Does it."}, "g": {Fails: "none"}, "h": {Skip: "It is no call."},
		},
	}
	if err := good.Validate(sample()); err != nil {
		t.Errorf("an overlay that matches: %v", err)
	}
	bad := Overlay{
		Header: "h.h",
		Front:  []string{"t"},
		Structs: map[string]Struct{
			"s": {Members: map[string]Member{"z": {}, "c": {}, "arr.f": {}, "a": {Type: "sort"}}},
			"t": {Members: map[string]Member{"unreached": {}}},
		},
		Enums: map[string]Enum{
			"kind":    {Values: map[string]Value{"KIND_B": {}}},
			"PLAIN_B": {},
		},
		Consts:    map[string]string{"LIMITS": "A limit."},
		Functions: map[string]Function{"i": {Fails: "null"}},
	}
	want := `overlay for h.h: front: struct t matches nothing in the header
overlay for h.h: struct s: member a: type sort matches nothing in the header
overlay for h.h: struct s: member arr.f matches nothing in the header
overlay for h.h: struct s: member c matches nothing in the header
overlay for h.h: struct s: member z matches nothing in the header
overlay for h.h: struct t matches nothing in the header
overlay for h.h: enum PLAIN_B matches nothing in the header
overlay for h.h: enum kind: value KIND_B matches nothing in the header
overlay for h.h: constant LIMITS matches nothing in the header
overlay for h.h: function i matches nothing in the header`
	err := bad.Validate(sample())
	if err == nil {
		t.Fatal("an overlay that matches nothing passes")
	}
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("errors (-want +got):\n%s", d)
	}
	bad.inherited = true
	if err := bad.Validate(sample()); err != nil {
		t.Errorf("entries of another header: %v", err)
	}
}

func TestValidateFunction(t *testing.T) {
	const words = "not one of null, errno, minus1, negative, none"
	const both = "has no binding (skip), so nothing else can be said of it"
	tests := []struct {
		entry Function
		want  string // "": fine
	}{
		{Function{Fails: "null"}, ""},
		{Function{Fails: "errno", Hot: true}, ""},
		{Function{Fails: "minus1", Doc: "A sentence."}, ""},
		{Function{Fails: "negative"}, ""},
		{Function{Fails: "none"}, ""},
		{Function{Skip: "A sentence."}, ""},
		{Function{}, `fails is "", ` + words},
		{Function{Doc: "A sentence.", Hot: true}, `fails is "", ` + words},
		{Function{Fails: "NULL"}, `fails is "NULL", ` + words},
		{Function{Fails: "-1"}, `fails is "-1", ` + words},
		{Function{Fails: "minus1", Value: true}, ""},
		{Function{Fails: "negative", Most: "n"}, ""},
		{Function{Fails: "errno", OrMinus1: true}, ""},
		{Function{Fails: "minus1", OrMinus1: true}, "or_minus1 belongs to functions that fail with errno"},
		{Function{Fails: "errno", Value: true}, "value belongs to functions that fail with minus1"},
		{Function{Fails: "minus1", Most: "n"}, "most belongs to functions that fail with negative"},
		{Function{Skip: "A sentence.", Most: "n"}, both},
		{Function{Skip: "A sentence.", Fails: "none"}, both},
		{Function{Skip: "A sentence.", Hot: true}, both},
		{Function{Skip: "A sentence.", Doc: "Another."}, both},
	}
	for _, tt := range tests {
		o := Overlay{Header: "h.h", Functions: map[string]Function{"f": tt.entry}}
		got := ""
		if err := o.Validate(sample()); err != nil {
			got = err.Error()
		}
		want := tt.want
		if want != "" {
			want = "overlay for h.h: function f: " + want
		}
		if got != want {
			t.Errorf("%+v: error %q, want %q", tt.entry, got, want)
		}
	}
}

func TestFor(t *testing.T) {
	tests := []struct {
		header        string
		known, strict bool
	}{
		{"infiniband/verbs.h", true, true},
		{"/usr/include/infiniband/verbs.h", true, true},
		{"infiniband/mlx5dv.h", true, false},
		{"rdma/rdma_cma.h", true, false},
		{"testdata/headers/pack.h", false, true},
		{"verbs.h", false, true},
	}
	for _, tt := range tests {
		o, err := For(tt.header)
		if err != nil {
			t.Fatalf("%s: %v", tt.header, err)
		}
		if known := o.Structs["ibv_wc"].Doc != ""; known != tt.known {
			t.Errorf("%s: knows ibv_wc: %v, want %v", tt.header, known, tt.known)
		}
		// A model that has nothing is fine for an empty overlay and for one whose entries another header has.
		if err := o.Validate(&model.Model{}); (err != nil) != (tt.known && tt.strict) {
			t.Errorf("%s: against an empty header: %v", tt.header, err)
		}
	}
}
