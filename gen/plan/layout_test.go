package plan

import (
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

// member describes a member by the notation of model.Type: "4 8 unsigned int name" is at offset 4 and has 8 bytes.
func member(off, size int64, text, name string) model.Member {
	ty, err := model.ParseType(text)
	if err != nil {
		panic(err)
	}
	return model.Member{Name: name, Type: ty, Offset: model.N(off), Size: model.N(size)}
}

func aggregate(name string, size, align int64, members ...model.Member) model.Aggregate {
	return model.Aggregate{Name: name, Size: model.N(size), Align: model.N(align), Members: members}
}

// fields is a short picture of a type: its fields, then its methods.
func fields(ty Type) string {
	var r []string
	for _, f := range ty.Fields {
		if f.Type.Name != hostLayout {
			r = append(r, f.Go+" "+f.Type.String())
		}
	}
	for _, a := range ty.Accessors {
		r = append(r, a.Go+"() "+a.Type.String())
	}
	return strings.Join(r, "; ")
}

// The expected layouts are those of gcc 12 on x86-64 for the constructs in the comments.
func TestStructs(t *testing.T) {
	for _, tt := range []struct {
		what string
		a    model.Aggregate
		want string
	}{
		{"pack(2): char, short, char, int", aggregate("s", 10, 2, member(0, 1, "char", "a"), member(2, 2, "short", "b"),
			member(4, 1, "char", "c"), member(6, 4, "int", "d")),
			"A byte; _ [1]byte; B int16; C byte; _ [1]byte; bytesD [4]byte; D() int32"},
		{"packed: u8, u16[3], u32", aggregate("s", 11, 1, member(0, 1, "unsigned char", "a"), member(1, 6, "[3] unsigned short", "b"),
			member(7, 4, "unsigned int", "c")),
			"A uint8; bytesB [6]byte; bytesC [4]byte; B() [3]uint16; C() uint32"},
		{"packed, aligned(8): u64, u32, u32, u32, u64", aggregate("s", 32, 8, member(0, 8, "unsigned long", "a"),
			member(8, 4, "unsigned int", "b"), member(12, 4, "unsigned int", "c"), member(16, 4, "unsigned int", "d"),
			member(20, 8, "unsigned long", "e")),
			"A uint64; B uint32; C uint32; D uint32; bytesE [8]byte; _ [4]byte; E() uint64"},
		{"packed and aligned(4)", aggregate("s", 16, 4, member(0, 4, "unsigned int", "a"), member(4, 4, "unsigned int", "b"),
			member(8, 1, "unsigned char", "c"), member(9, 2, "unsigned short", "d"), member(11, 1, "unsigned char", "e"),
			member(12, 4, "unsigned int", "f")),
			"A uint32; B uint32; C uint8; bytesD [2]byte; E uint8; F uint32; D() uint16"},
		{"packed, a pointer in it: no Go pointer hides in bytes", aggregate("s", 9, 1, member(0, 1, "char", "a"), member(1, 8, "* struct s", "next")),
			"A byte; bytesNext [8]byte; Next() uintptr"},
		{"int, char[33], char[]", aggregate("s", 40, 4, member(0, 4, "int", "a"), member(4, 33, "[33] char", "b"), member(37, 0, "[] char", "c")),
			"A int32; B [33]byte; _ [3]byte; C() byte"},
		{"int, __int128", aggregate("s", 32, 16, member(0, 4, "int", "a"), member(16, 16, "__int128", "b")),
			"_ [0]uint64; A int32; _ [12]byte; B [16]byte"},
		{"aligned(4) u8", aggregate("s", 4, 4, member(0, 1, "unsigned char", "a")), "_ [0]uint32; A uint8; _ [3]byte"},
		{"pointers", aggregate("s", 48, 8, member(0, 8, "* void", "a"), member(8, 8, "* struct s", "b"), member(16, 8, "* * const char", "c"),
			member(24, 8, "* func", "d"), member(32, 8, "* const @uint32_t unsigned int", "e"), member(40, 8, "* * struct s", "f")),
			"A uintptr; B *S; C *uintptr; D uintptr; E *uint32; F **S"},
		{"byte order", aggregate("s", 16, 8, member(0, 2, "@__be16 unsigned short", "a"), member(4, 4, "@__be32 unsigned int", "b"),
			member(8, 8, "@__be64 unsigned long long", "c")),
			"A Be16; _ [2]byte; B Be32; C Be64"},
	} {
		p, err := Plan(&model.Model{Header: "x.h", Aggregates: []model.Aggregate{tt.a}}, nil, Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		if got := fields(p.Types[0]); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.what, got, tt.want)
		}
	}
}

// TestWidth gives members of several widths one flag type of 4 bytes: the width stays that of the declaration.
func TestWidth(t *testing.T) {
	m := &model.Model{Header: "x.h", Enums: []model.Enum{enumOf("ibv_x_flags", 1, 2)},
		Aggregates: []model.Aggregate{aggregate("s", 16, 8, member(0, 4, "int", "a"), member(4, 2, "unsigned short", "b"),
			member(8, 8, "unsigned long", "c"))}}
	typed := overlay.Member{Type: "ibv_x_flags"}
	ov := &overlay.Overlay{Structs: map[string]overlay.Struct{"s": {Members: map[string]overlay.Member{"a": typed, "b": typed, "c": typed}}}}
	p, err := Plan(m, ov, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fields(p.Types[0]), "A XFlags; B uint16; _ [2]byte; C uint64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := notes(p.Types[0]), "int a, unsigned short b; values: XFlags, unsigned long c; values: XFlags"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNestedNames has two structs whose unnamed bodies are named alike but differ.
func TestNestedNames(t *testing.T) {
	wide, narrow := aggregate("", 8, 8, member(0, 8, "long", "x")), aggregate("", 1, 1, member(0, 1, "char", "x"))
	in := func(body *model.Aggregate) model.Member {
		return model.Member{Name: "in", Type: model.Type{Kind: model.Struct, Body: body}, Size: body.Size, Offset: model.N(0)}
	}
	p := mustPlan(t, &model.Model{Header: "x.h", Aggregates: []model.Aggregate{
		aggregate("a", 8, 8, in(&wide)), aggregate("b", 1, 1, in(&narrow)),
	}})
	if got, want := fields(typeNamed(t, p, "AIn"))+"/"+fields(typeNamed(t, p, "BIn")), "X int64/X byte"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
