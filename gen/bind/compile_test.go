package bind

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/internal/headers"
)

// helpers stand for the C files written by hand that the generated ones include.
var helpers = map[string]string{
	"count.h": "#define IBVGO_COUNT(index) ((void)(index))\n",
	"event.h": "struct ibv_async_event;\nconst void *ibvgo_event_context(const struct ibv_async_event *event);\n",
	"registry.h": `typedef void (*ibvgo_fn_t)(void);
ibvgo_fn_t ibvgo_pick(const void *object, int index, int *why);
`,
}

// unpack writes files and helpers into a new folder.
func unpack(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range helpers {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// strict are the options that no C file may have a warning with.
var strict = []string{"-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"}

func cc(t *testing.T, compiler string, args ...string) {
	t.Helper()
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s %s: %v\n%.3000s", compiler, strings.Join(args, " "), err, out)
	}
}

// compilers are those of this machine and, where they are asked for, those of the other architectures.
func compilers() []string {
	list := []string{"gcc", "clang"}
	if os.Getenv("IBV_CROSS") != "" {
		for _, machine := range []string{"aarch64", "powerpc64le", "riscv64", "s390x"} {
			list = append(list, machine+"-linux-gnu-gcc")
		}
	}
	return list
}

// The C files compile with the headers of each release, without a warning, and refer to nothing of the library.
func TestCompile(t *testing.T) {
	dir := unpack(t, emitted(t, verbs(t)))
	for _, release := range headers.Releases {
		include := headers.Include(t, release)
		for _, compiler := range compilers() {
			t.Run(fmt.Sprintf("%s %s", compiler, release), func(t *testing.T) {
				t.Parallel()
				out := t.TempDir()
				for _, name := range []string{"stubs", "inlines", "newer", "asserts", "table"} {
					object := filepath.Join(out, name+".o")
					cc(t, compiler, append(strict, "-I"+dir, "-I"+include, "-c", "-o", object, filepath.Join(dir, name+"_generated.c"))...)
					checkUndefined(t, object)
				}
			})
		}
	}
}

func checkUndefined(t *testing.T, object string) {
	t.Helper()
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF && strings.Contains(s.Name, "ibv") && !strings.HasPrefix(s.Name, "ibvgo_") {
			t.Errorf("%s refers to %s", filepath.Base(object), s.Name)
		}
	}
}

// A header that moved a member, dropped a value or shrank does not compile; one that has more does.
func TestAssertions(t *testing.T) {
	y := readToy(t)
	dir := unpack(t, emitted(t, y.ours))
	text, err := os.ReadFile(filepath.Join(y.dir, "new", "infiniband", "toy.h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		old, new string
		fine     bool
	}{
		{"", "", true},
		{"uint64_t at, b; };", "uint64_t at, b, c; };", true},
		{"IBV_KIND_A, ", "IBV_KIND_A, IBV_KIND_C, ", true},
		{"uint32_t comp_mask, a;", "uint32_t a, comp_mask;", false},
		{"IBV_KIND_B = -1", "IBV_KIND_B = -2", false},
		{"struct ibv_wc { uint64_t id; };", "struct ibv_wc { uint32_t id; };", false},
		{"size_t sz;\n", "size_t sz, more;\n", false},
		{"int (*ctx_op)(struct ibv_pd *pd, uint32_t n);", "void *more; int (*ctx_op)(struct ibv_pd *pd, uint32_t n);", true},
	} {
		if !strings.Contains(string(text), tt.old) {
			t.Fatalf("the header has no %q", tt.old)
		}
		inc := filepath.Join(t.TempDir(), "infiniband")
		if err := os.MkdirAll(inc, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(inc, "toy.h"), []byte(strings.Replace(string(text), tt.old, tt.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append(strict, "-I"+dir, "-I"+filepath.Dir(inc), "-c", "-o", "/dev/null", filepath.Join(dir, "asserts_generated.c"))
		out, err := exec.Command("gcc", args...).CombinedOutput()
		if (err == nil) != tt.fine {
			t.Errorf("%q for %q: %v\n%.500s", tt.new, tt.old, err, out)
		}
	}
}
