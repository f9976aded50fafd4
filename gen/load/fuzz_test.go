package load

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// host asks the compiler once for all runs of the fuzzer.
var thisHost = sync.OnceValues(func() (*host, error) { return askCompiler("") })

// FuzzLoad wants of any header a model, or an *Error of one line, in bounded time.
func FuzzLoad(f *testing.F) {
	for i, text := range right {
		f.Add(strings.ReplaceAll(text, "$", strconv.Itoa(i)))
	}
	for _, text := range []string{
		"struct a { struct b b; }; struct b { int x; };",
		"typedef int t; t t; struct s { t x; };",
		"struct s { int x; } s, *p, f(struct s s); struct s g(void) { return s; }",
		"#define A B\n#define B A\n#define C(x) C(C(x))\nenum { D = A, E = C(C(1)) };",
		"#if 0\n#elif 1\n#else\n#endif\n#include \"h.h\"\n",
		"#line 7 \"x\"\nint x = {1, {2}};\n%:define A\n??=define B",
		"struct s { int a[sizeof(struct s)]; }; union u { union u *u; int :3; int b : sizeof(int); };",
		"enum e { A = B, B = A }; enum e { C }; typedef enum e e; struct e { e e; };",
		"int f(int (*)(int), ...), (*g[3])(void); static inline int h(a, b) int a; { for (;;) ; }",
		"#pragma pack(push, x, 4)\n_Pragma(\"pack(2)\") struct { long x; } __attribute__((aligned(-1)));",
		"struct s { char a[1 / 0], b[1 << 99], c[-1], d[0x7fffffffffffffff]; };",
		"_Static_assert(0, \"x\"); _Generic(1, int: 2); asm(\"x\"); __extension__ typedef struct s s;",
		"/* \\\n // \" ' \n */ '\\",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := thisHost()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "h.h")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = loadWith(Options{Header: path, Archs: []string{"amd64", "s390x"}}, h)
		if d := time.Since(start); d > archTimeout {
			t.Errorf("took %v", d)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r")) {
			t.Errorf("%T: %q", err, err)
		}
	})
}
