package bind

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The generated C code does what it should, under gcc's sanitizers: with the oldest header, the newest one, and one to come in which
// what grows is 8 bytes longer.
func TestRun(t *testing.T) {
	y := readToy(t)
	dir := unpack(t, emitted(t, y.ours))
	text, err := os.ReadFile(filepath.Join(y.dir, "new", "infiniband", "toy.h"))
	if err != nil {
		t.Fatal(err)
	}
	future := strings.Replace(string(text), "uint64_t at, b; };", "uint64_t at, b, c; };", 1)
	future = strings.Replace(future, "uint32_t n);\n};\nstruct ibv_attr", "uint32_t n);\n\tvoid *more;\n};\nstruct ibv_attr", 1)
	inc := filepath.Join(y.dir, "future", "infiniband")
	if err := os.MkdirAll(inc, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inc, "toy.h"), []byte(future), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"old", "new", "future"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "toy")
			args := append(strict, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"+dir, "-I"+filepath.Join(y.dir, release),
				"-o", program, "testdata/toy.c")
			for _, name := range []string{"stubs", "inlines", "newer", "asserts", "table"} {
				args = append(args, filepath.Join(dir, name+"_generated.c"))
			}
			cc(t, "gcc", args...)
			if out, err := exec.Command(program).CombinedOutput(); err != nil {
				t.Errorf("%v\n%.4000s", err, out)
			}
		})
	}
}
