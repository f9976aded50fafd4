package load

import (
	"strconv"
	"strings"
	"testing"
)

// Texts whose numbers must be those of all five compilers; $ makes names unique.
var right = []string{
	"enum big$ { BIG$ = 0x8000000000000000, SMALL$ = 1 };\n#define M$ BIG$\n#define N$ (BIG$ - 1)",
	"struct s$ { char c; _Alignas(16) int x, y; char d; }; struct t$ { char c; _Alignas(0) int x; };",
	"enum { A$ = 3, B$ };\n#define A$ A$\n#define B$ (B$)",
	"struct e$ {}; struct s$ { struct e$ e; int x; };",
	"struct s$ { int a[0]; char c; }; struct t$ { int n; int a[]; }; struct u$ { struct t$ t; int x; };",
	"struct s$ { char c; int __attribute__((aligned(16))) x; }; struct t$ { char c; int x __attribute__((aligned(2))); };",
	"struct s$ { char c; int x __attribute__((aligned(8))); } __attribute__((packed)); struct t$ { char c; int (x); };",
	"struct t$ { char c; int x; }; struct s$ { char c; struct t$ t __attribute__((packed)); };",
	"struct s$ { char c; int x; } __attribute__((packed)) v$; struct t$ { char c; long double d; __int128 i; };",
	"struct s$ { char c; _Complex double d; char e; float _Complex f; };",
	"struct s$ { char c; union { int a; char b; }; struct { short s; } n[3]; };",
	"struct s$ { int : 0; char c; }; struct t$ { char c; int : 0; }; struct u$ { int :5; char c; }; struct v$ { short :0; };",
	"enum n$ { N$ = 3 }; struct s$ { char a[N$ - 2]; char b[~N$ & 7]; };",
	"enum a$ { A$ = 1, B$ = ~A$, C$ = A$ - 2, D$ = (A$ << 4) | B$, E$ = A$ > 0 ? 7 : -1 };",
	"enum a$ { A$ = 1 };\n#define X$ (~A$)\n#define Y$ (A$ - 2)\n#define Z$ (-A$)\n#define W$ (A$ << 31)\n#define V$ (-1 < A$)",
	"enum a$ { A$ = 1, H$ = 0x100000000 };\n#define X$ (~A$)\n#define Y$ (H$ - H$ - 1)\nenum b$ { K$ = ~A$, L$ = H$ };",
	"enum { A$ = 0x7fffffff, B$ = -0x7fffffff - 1 }; enum x$ { C$ = 0xffffffffu, D$ = 0 }; enum y$ { E$ = 0x80000000, F$ = -1 };",
	"enum a$ { A$ = 1u << 31, B$ = A$ >> 1, C$ = A$ + A$, D$ = A$ - 1, E$ = ~A$ };",
	"enum a$ { A$ = 'a', B$ = sizeof(int), C$ = (int)sizeof(long) - 9, D$ = 1 ? 2 : 3, E$ = !0, F$ = 5 % 3, G$ = (unsigned char)300 };",
	"#define X$ ((unsigned short)0xffff)\n#define Y$ ((signed char)200)\n#define Z$ 'a'",
	"#define X$ 1.5\n#define Y$ (int)1.5\n#define Z$ \"abc\"\n#define Q$ ((void *)-1)\n#define R$ sizeof(long)\n#define S$ (sizeof(int) - 5)",
	"#define A$ 5\n#undef A$\n#define A$ 6\n#define B$ A$\n#define C$ 1\n#define C$ 1",
	"#define A$ ((_Bool)2)\n#define B$ (!5)\n#define C$ (1 ? -1 : 1u)\n#define D$ (-1 / 2u)\n#define E$ (-7 / 2)\n#define F$ (-7 % 3)",
	"#define G$ (-1 >> 1)\n#define H$ (1u << 31)\n#define I$ 0777\n#define J$ 0b101\n#define K$ 100000000000\n#define L$ 0xffffffff",
	"#define M$ 4294967295\n#define N$ 18446744073709551615u\n#define O$ -9223372036854775807\n#define P$ (2147483647 + 1)",
	"#define A$ 1\n#define B$ A$ + A$\n#define C$ B$ * 2\n#define D$ (A$ ? A$ : 0x1ull)\n#define E$ ((unsigned char)~0)\n#define F$ -(1)",
	"#define O$ 0x7fffffffffffffff\n#define P$ 0x8000000000000000\n#define R$ (1 << 31)\n#define S$ (1U << 31 << 1)\n#define U$ (-1U >> 31)",
	"enum e$ { A$ = 5 };\n#define F$(x, y) ((x) * (y))\n#define X$ F$(A$, 2)\n#define Y$ F$(F$(A$, 1), ~A$)\n#define Z$ F$\n#define V$ sizeof(A$)",
	"#define X$ __LINE__\n#define Y$ __COUNTER__",
	"enum e$ { A$ = 5 };\n#define CAT$(x, y) x##y\n#define X$ (CAT$(1, 2) + A$)\n#define Y$ CAT$(0x1,F)u\n#define O$ 1##2\n" +
		"#define V$(x, ...) (x + F$(__VA_ARGS__))\n#define F$(a, b) ((a) - b)\n#define W$ V$(1, 2, 3)\n#define G$ H$\n#define H$(x) ((x) + 1)\n" +
		"#define Z$ G$(1)\n#define E$(x, ...) J$(x, ##__VA_ARGS__)\n#define J$(...) K$(__VA_ARGS__, 7, 8)\n#define K$(x, y, ...) (x * 10 + y)\n" +
		"#define L$ E$(1)\n#define M$ E$(1, 2)\n#define N$() 4\n#define P$ N$()",
	"struct a$ { int x; struct { char q; } y; union { short t; char u; }; }; struct e$ {};\n#include <stddef.h>\n" +
		"#define A$ offsetof(struct a$, y)\n#define B$ '\\0'\n#define C$ '\\n'\n#define D$ sizeof(struct a$[3][2])\n#define F$ sizeof(int *[3])\n" +
		"#define G$ _Alignof(struct a$)\n#define H$ (unsigned long)(void *)5\n#define I$ sizeof(\"abc\")\n#define T$ (sizeof \"abc\" - 1)\n#define J$ (int)-1.5\n" +
		"#define K$ offsetof(struct a$, u)\n#define L$ sizeof(struct e$[3])\n#define M$ sizeof(struct e$[2][4])\n#define N$ sizeof(void *)\n" +
		"#define O$ (sizeof(int[4]) / sizeof(int))\n#define P$ _Alignof(long)\n#define Q$ '\\x41'\n#define R$ '\\101'\n#define S$ sizeof(1.5 > 1)",
	"#define A$ 1, 2\n#define B$ [3]\n#define C$ : 3\n#define D$ * 2\n#define E$ = 1\n#define F$ { 1, 2 }\n#define G$ unsigned int\n#define H$ 1 +\n" +
		"#define I$ struct nothing\n#define J$ (1.5 + 1)\n#define K$ nothing(1)\n#define L$ do { } while (0)\n#define M$ ((void *)0)\n#define N$ \"a\" \"b\"",
	"_Pragma(\"pack(1)\") struct s$ { char c; int x; };\n#pragma pack()",
	"#pragma pack(push, 2)\nstruct s$ { char c; int x; long y __attribute__((aligned(8))); };\n#pragma pack(pop)",
	"#pragma pack(2)\nstruct s$ { char c; _Alignas(8) int x; }; struct t$ { char c; int x; } __attribute__((aligned(8)));\n#pragma pack()",
	"#pragma pack(1)\nstruct s$ { int a:11; unsigned b:12; unsigned c:23; };\n#pragma pack()",
	"typedef int arr$[4]; struct s$ { arr$ a; arr$ b[2]; const arr$ c; };",
	"typedef enum { A$, B$ = -1 } en$; struct s$ { en$ e; char c; en$ f : 3; };",
	"struct s$ { int x:3; unsigned y:7; char c; long z:40; short q:9; }; struct t$ { unsigned a:18; unsigned char b; };",
	"struct s$ { unsigned char a:3, b:5; unsigned short c[3]; } __attribute__((packed)); struct t$ { long a:1; unsigned long b:64; int c; };",
	"struct s$ { char x; struct { int a:3; int b:9; } y; union { int c:5; char d; }; _Bool e:1; };",
	"struct s$ { int a:3; int:0; int b:4; int:5; int c:2; char d; int :0; }; union u$ { int a:3; int :0; long b:50; };",
	"struct s$ { char c; int b:30 __attribute__((packed)); int d:30; }; struct t$ { char c; __attribute__((packed)) int b:30; int d:30; };",
	"struct s$ { char c; long long b:50; } __attribute__((packed)); typedef const unsigned int cu$; struct t$ { cu$ a:3; volatile int c:3; };",
	"struct s$ { struct { char c; } __attribute__((aligned(8))) a; struct { int x; } __attribute__((packed)) b[2]; };",
	"struct s$ { struct { char c; int x; } __attribute__((packed)); char d; union { int e; long f; } __attribute__((packed)); };",
	"struct s$ { char c; struct { char d; } a __attribute__((aligned(8))); }; struct t$ { char c; struct { char d; } __attribute__((aligned(4))) *a; };",
	"struct s$ { char c; int a[2] __attribute__((aligned(16))); void (*f)(void) __attribute__((aligned(16))); };",
	"struct s$ { char c; _Alignas(16) struct { int i; }; }; struct t$ { char c; _Alignas(8) char d; } __attribute__((packed));",
	"struct t$ { char a; long b; } __attribute__((packed)); typedef struct t$ T$; struct s$ { char c; T$ t; T$ *p; struct t$ *q; int x; };",
	"struct o$ { char c; struct t$ { char a; long b; } __attribute__((packed)) *p, q; int x; };",
	"typedef struct { char a; long b; } __attribute__((aligned(32))) T$, *P$; struct o$ { char c; P$ p; T$ t; };",
	"union u$ { char c[5]; short s; } __attribute__((packed)); union v$ { char c[5]; int s:20; };",
	"struct s$ { int a[2][3]; char (*p)[4]; int *q[2]; void (*f)(int); int (*g[2])(void); };",
	"#define PK$ __attribute__((packed, aligned(8)))\n#define QK$ PK$\n#define AL$(n) __attribute__((packed, aligned(n)))\n" +
		"struct s$ { char c; int x; } QK$; struct t$ { char c; int x; } AL$(4);",
	"struct s$ { char a[sizeof(struct { int x; char y; })]; char b[sizeof(long) * 2 - 3]; char d[1 ? 4 : 5]; };",
	"struct s$ { long double x; char c; } __attribute__((packed)); union u$ { __int128 a; unsigned __int128 b; char c; };",
	"struct s$ { char c; float f; double d; _Bool b; signed char sc; unsigned long long ull; short int si; long unsigned int lui; };",
	"#include <pthread.h>\nstruct s$ { pthread_mutex_t m; pthread_cond_t c; pthread_attr_t a; pthread_mutexattr_t b; pthread_condattr_t d;" +
		" pthread_rwlock_t e; pthread_rwlockattr_t f; pthread_barrier_t g; pthread_barrierattr_t h; pthread_spinlock_t i; pthread_once_t j; };",
	"#include <linux/types.h>\nstruct s$ { __u64 a; __be32 b; __s8 c; __aligned_u64 d; __le16 e; __kernel_size_t f; };",
	"#include <netinet/in.h>\nstruct s$ { struct sockaddr_in a; struct sockaddr_in6 b; struct sockaddr_storage c; socklen_t l; };",
	"#include <stdint.h>\n#define X$ INT64_MIN\n#define Y$ UINT64_MAX\n#define Z$ ((int64_t)UINT64_C(0x8000000000000000))\n#define V$ ((uint32_t)5)",
	"#include <stddef.h>\nstruct s$ { char c; max_align_t m; };",
	"extern int g$(struct par$ { int x; } *p); extern int h$(struct q$ *p); extern int (*k$)(int);",
	"static inline int f$(int a) { struct loc { int x; } l = {a}; return l.x; }",
}

func TestRight(t *testing.T) {
	var all strings.Builder
	for i, text := range right {
		all.WriteString(strings.ReplaceAll(text, "$", strconv.Itoa(i)) + "\n")
	}
	path := write(t, all.String())
	m, err := Load(Options{Header: path})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Aggregates) < 80 || len(m.Consts) < 50 {
		t.Errorf("%d aggregates and %d constants", len(m.Aggregates), len(m.Consts))
	}
	agree(t, m, "#include \""+path+"\"", askedArchs())
}
