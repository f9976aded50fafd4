package load

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// checkError wants err to be an *Error of one line that matches the pattern.
func checkError(t *testing.T, what string, err error, pattern string) {
	t.Helper()
	var e *Error
	switch {
	case err == nil:
		t.Errorf("%s: accepted, want an error like %q", what, pattern)
	case !errors.As(err, &e):
		t.Errorf("%s: a %T: %v", what, err, err)
	case strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 600:
		t.Errorf("%s: more than a line: %q", what, err)
	case !regexp.MustCompile(pattern).MatchString(err.Error()):
		t.Errorf("%s: %q, want %q", what, err, pattern)
	}
}

// What gcc lays out otherwise than the front end does, or refuses, is refused with its place and construct.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"struct s { char c; int x __attribute__((aligned)); };", "h.h:1: member x of struct s: attribute aligned without a number"},
		{"typedef int v4 __attribute__((vector_size(16)));\nstruct s { int a; v4 v; };", "h.h:1: typedef v4: attribute vector_size"},
		{"typedef int di __attribute__((mode(DI)));\nstruct s { di x; };", "h.h:1: typedef di: attribute mode"},
		{"\nenum e { A, B } __attribute__((packed));", "h.h:2: enum e: attribute packed"},
		{"typedef enum { A, B } __attribute__((packed)) e;", "enum typedef e: attribute packed"},
		{"struct s { enum { C } __attribute__((packed)) x; };", "member x of struct s: a packed enum"},
		{"enum __attribute__((packed)) e { A };", "h.h:1: "},
		{"typedef struct p { char c; int x; } __attribute__((packed)) p_t, *pp;\nstruct r { char c; pp q; };",
			"h.h:1: typedef pp: .*packed struct"},
		{"struct t { char a; long b; } __attribute__((packed)); typedef struct t *P; struct s { char c; P p; int x; };",
			"h.h:1: typedef P: .*packed struct"},
		{"enum e { A = 0x8000000000000000, B = -1 };", "enum e: no integer type"},
		{"enum e { A = 0xffffffffffffffff, B };", "enum e: the value of B is not sure"},
		{"enum { A_MAX = 5 };\n#define A_MAX (A_MAX - 1)", "h.h:2: macro A_MAX: an enumerator has this name"},
		{"struct s { int y;\n__attribute__((aligned(4))) int __attribute__((aligned(8))) z; };", "h.h:2: more than one list of attributes"},
		{"typedef int t __attribute__((aligned(32)));\nstruct s { int y;\n__attribute__((__aligned__(1))) t z; };", "h.h:(1|3): "},
		{"typedef struct { int x; } t __attribute__((aligned(32)));\nstruct s { int y;\n__attribute__((__aligned__(1))) t z; };", "h.h:(1|3): "},
		{"struct s { _Float16 x; };", `member x of struct s: the type "_Float16"`},
		{"struct s { _Float128 x; };", "h.h"},
		{"struct s { _Decimal64 x; };", "h.h"},
		{"struct s { struct nope x; };", "member x of struct s: struct nope has no definition"},
		{"struct s { struct s x; };", "member x of struct s: struct s has no definition"},
		{"struct s { int x;\n int x; };", "h.h:2: struct s: two members named x"},
		{"struct s { int x; union { char x; }; };", "struct s: two members named x"},
		{"struct s { char c; _Alignas(8) _Alignas(16) int x; };", "more than one alignment"},
		{"union u { int x; float f; } __attribute__((transparent_union));", "union u: attribute transparent_union"},
		{`struct s { int x; } __attribute__((scalar_storage_order("big-endian")));`, "attribute scalar_storage_order"},
		{"struct s { int x:3; } __attribute__((ms_struct));", "attribute ms_struct"},
		{"struct s { char c; } __attribute__((warn_if_not_aligned(8)));", "attribute warn_if_not_aligned"},
		{"struct s { char c; } __attribute__((no_such_attribute_yet));", "attribute no_such_attribute_yet"},
		{"struct s { _Atomic int x; };", "_Atomic"},
		{"struct s { _Atomic(long) x; };", "_Atomic"},
		{"struct s { int *_Atomic x; };", "_Atomic"},
		{"struct s { int a[]; };", "member a of struct s: a flexible array"},
		{"struct s { int a[]; int b; };", "member a of struct s: a flexible array"},
		{"union u { int b; int a[]; };", "member a of union u: a flexible array"},
		{"struct f { int n; char a[]; };\nstruct s { struct f f[2]; };", "h.h:2: member f of struct s: an array of structs"},
		{"typedef int al __attribute__((aligned(16)));\nstruct s { al x; };", "typedef al: attribute aligned"},
		{"struct s { char c; int __attribute__((aligned(2))) x; };", "attribute aligned before the name"},
		{"struct s { char c; int __attribute__((aligned(8))) x; } __attribute__((packed));", "attribute aligned before the name"},
		{"struct s { char c; int __attribute__((aligned(16))) *x; };", "attribute aligned before the name"},
		{"struct s { char c; int * __attribute__((aligned(16))) x; };", "member x of struct s: attribute aligned"},
		{"struct s { char c; int (__attribute__((aligned(16))) x); };", "something stands between"},
		{"#define x __attribute__((aligned(16))) x\nstruct s { char c; int (x); };\n#undef x", "something stands between"},
		{"struct s { char c; int x : 3 __attribute__((aligned(8))); };", "an aligned bit-field"},
		{"struct s { char c; _Alignas(8) int x : 3; };", "an aligned bit-field"},
		{"struct t { char c; int x; };\nstruct s { char c; struct t __attribute__((packed)) t; };", "attribute packed before the name"},
		{"struct __attribute__((packed)) s;\nstruct s { char c; int x; };", "struct s: attribute packed"},
		{"__attribute__((packed)) struct s { char c; int x; };", "struct s: attribute packed"},
		{"struct e {} __attribute__((aligned(8)));", "struct e: attribute aligned of an empty"},
		{"struct s { char c; int x; } __attribute__((packed, aligned(8), unused));", "struct s: three or more attributes"},
		{"#define P packed, aligned(8)\nstruct s { char c; int x; } __attribute__((P, unused));", "macros in it"},
		{"#define P __attribute__((packed, aligned(8), unused))\nstruct s { char c; int x; } P;", "three or more attributes"},
		{"struct s { __int128 i : 3; };", "a bit-field of this type"},
		{"struct s { int x : 33; };", "a bit-field wider than its type"},
		{"struct s { _Bool b : 2; };", "a bit-field wider than its type"},
		{"struct s { int x : 0; };", "a bit-field of no width"},
		{"struct s { struct t { int x; }; char c; };", "declares nothing"},
		{"extern int n;\nstruct s { int a[n]; };", "h.h:2: member a of struct s: an array whose length"},
		{"enum { N = 3 };\nstruct s { char a[(N - 5) / -1]; };", "member a of struct s: .* is 2, the front end has 0"},
		{"#pragma pack(0)\nstruct s { char c; int x; };", "h.h:1: #pragma pack"},
		{"#pragma ms_struct on\nstruct s { char c; };", "h.h:1: #pragma ms_struct"},
		{"#pragma scalar_storage_order big-endian\nstruct s { int c; };", "h.h:1: #pragma scalar_storage_order"},
		{"#include <stdarg.h>\nstruct s { va_list v; };", "va_list"},
		{"struct s { __typeof__(int) x; };", "member x of struct s: the type"},
		{"struct s { void v; };", "member v of struct s"},
		{"enum e;\nstruct s { enum e p; };", "h.h:"},
		{"#include <sys/stat.h>\nstruct s { struct stat st; };", "struct stat: its layout on [a-z0-9]+ is not known"},
		{"#include <sys/types.h>\nstruct s { nlink_t n; };", "the size of nlink_t on [a-z0-9]+ is not known"},
		{"struct s {\n#ifdef __aarch64__\nlong x;\n#else\nint x;\n#endif\n};", "s: differs between amd64 and arm64: member x is"},
		{"#ifdef __s390x__\nstruct s { int x; };\n#endif", "s: differs between amd64 and s390x: declared only on the latter"},
		{"#define X ((char)200)", "h.h:1: macro X: the value of an expression of this form cannot be told"},
		{"\n#define X (1 / 0)", "h.h:2: macro X: the value of an expression"},
		{"#define X ((int)(1.5 * 2))", "h.h:1: macro X: the value of an expression"},
		{"struct e { char c; };\n#define X sizeof(struct { int m[0]; })", "h.h:2: macro X: the value of an expression"},
		{"struct e { int m[0]; };\nstruct s { struct e a[6]; int x; };", "h.h:2: member a of struct s: an array of elements without a size"},
		{"union e {};\nstruct s { struct { union e a[2][3]; } n; int x; };", "h.h:2: member a of member n of struct s: an array of elements"},
		{"typedef int none[0];\ntypedef none many[3];\nstruct s { char c; many m; };", "h.h:3: member m of struct s: an array of elements"},
		{"struct s { char c; int x[2][0]; };", "h.h:1: member x of struct s: an array of elements without a size"},
		{"struct [[gnu::packed]] s { char c; int x; };", `h.h:1: an attribute in double brackets`},
		{"struct s { char c; [[gnu::aligned(8)]]\nint x; };", `h.h:1: an attribute in double brackets`},
		{"struct s { char c; int x [[gnu::aligned(8)]]; };", `h.h:1: an attribute in double brackets`},
		{"struct s { char c;\n_BitInt(37) b; };", `h.h:2: the type _BitInt`},
		{"struct s { char c;\nunsigned _BitInt(37) b; };", `h.h:2: the type _BitInt`},
		{"#define P __attribute__((packed))\nenum P e { A };", "h.h:2: after enum stands neither a name nor a brace; an attribute"},
		{"\nstruct __attribute__((aligned(8))) s { int x; } __attribute__((aligned(16)));", "^/.*/h.h:2: conflicting attributes$"},
		{"typedef int t __attribute__((aligned(4)));\ntypedef int n;\nextern t u __attribute__((aligned(8)));", "^/.*/h.h:3: conflicting attributes$"},
		{"#include <stddef.h>\ntypedef int t;\ntypedef t (*f)(int,\n_Float16);", "^/.*/h.h:4: the type _Float16 is not supported"},
		{"int f(", "^/.*/h.h:1: unexpected end of file"},
		{"struct é { int x; };", "h.h:1: struct é: a name with other characters"},
		{"struct s {\nint $x; };", `h.h:2: member \$x: a name with other characters`},
		{"typedef int $t; struct s {\n$t *x; };", `h.h:2: typedef \$t: a name with other characters`},
		{"#define é 1", "h.h:1: macro é: a name with other characters"},
		{"enum { $A };", `h.h:1: enumerator \$A: a name with other characters`},
		{"int f(int $a);", `h.h:1: parameter \$a: a name with other characters`},
		{"struct s { char x[0x7fffffffffffffff]; };", "h.h:1: member x of struct s: an array that is too large: 9223372036854775807 elements"},
		{"struct s { char x[sizeof(int) - 8]; };", "h.h:1: member x of struct s: an array that is too large: 18446744073709551612"},
		{"struct s { char x[1ul << 30][1ul << 34]; };", "h.h:1: member x of struct s: too large"},
		{"struct s { char x[1ul << 40]; };\nstruct t { struct s s[1ul << 39]; };", "h.h:2: member s of struct t: too large"},
		{"struct s { char x[1ul << 40], y; };", "h.h:1: struct s: too large"},
		{"struct s { char x[-1]; };", "h.h:1: "},
		{"struct s {\nint; };", "h.h:2: a declaration that declares nothing"},
		{"struct s { " + strings.Repeat("struct { ", 50) + "int a[0][2], b[2][0];" + strings.Repeat("};", 51),
			"h.h:1: member b of unnamed member of struct s: an array of elements"},
		{"struct s { " + strings.Repeat("struct { ", 8) + "int b[2][0];" + strings.Repeat("} m;", 8) + "};",
			"h.h:1: member b of member m of ... of struct s: an array of elements"},
	} {
		_, err := Load(Options{Header: write(t, tt.text)})
		checkError(t, tt.text, err, tt.want)
	}
}
