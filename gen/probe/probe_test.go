package probe

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/compiler"
	"github.com/goverbs/ibv/gen/model"
)

const small = `
enum big { BIG_A = 1, BIG_B = 0x8000000000000000 };
enum neg { NEG_A = -1 };
typedef enum { PLAIN_A = 3 } plain_t;
struct s {
	char c;
	union { int i; struct { short lo, hi; }; };
	struct { const char *text; struct { int a; } *to; } inner[2][3];
	unsigned a:3, :5, b:18;
	_Bool flag:1;
	struct { long tail; } last[];
};
typedef struct { unsigned short x; } named_t;
#define M_WIDE 0xffffffffffffffffULL
#define M_SHORT ((unsigned short)0xffff)
#define M_MIN (-0x7fffffffffffffffLL - 1)
#define M_NEG NEG_A
`

func scalar(name string) model.Type { return model.Type{Kind: model.Scalar, Name: name} }

func field(name, scalarName string, offset, size int64) model.Member {
	return model.Member{Name: name, Type: scalar(scalarName), Offset: model.N(offset), Size: model.N(size)}
}

func smallModel(header string) *model.Model {
	n := model.N
	pointer := model.Type{Kind: model.Pointer, Elem: &model.Type{Kind: model.Scalar, Name: "char", Const: true}}
	pointed := &model.Aggregate{Size: n(4), Align: n(4), Members: []model.Member{field("a", "int", 0, 4)}}
	toBody := model.Type{Kind: model.Pointer, Elem: &model.Type{Kind: model.Struct, Body: pointed}}
	inner := &model.Aggregate{Size: n(16), Align: n(8), Members: []model.Member{
		{Name: "text", Type: pointer, Size: n(8)}, {Name: "to", Type: toBody, Offset: n(8), Size: n(8)}}}
	halves := &model.Aggregate{Size: n(4), Align: n(2), Members: []model.Member{field("lo", "short", 0, 2), field("hi", "short", 2, 2)}}
	union := &model.Aggregate{Union: true, Size: n(4), Align: n(4), Members: []model.Member{
		field("i", "int", 0, 4), {Type: model.Type{Kind: model.Struct, Body: halves}, Size: n(4)}}}
	tail := &model.Aggregate{Size: n(8), Align: n(8), Members: []model.Member{field("tail", "long", 0, 8)}}
	array := func(l int64, e model.Type) model.Type { return model.Type{Kind: model.Array, Len: l, Elem: &e} }
	bits := func(name, t string, pos int64, width int) model.Member {
		return model.Member{Name: name, Type: scalar(t), Bits: &model.Bits{Pos: n(pos), Width: width}}
	}
	return &model.Model{
		Header: header,
		Aggregates: []model.Aggregate{
			{Name: "named_t", Typedef: true, Size: n(2), Align: n(2), Members: []model.Member{field("x", "unsigned short", 0, 2)}},
			{Name: "s", Size: n(112), Align: n(8), Members: []model.Member{
				field("c", "char", 0, 1),
				{Type: model.Type{Kind: model.Union, Body: union}, Offset: n(4), Size: n(4)},
				{Name: "inner", Type: array(2, array(3, model.Type{Kind: model.Struct, Body: inner})), Offset: n(8), Size: n(96)},
				bits("a", "unsigned int", 832, 3), bits("b", "unsigned int", 840, 18), bits("flag", "_Bool", 858, 1),
				{Name: "last", Type: array(-1, model.Type{Kind: model.Struct, Body: tail}), Offset: n(112), Size: n(0)},
			}},
			{Name: "unknown", Opaque: true},
		},
		Enums: []model.Enum{
			{Name: "big", Size: 8, Enumerators: []model.Enumerator{{Name: "BIG_A", Value: model.Int(1)}, {Name: "BIG_B", Value: model.Uint(1 << 63)}}},
			{Name: "neg", Size: 4, Signed: true, Enumerators: []model.Enumerator{{Name: "NEG_A", Value: model.Int(-1)}}},
			{Name: "plain_t", Typedef: true, Size: 4, Enumerators: []model.Enumerator{{Name: "PLAIN_A", Value: model.Int(3)}}},
		},
		Consts: []model.Const{
			{Name: "M_WIDE", Value: model.Uint(1<<64 - 1), Type: scalar("unsigned long long")},
			{Name: "M_SHORT", Value: model.Int(0xffff), Type: scalar("unsigned short")},
			{Name: "M_MIN", Value: model.Int(-1 << 63), Type: scalar("long long")},
			{Name: "M_NEG", Value: model.Int(-1), Type: model.Type{Kind: model.EnumRef, Name: "neg"}},
		},
	}
}

func writeHeader(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "small.h")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// spoil changes one number of each kind.
var spoil = []struct {
	item, got string
	do        func(*model.Model)
}{
	{"sizeof(struct s)", "112", func(m *model.Model) { m.Aggregates[1].Size.V = 120 }},
	{"_Alignof(struct s)", "8", func(m *model.Model) { m.Aggregates[1].Align.V = 4 }},
	{"sizeof(named_t)", "2", func(m *model.Model) { m.Aggregates[0].Size.V = 4 }},
	{"offsetof(struct s, hi)", "6", func(m *model.Model) {
		m.Aggregates[1].Members[1].Type.Body.Members[1].Type.Body.Members[1].Offset.V = 1
	}},
	{"offsetof(struct s, inner[0][0].to)", "16", func(m *model.Model) { inner(m).Members[1].Offset.V = 0 }},
	{"sizeof(((struct s *)0)->inner)", "96", func(m *model.Model) { m.Aggregates[1].Members[2].Size.V = 16 }},
	{"_Alignof(__typeof__(((struct s *)0)->inner[0][0]))", "8", func(m *model.Model) { inner(m).Align.V = 1 }},
	{"offsetof(__typeof__(*((struct s *)0)->inner[0][0].to), a)", "0",
		func(m *model.Model) { inner(m).Members[1].Type.Elem.Body.Members[0].Offset.V = 4 }},
	{"offsetof(struct s, last[0].tail)", "112", func(m *model.Model) { m.Aggregates[1].Members[6].Type.Elem.Body.Members[0].Offset.V = 8 }},
	{"BIG_B", "9223372036854775808", func(m *model.Model) { m.Enums[0].Enumerators[1].Value = model.Int(-1 << 63) }},
	{"sizeof(enum big)", "8", func(m *model.Model) { m.Enums[0].Size = 4 }},
	{"((enum neg)-1 < (enum neg)1)", "1", func(m *model.Model) { m.Enums[1].Signed = false }},
	{"NEG_A", "-1", func(m *model.Model) { m.Enums[1].Enumerators[0].Value = model.Uint(1<<64 - 1) }},
	{"M_WIDE", "18446744073709551615", func(m *model.Model) { m.Consts[0].Value = model.Int(-1) }},
	{"sizeof(M_SHORT)", "2", func(m *model.Model) { m.Consts[1].Type.Name = "unsigned int" }},
	{"M_MIN", "-9223372036854775808", func(m *model.Model) { m.Consts[2].Value = model.Uint(1 << 63) }},
	{".b of struct s", "bits 840 to 857", func(m *model.Model) { m.Aggregates[1].Members[4].Bits.Pos.V = 835 }},
	{".flag of struct s", "bits 858 to 858", func(m *model.Model) { m.Aggregates[1].Members[5].Bits.Width = 2 }},
	{"offsetof(struct s, gone)", "", func(m *model.Model) { m.Aggregates[1].Members[0].Name = "gone" }},
}

func inner(m *model.Model) *model.Aggregate { return m.Aggregates[1].Members[2].Type.Elem.Elem.Body }

func TestCheck(t *testing.T) {
	file := writeHeader(t, small)
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) {
			o := Options{CC: []string{cc}, Header: file}
			if got, err := Check(o, smallModel(file)); err != nil || len(got) != 0 {
				t.Fatalf("a right model: %v, %v", got, err)
			}
			for _, s := range spoil {
				m := smallModel(file)
				s.do(m)
				got, err := Check(o, m)
				if err != nil {
					t.Errorf("%s: %v", s.item, err)
				} else if len(got) == 0 || !mentions(got, s.item, s.got) {
					t.Errorf("%s: got %v", s.item, got)
				}
			}
		})
	}
}

func mentions(list []Mismatch, item, got string) bool {
	for _, m := range list {
		if m.Item == item && (m.Got == got || got == "" && strings.HasPrefix(m.Got, "error: ")) && m.Got != m.Want {
			return true
		}
	}
	return false
}

func TestAssertions(t *testing.T) {
	file := writeHeader(t, small)
	for _, cc := range []string{"gcc", "clang"} {
		if msg := compileC(t, cc, Assertions(smallModel(file), runtime.GOARCH, Exact)); msg != "" {
			t.Errorf("%s: a right model: %s", cc, msg)
		}
		for _, s := range spoil {
			m := smallModel(file)
			s.do(m)
			msg := compileC(t, cc, Assertions(m, runtime.GOARCH, Exact))
			if isBits := strings.HasPrefix(s.item, "."); isBits != (msg == "") {
				t.Errorf("%s: %s spoilt: %s", cc, s.item, msg)
			} else if !isBits && s.got != "" && !strings.Contains(msg, s.item+" is not ") {
				t.Errorf("%s: %s spoilt: the message does not name it: %s", cc, s.item, msg)
			}
		}
	}
}

func TestAssertionsAtLeast(t *testing.T) {
	file := writeHeader(t, small)
	m := smallModel(file)
	m.Aggregates[1].Size.V = 104
	if msg := compileC(t, "gcc", Assertions(m, runtime.GOARCH, AtLeast)); msg != "" {
		t.Errorf("a header whose struct is larger: %s", msg)
	}
	m.Aggregates[1].Size.V = 120
	if msg := compileC(t, "gcc", Assertions(m, runtime.GOARCH, AtLeast)); !strings.Contains(msg, "sizeof(struct s) is not 120") {
		t.Errorf("a header whose struct is smaller: %q", msg)
	}
	m = smallModel(file)
	m.Aggregates[1].Members[0].Size.V = 0
	if msg := compileC(t, "gcc", Assertions(m, runtime.GOARCH, AtLeast)); msg == "" {
		t.Error("a scalar member that is larger went through")
	}
}

// compileC compiles src with all warnings as errors and returns the compiler's messages.
func compileC(t testing.TB, cc string, src []byte) string {
	t.Helper()
	cmd := exec.Command(cc, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(string(src))
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

func TestHostileNames(t *testing.T) {
	file := writeHeader(t, small)
	const hostile = "x); int injected; //"
	for what, do := range map[string]func(*model.Model){
		"tag":        func(m *model.Model) { m.Aggregates[1].Name = hostile },
		"member":     func(m *model.Model) { m.Aggregates[1].Members[0].Name = hostile },
		"nested":     func(m *model.Model) { inner(m).Members[0].Name = hostile },
		"bit-field":  func(m *model.Model) { m.Aggregates[1].Members[3].Name = hostile },
		"enum":       func(m *model.Model) { m.Enums[0].Name = hostile },
		"enumerator": func(m *model.Model) { m.Enums[0].Enumerators[0].Name = "A\nB" },
		"macro":      func(m *model.Model) { m.Consts[0].Name = "\"" },
		"header":     func(m *model.Model) { m.Header = "stddef.h>\nint injected;//" },
	} {
		m := smallModel(file)
		do(m)
		if src := string(Assertions(m, "amd64", Exact)); !strings.HasPrefix(src, "#error ") || strings.Count(src, "\n") != 1 {
			t.Errorf("%s: %.200s", what, src)
		}
		if _, err := Check(Options{Header: m.Header}, m); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %q", what, err)
		}
	}
}

func TestErrors(t *testing.T) {
	file := writeHeader(t, small)
	if _, err := Check(Options{CC: []string{"/nonexistent/cc"}, Header: file}, smallModel(file)); !errors.Is(err, compiler.ErrNone) {
		t.Errorf("no compiler: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CC", "")
	if _, err := Check(Options{Header: file}, smallModel(file)); !errors.Is(err, compiler.ErrNone) || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("no compiler on the path: %v", err)
	}
}

func TestHeaderErrors(t *testing.T) {
	for what, want := range map[string]string{
		"#include <no/such.h>\n": "no/such.h",
		"int f(\n":               "error:",
	} {
		file := writeHeader(t, what)
		if _, err := Check(Options{Header: file}, smallModel(file)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", what, err)
		}
	}
	file := writeHeader(t, small)
	if _, err := Check(Options{CC: []string{"cc"}, Header: file, Arch: "s390x"}, smallModel(file)); err == nil || !strings.Contains(err.Error(), "not for s390x") {
		t.Errorf("the wrong compiler: %v", err)
	}
	if _, err := Check(Options{Header: file, Arch: "vax"}, smallModel(file)); err == nil {
		t.Error("an unknown architecture went through")
	}
}

func TestSpanBigEndian(t *testing.T) {
	if got := spanOf([]byte{0x1f, 0xe0}, true); got != "bits 3 to 10" {
		t.Error(got)
	}
	if got := spanOf([]byte{0x05}, false); got != "bits 0 to 0 and bits 2 to 2" {
		t.Error(got)
	}
}
