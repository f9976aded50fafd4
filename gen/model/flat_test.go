package model

import (
	"fmt"
	"strings"
	"testing"
)

func TestFlat(t *testing.T) {
	scalar := Type{Kind: Scalar, Name: "unsigned int"}
	wide := NumBy(map[string]int64{"amd64": 8, "arm64": 16, "ppc64le": 8, "riscv64": 8, "s390x": 8})
	inner := &Aggregate{Size: N(8), Align: N(4), Members: []Member{
		{Name: "c", Type: scalar, Size: N(4)}, {Name: "d", Type: scalar, Offset: N(4), Size: N(4), Bits: &Bits{N(33), 3}}}}
	union := &Aggregate{Union: true, Size: N(8), Align: N(4), Members: []Member{
		{Name: "b", Type: scalar, Size: N(4)}, {Type: Type{Kind: Struct, Body: inner}, Size: N(8)}}}
	a := &Aggregate{Name: "s", Size: N(40), Align: N(8), Members: []Member{
		{Name: "a", Type: scalar, Size: N(4)},
		{Type: Type{Kind: Union, Body: union}, Offset: wide, Size: N(8)},
		{Name: "e", Type: Type{Kind: Struct, Body: inner}, Offset: wide.Add(N(8)), Size: N(8)}}}
	var got []string
	for _, f := range a.Flat() {
		got = append(got, fmt.Sprintf("%s %d %d", f.Name, f.At.At("amd64"), f.At.At("arm64")))
		if f.Name == "d" && (f.Bit.At("amd64") != 64+33 || f.Bit.At("arm64") != 128+33 || f.Around != inner) {
			t.Errorf("d: bit %s", f.Bit)
		}
	}
	if want := "a 0 0, b 8 16, c 8 16, d 12 20, e 16 24"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	if a.Members[2].Type.Unnamed() != inner || scalar.Unnamed() != nil {
		t.Error("the body of an unnamed struct is not found, or found where there is none")
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"reserved", "reserved2", "rsvd0", "_reserved", "pad", "reserved_1"} {
		if !IsReserved(name) {
			t.Errorf("%s is reserved", name)
		}
	}
	for _, name := range []string{"reserved_lkey", "tfc_pad", "status", "padded", "", "preserved"} {
		if IsReserved(name) {
			t.Errorf("%s is not reserved", name)
		}
	}
	if !IsSentinel("IBV_WQ_FLAGS_RESERVED") || IsSentinel("RESERVED_LKEY") {
		t.Error("sentinels end in _RESERVED")
	}
}
