package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypeText(t *testing.T) {
	tests := []struct{ text, c string }{
		{"unsigned int", "unsigned int x"},
		{"@uint32_t unsigned int", "uint32_t x"},
		{"const @__be32 unsigned int", "const __be32 x"},
		{"* struct ibv_pd", "struct ibv_pd *x"},
		{"* const * const char", "const char *const *x"},
		{"[2] [3] char", "char x[2][3]"},
		{"[] @__u64 unsigned long long", "__u64 x[]"},
		{"* [4] int", "int (*x)[4]"},
		{"[4] * int", "int *x[4]"},
		{"* func", "void (*x)()"},
		{"* void", "void *x"},
		{"enum ibv_wc_status", "enum ibv_wc_status x"},
		{"union ibv_gid", "union ibv_gid x"},
		{"@fn_t * func", "fn_t x"},
	}
	for _, tt := range tests {
		ty, err := ParseType(tt.text)
		if err != nil {
			t.Errorf("ParseType(%q): %v", tt.text, err)
			continue
		}
		if got := ty.Text(); got != tt.text {
			t.Errorf("Text() = %q, want %q", got, tt.text)
		}
		if got := ty.C("x", nil); got != tt.c {
			t.Errorf("C(%q) = %q, want %q", tt.text, got, tt.c)
		}
	}
	for _, bad := range []string{"", "*", "[x] int", "[-1] int", "@a", "enum", "flub", "struct a;b", "[3]", "const"} {
		if ty, err := ParseType(bad); err == nil {
			t.Errorf("ParseType(%q) = %q, want an error", bad, ty.Text())
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	body := &Aggregate{Union: true, Size: N(8), Align: NumBy(map[string]int64{"amd64": 4, "arm64": 8}),
		Members: []Member{{Name: "a", Type: Type{Kind: Scalar, Name: "int"}, Size: N(4), Bits: &Bits{N(3), 5}}}}
	want := Aggregate{Name: "s", Size: N(16), Align: N(8), Members: []Member{
		{Name: "u", Type: Type{Kind: Array, Len: 2, Elem: &Type{Kind: Union, Body: body}}, Size: N(16)},
	}}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Aggregate
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("after a round trip (-want +got):\n%s", d)
	}
}

func TestValue(t *testing.T) {
	for _, s := range []string{"0", "-1", "4294967295", "-9223372036854775808", "9223372036854775808", "18446744073709551615"} {
		var v Value
		if err := v.UnmarshalJSON([]byte(s)); err != nil || v.String() != s {
			t.Errorf("%s read as %s, %v", s, v, err)
		}
	}
	for _, s := range []string{"1.5", "18446744073709551616", "-9223372036854775809", "x", "1e3"} {
		var v Value
		if err := v.UnmarshalJSON([]byte(s)); err == nil {
			t.Errorf("%s read as %s, want an error", s, v)
		}
	}
}
