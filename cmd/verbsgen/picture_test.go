package main

import (
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// Pictures of the structs that people look at most, from the built-in records.
func TestLayoutGolden(t *testing.T) {
	for _, name := range []string{"ibv_wc", "ibv_wq_init_attr", "ibv_send_wr", "ibv_async_event", "verbs_context"} {
		r := verbsgen(nil, "layout", name, "-arch", "amd64")
		if r.status != 0 || r.stderr != "" {
			t.Errorf("layout %s: %+v", name, r)
		}
		golden(t, "layout_"+name+".txt", r.stdout)
	}
}

// A struct is found by any of its names.
func TestLayoutNames(t *testing.T) {
	want := verbsgen(nil, "layout", "ibv_wc")
	for _, name := range []string{"WC", "struct ibv_wc"} {
		if got := verbsgen(nil, "layout", name); got != want {
			t.Errorf("layout %q: %+v", name, got)
		}
	}
	alias := verbsgen(nil, "layout", "ibv_flow_action_esp")
	if alias.status != 0 || alias != verbsgen(nil, "layout", "ib_uverbs_flow_action_esp") || alias != verbsgen(nil, "layout", "FlowActionESP") {
		t.Errorf("layout of an alias: %+v", alias)
	}
	two := verbsgen(nil, "layout", "ibv_wc", "ibv_sge")
	if want := want.stdout + "\n" + verbsgen(nil, "layout", "ibv_sge").stdout; two.stdout != want {
		t.Errorf("layout of two:\n%s\nwant:\n%s", two.stdout, want)
	}
}

// Sizes that differ by architecture are those of the one asked for.
func TestLayoutArch(t *testing.T) {
	for arch, size := range map[string]string{"amd64": "160 bytes", "arm64": "168 bytes"} {
		r := verbsgen(nil, "layout", "ibv_qp", "-arch", arch)
		if !strings.Contains(r.stdout, "\n"+size+" · ") || !strings.Contains(r.stdout, " · on "+arch) {
			t.Errorf("layout of ibv_qp on %s: %+v", arch, r)
		}
	}
}

func scalar(name string) model.Type { return model.Type{Kind: model.Scalar, Name: name} }

func member(name string, t model.Type, offset, size int64) model.Member {
	return model.Member{Name: name, Type: t, Offset: model.N(offset), Size: model.N(size)}
}

func bits(name string, t model.Type, pos int64, width int) model.Member {
	return model.Member{Name: name, Type: t, Size: model.N(model.Scalars[t.Name].Size), Bits: &model.Bits{Pos: model.N(pos), Width: width}}
}

// made has what verbs.h lacks: bit-fields with a hole between them, a nested struct and an array across borders, a flexible array.
func made() *model.Aggregate {
	body := &model.Aggregate{Size: model.N(24), Align: model.N(8), Members: []model.Member{
		member("small", scalar("char"), 0, 1),
		member("big", scalar("long"), 8, 8),
		member("handler", model.Type{Kind: model.Pointer, Elem: &model.Type{Kind: model.Function}}, 16, 8),
	}}
	array := model.Type{Kind: model.Array, Len: 150, Elem: &model.Type{Kind: model.Scalar, Name: "unsigned char"}}
	return &model.Aggregate{Name: "made", Size: model.N(264), Align: model.N(8), Since: "2.0", Members: []model.Member{
		bits("low", scalar("unsigned int"), 0, 5),
		bits("high", scalar("unsigned int"), 12, 4),
		member("first", scalar("long"), 8, 8),
		member("lead", model.Type{Kind: model.Array, Len: 40, Elem: &model.Type{Kind: model.Scalar, Name: "char"}}, 16, 40),
		member("in", model.Type{Kind: model.Struct, Body: body}, 56, 24),
		member("wide", array, 80, 150),
		member("tail", model.Type{Kind: model.Array, Len: -1, Elem: &model.Type{Kind: model.Scalar, Name: "short"}}, 264, 0),
	}}
}

func drawMade(paint painter) string {
	a := made()
	d := &drafter{arch: "amd64", since: "2.0", names: map[string]goName{
		"low": {name: "Low()", typ: "uint32"}, "first": {name: "First", typ: "int64", since: "2.0"},
		"in": {name: "In", typ: "MadeIn", since: "3.0"}, "in.big": {name: "Big", typ: "int64"},
	}}
	return (&picture{agg: a, c: "struct made", goName: "Made", arch: "amd64", oldest: "1.0", rows: d.draft(a), holes: d.holes, paint: paint}).String()
}

func TestPictureGolden(t *testing.T) { golden(t, "picture_made.txt", drawMade(false)) }

// Colours add nothing but escape sequences.
func TestPictureColours(t *testing.T) {
	coloured := drawMade(true)
	plain := coloured
	for {
		i := strings.IndexByte(plain, '\x1b')
		if i < 0 {
			break
		}
		end := strings.IndexByte(plain[i:], 'm')
		plain = plain[:i] + plain[i+end+1:]
	}
	if want := drawMade(false); plain != want {
		t.Errorf("without escape sequences:\n%s\nwant:\n%s", plain, want)
	}
	if coloured == plain || strings.Count(coloured, "\x1b[0m")*2 != strings.Count(coloured, "\x1b[") {
		t.Error("a colour is not ended, or there is none")
	}
}

// A writer that is no terminal gets plain text.
func TestPainter(t *testing.T) {
	if newPainter(&strings.Builder{}, func(string) (string, bool) { return "", false }) {
		t.Error("a string is coloured")
	}
}
