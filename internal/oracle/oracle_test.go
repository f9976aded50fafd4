package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const header = `
#include <stdint.h>
enum big { BIG_A = 1, BIG_B = 0x8000000000000000 };
enum neg { NEG_A = -1, NEG_B = 0x7fffffff };
enum __attribute__((packed)) tiny { TINY_A = 255 };
typedef enum { PLAIN_A = 3 } plain_t;
enum { LOOSE_A = 0, LOOSE_B = 0xffffffff };
struct later;
typedef struct { uint16_t x; } named_t;
struct outer {
	char c;
	union { int i; struct { short lo, hi; }; };
	struct { const char *text; } inner[2][3];
	unsigned a:3, :5, b:18;
	named_t n;
	struct later *next;
	uint32_t tail[];
};
#define M_ONE 1
#define M_TEXT "text"
#define M_PTR ((void *)-1)
#define M_WIDE 0xffffffffffffffffULL
#define M_SHORT ((unsigned short)0xffff)
#define M_MIN (-0x7fffffffffffffffLL - 1)
#define M_TYPE struct outer
#define M_OPEN (
#define M_FN(x) 1
#define M_VAR m_var
#define M_GONE 1
#undef M_GONE
#define M_FLOAT 1.5
extern int m_var;
struct outer *f_declared(int a, int (*b)(void));
static inline int f_inline(void);
static inline int f_inline(void) { return 1; }
`

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.h")
	if err := os.WriteFile(file, []byte(header), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) {
			types := DWARF(t, []string{cc}, nil, file)
			enums := ""
			for _, e := range types.Enums {
				if e.File == file {
					enums += fmt.Sprintf("%s %d %v %v ", e.Name, e.Size, e.Signed, e.Enumerators)
				}
			}
			want := "big 8 false [{BIG_A 1} {BIG_B 9223372036854775808}] neg 4 true [{NEG_A -1} {NEG_B 2147483647}] " +
				"tiny 1 false [{TINY_A 255}] plain_t 4 false [{PLAIN_A 3}]  4 false [{LOOSE_A 0} {LOOSE_B 4294967295}] "
			if enums != want {
				t.Errorf("enums\n got %s\nwant %s", enums, want)
			}
			a := types.Named("outer")
			if a == nil || a.Size != 72 || a.File != file || a.Line != 10 {
				t.Fatalf("struct outer: %+v", a)
			}
			got := ""
			for _, m := range a.Members {
				got += fmt.Sprintf("%s@%d+%d %q %d@%d; ", m.Name, m.Offset, m.Size, m.Type, m.Bits, m.BitPos)
			}
			want = `c@0+1 "char" 0@0; @4+4 "union" 0@0; inner@8+48 "[2] [3] struct" 0@0; ` +
				`a@0+4 "unsigned int" 3@448; b@0+4 "unsigned int" 18@456; ` +
				`n@60+2 "@named_t struct named_t" 0@0; next@64+8 "* struct later" 0@0; tail@72+0 "[] @uint32_t unsigned int" 0@0; `
			if got != want {
				t.Errorf("members\n got %s\nwant %s", got, want)
			}
			if b := a.Members[1].Body; b == nil || !b.Union || len(b.Members) != 2 || b.Members[1].Body == nil || b.Members[1].Body.Members[1].Offset != 2 {
				t.Errorf("the unnamed union: %+v", b)
			}
		})
	}
}

func TestMacros(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.h")
	if err := os.WriteFile(file, []byte(header), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) {
			got := ""
			for _, m := range Macros(t, []string{cc}, nil, file, func(f string) bool { return f == file }) {
				got += fmt.Sprint(m.Name, " ", m.Value, " ", m.Size, m.Signed, "; ")
			}
			want := "M_ONE 1 4 true; M_WIDE 18446744073709551615 8 false; M_SHORT 65535 2 false; M_MIN -9223372036854775808 8 true; "
			if got != want {
				t.Errorf("macros\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestFunctions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.h")
	if err := os.WriteFile(file, []byte(header), 0o644); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range Functions(t, []string{"gcc"}, nil, file) {
		if f.File == file {
			got += fmt.Sprint(f.Name, " ", f.Defined, " ", f.Line, "; ")
		}
	}
	if want := "f_declared false 33; f_inline true 34; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
