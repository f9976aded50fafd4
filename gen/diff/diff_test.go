package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goverbs/ibv/gen/model"
)

var (
	byteType = model.Type{Kind: model.Scalar, Name: "unsigned char"}
	intType  = model.Type{Kind: model.Scalar, Name: "int"}
	u32      = model.Type{Kind: model.Scalar, Name: "unsigned int"}
)

func pointer(t model.Type) model.Type { return model.Type{Kind: model.Pointer, Elem: &t} }

func tagged(name string) model.Type { return model.Type{Kind: model.Struct, Name: name} }

// field makes a member of type unsigned char[size].
func field(name string, offset, size int64) model.Member {
	return model.Member{Name: name, Offset: model.N(offset), Size: model.N(size),
		Type: model.Type{Kind: model.Array, Len: size, Elem: &byteType}}
}

func typed(name string, offset, size int64, t model.Type) model.Member {
	return model.Member{Name: name, Offset: model.N(offset), Size: model.N(size), Type: t}
}

func unionOf(offset, size int64, members ...model.Member) model.Member {
	b := model.Aggregate{Union: true, Size: model.N(size), Align: model.N(1), Members: members}
	return model.Member{Offset: model.N(offset), Size: model.N(size), Type: model.Type{Kind: model.Union, Body: &b}}
}

func structOf(name string, size int64, members ...model.Member) model.Aggregate {
	return model.Aggregate{Name: name, Size: model.N(size), Align: model.N(1), Members: members}
}

func structs(as ...model.Aggregate) model.Model { return model.Model{Aggregates: as} }

func enumOf(name string, values ...any) model.Enum {
	e := model.Enum{Name: name, Size: 4}
	for i := 0; i < len(values); i += 2 {
		e.Enumerators = append(e.Enumerators, model.Enumerator{Name: values[i].(string), Value: model.Int(int64(values[i+1].(int)))})
	}
	return e
}

func with(m model.Model, es ...model.Enum) model.Model {
	m.Enums = es
	return m
}

func calls(m model.Model, fs ...model.Func) model.Model {
	m.Funcs = fs
	return m
}

func fn(name string, result model.Type, params ...model.Param) model.Func {
	return model.Func{Name: name, Kind: model.Exported, Result: result, Params: params}
}

func TestKinds(t *testing.T) {
	ab := structOf("s", 8, field("a", 0, 4), field("b", 4, 4))
	abc := structOf("s", 12, field("a", 0, 4), field("b", 4, 4), field("c", 8, 4))
	masked := func(more ...model.Member) model.Aggregate {
		return structOf("s_ex", 4+4*int64(len(more)), append([]model.Member{typed("comp_mask", 0, 4, u32)}, more...)...)
	}
	hiding := fn("get_s", intType)
	hiding.Hidden = true
	wrapping := fn("__get_s", intType, model.Param{Name: "s", Type: pointer(tagged("s"))})
	wrapping.Kind = model.Inline
	v1, v2 := fn("f", intType), fn("f", intType)
	v1.Version, v2.Version = "V_1.0", "V_1.1"
	inline := fn("f", intType)
	inline.Kind = model.Inline
	wide := model.NumBy(map[string]int64{"amd64": 4, "arm64": 8, "ppc64le": 4, "riscv64": 4, "s390x": 4})

	tests := []struct {
		name     string
		old, new model.Model
		status   int
		want     []string // lines; nil: no change
	}{
		{"the same", structs(ab), structs(ab), 0, nil},
		{"order of items", structs(ab, structOf("t", 1)), structs(structOf("t", 1), ab), 0, nil},
		{"order of enumerators", with(model.Model{}, enumOf("e", "A", 1, "B", 2), enumOf("", "C", 1)),
			with(model.Model{}, enumOf("", "C", 1), enumOf("e", "B", 2, "A", 1)), 0, nil},
		{"added struct", structs(), structs(ab), 4, []string{"added name: struct s: 8 bytes in 2"}},
		{"removed struct", structs(ab), structs(), 12, []string{"removed name: struct s: 8 bytes in 1"}},
		{"only declared before", structs(model.Aggregate{Name: "s", Opaque: true}), structs(ab), 4,
			[]string{"completed struct: struct s: only declared in 1, 8 bytes in 2"}},
		{"moved", structs(ab), structs(structOf("s", 8, field("b", 0, 4), field("a", 4, 4))), 12,
			[]string{"moved member: struct s.a: offset 0 in 1, 4 in 2", "moved member: struct s.b: offset 4 in 1, 0 in 2"}},
		{"inserted", structs(ab), structs(structOf("s", 8, field("a", 0, 4), field("x", 4, 2), field("b", 6, 2))), 12, []string{
			"moved member: struct s.b: offset 4 in 1, 6 in 2",
			"inserted member: struct s.x: offset 4, size 2, unsigned char [2] in 2 (bytes of b)",
			"changed member: struct s.b: size 4 in 1, 2 in 2"}},
		{"removed member", structs(ab), structs(structOf("s", 8, field("a", 0, 4))), 12,
			[]string{"removed name: struct s.b: offset 4, size 4, unsigned char [4] in 1"}},
		{"resized", structs(ab), structs(structOf("s", 8, field("a", 0, 4), field("b", 4, 2))), 12,
			[]string{"changed member: struct s.b: size 4 in 1, 2 in 2"}},
		{"sign", structs(structOf("s", 4, typed("a", 0, 4, intType))), structs(structOf("s", 4, typed("a", 0, 4, u32))), 12,
			[]string{"changed member: struct s.a: int in 1, unsigned int in 2"}},
		{"type of the same width and sign", with(structs(structOf("s", 4, typed("a", 0, 4, u32))), enumOf("e", "A", 1)),
			with(structs(structOf("s", 4, typed("a", 0, 4, model.Type{Kind: model.EnumRef, Name: "e"}))), enumOf("e", "A", 1)), 4,
			[]string{"changed member: struct s.a: unsigned int in 1, enum e in 2 (the same width and sign)"}},
		{"shrunk", structs(abc), structs(ab), 12, []string{
			"removed name: struct s.c: offset 8, size 4, unsigned char [4] in 1", "changed layout: struct s: size 12 in 1, 8 in 2"}},
		{"grown", structs(ab), structs(abc), 12, []string{
			"grown struct: struct s: size 8 in 1, 12 in 2 (callers allocate it, and nothing tells the library its size)",
			"appended member: struct s.c: offset 8, size 4, unsigned char [4] in 2"}},
		{"grown in arrays", calls(structs(ab), fn("f", intType, model.Param{Name: "num_s", Type: u32}, model.Param{Name: "s", Type: pointer(tagged("s"))})),
			calls(structs(abc), fn("f", intType, model.Param{Name: "num_s", Type: u32}, model.Param{Name: "s", Type: pointer(tagged("s"))})), 12, []string{
				"grown struct passed in arrays: struct s: size 8 in 1, 12 in 2 (f takes num_s of them)",
				"appended member: struct s.c: offset 8, size 4, unsigned char [4] in 2"}},
		{"made by the library", calls(structs(ab), fn("f", pointer(tagged("s")))), calls(structs(abc), fn("f", pointer(tagged("s")))), 4, []string{
			"grown struct: struct s: size 8 in 1, 12 in 2 (the library allocates it: f)",
			"appended member: struct s.c: offset 8, size 4, unsigned char [4] in 2"}},
		{"bad_wr is the caller's", calls(structs(ab), fn("f", intType, model.Param{Type: pointer(tagged("s"))}, model.Param{Type: pointer(pointer(tagged("s")))})),
			calls(structs(abc), fn("f", intType, model.Param{Type: pointer(tagged("s"))}, model.Param{Type: pointer(pointer(tagged("s")))})), 12, []string{
				"grown struct: struct s: size 8 in 1, 12 in 2 (callers allocate it, and nothing tells the library its size)",
				"appended member: struct s.c: offset 8, size 4, unsigned char [4] in 2"}},
		{"behind a macro", calls(structs(ab), hiding, wrapping), calls(structs(abc), hiding, wrapping), 4, []string{
			"grown struct: struct s: size 8 in 1, 12 in 2 (the header passes its size: macro get_s)",
			"appended member: struct s.c: offset 8, size 4, unsigned char [4] in 2"}},
		{"with a mask", with(structs(masked()), enumOf("s_mask", "S_A", 1, "S_RESERVED", 2)),
			with(structs(masked(field("c", 4, 4), field("d", 8, 4))), enumOf("s_mask", "S_A", 1, "S_C", 2, "S_D", 4, "S_RESERVED", 8)), 4, []string{
				"grown struct: struct s_ex: size 4 in 1, 12 in 2 (comp_mask tells which members count)",
				"moved sentinel: S_RESERVED: 2 in 1, 8 in 2 (the next free value)",
				"appended member: struct s_ex.c: offset 4, size 4, unsigned char [4] in 2 (mask bit S_C = 2)",
				"appended member: struct s_ex.d: offset 8, size 4, unsigned char [4] in 2 (mask bit S_D = 4)",
				"added name: S_C: 2, in enum s_mask in 2", "added name: S_D: 4, in enum s_mask in 2"}},
		{"reserved used up", structs(structOf("s", 8, field("a", 0, 4), field("reserved", 4, 4))),
			structs(structOf("s", 8, field("a", 0, 4), field("c", 4, 1), field("reserved", 5, 3))), 4, []string{
				"changed member: struct s.reserved: offset 4, size 4, unsigned char [4] in 1, offset 5, size 3, unsigned char [3] in 2 (it is reserved)",
				"reserved bytes given a name: struct s.c: offset 4, size 1, unsigned char [1] in 2 (bytes of reserved)"}},
		{"hole filled", structs(structOf("s", 8, field("a", 0, 2), field("b", 4, 4))),
			structs(structOf("s", 8, field("a", 0, 2), field("c", 2, 2), field("b", 4, 4))), 4,
			[]string{"reserved bytes given a name: struct s.c: offset 2, size 2, unsigned char [2] in 2 (was padding)"}},
		{"one more in a union", structs(structOf("s", 8, field("a", 0, 4), unionOf(4, 4, field("b", 0, 4)))),
			structs(structOf("s", 8, field("a", 0, 4), unionOf(4, 4, field("b", 0, 4), field("c", 0, 2)))), 4,
			[]string{"appended member: struct s.c: offset 4, size 2, unsigned char [2] in 2 (shares bytes with b)"}},
		{"moved into a union", structs(ab), structs(structOf("s", 8, field("a", 0, 4), unionOf(4, 4, field("b", 0, 4)))), 0, nil},
		{"at the front", structs(structOf("s", 12, field("a", 0, 4), field("sz", 4, 8))),
			structs(structOf("s", 20, field("b", 0, 8), field("a", 8, 4), field("sz", 12, 8))), 4, []string{
				"grown struct: struct s: size 12 in 1, 20 in 2 (it grows at its front and tells its size)",
				"appended member: struct s.b: offset 0, size 8, unsigned char [8] in 2 (at the front)"}},
		{"on one architecture", structs(model.Aggregate{Name: "s", Size: model.N(12), Align: model.N(1), Members: []model.Member{typed("a", 4, 4, intType)}}),
			structs(model.Aggregate{Name: "s", Size: model.N(12), Align: model.N(1), Members: []model.Member{{Name: "a", Offset: wide, Size: model.N(4), Type: intType}}}), 12,
			[]string{"moved member: struct s.a: offset 4 on arm64 in 1, 8 on arm64 in 2"}},
		{"alignment", structs(ab), structs(model.Aggregate{Name: "s", Size: ab.Size, Align: model.N(4), Members: ab.Members}), 12,
			[]string{"changed layout: struct s: alignment 1 in 1, 4 in 2"}},
		{"enumerators", with(model.Model{}, enumOf("e", "A", 1, "B", 2)), with(model.Model{}, enumOf("e", "A", 2, "C", 3)), 12, []string{
			"removed name: B: 2, in enum e in 1", "changed enumerator: A: 1 in 1, 2 in 2", "added name: C: 3, in enum e in 2"}},
		{"enum of another size", with(model.Model{}, enumOf("e", "A", 1)), with(model.Model{}, model.Enum{Name: "e", Size: 8, Enumerators: enumOf("", "A", 1).Enumerators}), 12,
			[]string{"changed enum: enum e: unsigned32 in 1, unsigned64 in 2"}},
		{"enum got a tag", with(model.Model{}, enumOf("", "A", 1)), with(model.Model{}, enumOf("e", "A", 1)), 4,
			[]string{"changed enum: the untagged enum of A: the untagged enum of A in 1, enum e in 2"}},
		{"macro became an enumerator", model.Model{Consts: []model.Const{{Name: "A", Value: model.Int(1), Type: intType}}}, with(model.Model{}, enumOf("", "A", 1)), 4,
			[]string{"changed constant: A: a macro in 1, in the untagged enum of A in 2 (the same value)"}},
		{"macro's value", model.Model{Consts: []model.Const{{Name: "A", Value: model.Int(1), Type: intType}}}, model.Model{Consts: []model.Const{{Name: "A", Value: model.Int(2), Type: intType}}}, 12,
			[]string{"changed constant: A: 1 in 1, 2 in 2"}},
		{"function added", calls(model.Model{}), calls(model.Model{}, v1), 4, []string{"added name: f(): exported V_1.0 in 2"}},
		{"function removed", calls(model.Model{}, v1), calls(model.Model{}), 12, []string{"removed name: f(): exported V_1.0 in 1"}},
		{"symbol version", calls(model.Model{}, v1), calls(model.Model{}, v2), 12, []string{"changed symbol version: f(): V_1.0 in 1, V_1.1 in 2"}},
		{"symbol version not known", calls(model.Model{}, v1), calls(model.Model{}, fn("f", intType)), 0, nil},
		{"inline to exported", calls(model.Model{}, inline), calls(model.Model{}, v1), 4, []string{"changed function: f(): inline in 1, exported V_1.0 in 2"}},
		{"exported to inline", calls(model.Model{}, v1), calls(model.Model{}, inline), 12,
			[]string{"changed function: f(): exported V_1.0 in 1, inline in 2 (no longer exported by the header)"}},
		{"signature", calls(model.Model{}, fn("f", intType)), calls(model.Model{}, fn("f", intType, model.Param{Name: "x", Type: u32})), 12,
			[]string{"changed function: f(): int () in 1, int (unsigned int x) in 2"}},
		{"called alike", calls(model.Model{}, fn("f", pointer(intType))), calls(model.Model{}, fn("f", pointer(u32))), 4,
			[]string{"changed function: f(): int * () in 1, unsigned int * () in 2 (called alike)"}},
		{"alias", model.Model{Aliases: []model.Alias{{Name: "a", Tag: "x"}}}, model.Model{Aliases: []model.Alias{{Name: "b", Tag: "x"}}}, 12,
			[]string{"removed name: a: another name of x in 1", "added name: b: another name of x in 2"}},
		{"kernel", model.Model{Kernel: "5.10.1"}, model.Model{Kernel: "6.1.0"}, 0, nil},
	}
	for _, tt := range tests {
		tt.old.Release, tt.new.Release = "1", "2"
		r := Diff(&tt.old, &tt.new)
		var got []string
		for _, c := range r.Changes {
			got = append(got, r.Line(c))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
		if r.Status() != tt.status {
			t.Errorf("%s: status %d, want %d", tt.name, r.Status(), tt.status)
		}
	}
}

func TestOptions(t *testing.T) {
	old := structs(structOf("s", 4, field("a", 0, 4)))
	front := structs(structOf("s", 8, field("b", 0, 4), field("a", 4, 4)))
	back := structs(structOf("s", 8, field("a", 0, 4), field("b", 4, 4)))
	if got := Diff(&old, &front).Status(); got != 12 {
		t.Errorf("grown at the front: status %d, want 12", got)
	}
	if got := Diff(&old, &front, Options{Front: []string{"s"}}).Status(); got != 4 {
		t.Errorf("grown at the front, as it may: status %d, want 4", got)
	}
	if got := Diff(&old, &back, Options{Extensible: []string{"s"}}).Status(); got != 4 {
		t.Errorf("grown, as it may: status %d, want 4", got)
	}
}

// TestReport looks at the whole text and at the JSON.
func TestReport(t *testing.T) {
	old := with(structs(structOf("s", 4, field("a", 0, 4))), enumOf("e", "A", 1))
	new := with(structs(structOf("s", 4, field("a", 0, 2))), enumOf("e", "A", 1, "B", 2))
	old.Release, new.Release, new.Header = "44.0", "65.0", "infiniband/verbs.h"
	r := Diff(&old, &new)
	want := `infiniband/verbs.h, 44.0 to 65.0: incompatible changes

incompatible (1):
  changed member: struct s.a: size 4 in 44.0, 2 in 65.0

compatible (1):
  added name: B: 2, in enum e in 65.0
`
	if d := cmp.Diff(want, r.Text()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Old, New string
		Status   int
		Changes  []Change
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Old != "44.0" || got.New != "65.0" || got.Status != 12 || !slices.Equal(got.Changes, r.Changes) {
		t.Errorf("JSON %s does not hold the report", b)
	}
	same, err := Diff(&old, &old).JSON()
	if err != nil || !strings.Contains(string(same), `"changes": []`) {
		t.Errorf("JSON of no difference: %s, %v", same, err)
	}
}

// TestStable makes the same report many times: the order of Go's maps must not show.
func TestStable(t *testing.T) {
	var as []model.Aggregate
	var es []model.Enum
	for i := range 40 {
		as = append(as, structOf(fmt.Sprint("s", i), 4, field("a", 0, 4)))
		es = append(es, enumOf(fmt.Sprint("e", i), fmt.Sprint("A", i), i))
	}
	none, all := model.Model{}, with(structs(as...), es...)
	want := Diff(&none, &all).Text()
	for range 10 {
		if got := Diff(&none, &all).Text(); got != want {
			t.Fatalf("two reports differ:\n%s", cmp.Diff(want, got))
		}
	}
}
