package emit

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mainGo prints the bytes of a struct that fill has written, and complains if show does not read from C's bytes what it
// should.
const mainGo = `package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"unsafe"
)

func main() { check(fill, show, shown) }

func check[T any](fill func(*T), show func(*T) []any, want string) {
	var ours, theirs T
	fill(&ours)
	fmt.Println(hex.EncodeToString(bytesOf(&ours)))
	b, err := hex.DecodeString(os.Args[1])
	if err != nil || copy(bytesOf(&theirs), b) != len(b) || len(b) != len(bytesOf(&theirs)) {
		fmt.Println("C has", len(b), "bytes, Go", len(bytesOf(&theirs)), err)
	}
	if got := fmt.Sprintln(show(&theirs)...); got != want+"\n" {
		fmt.Printf("read %swant %s\n", got, want)
	}
}

func bytesOf[T any](s *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)) }
`

// TestMemory compares the bytes that methods write with those of a C initializer, and reads those of C, on this machine.
func TestMemory(t *testing.T) {
	for _, name := range []string{"unions", "bits", "plain"} {
		g := find(t, name)
		g.runAgainst(t, "gcc", false)
	}
}

// TestBigEndian reads bit-fields from memory as gcc lays it out for s390x.
func TestBigEndian(t *testing.T) {
	const cc = "s390x-linux-gnu-gcc"
	if os.Getenv("IBV_CROSS") == "" {
		t.Skip("the cross compiler is not asked; 'make test-arch', or IBV_CROSS=1, asks it")
	}
	g := find(t, "bits")
	g.runAgainst(t, cc, true)
}

func (g golden) runAgainst(t *testing.T, cc string, big bool) {
	t.Helper()
	data := g.initialized(t, cc)
	p := g.plan(t, "main")
	dir := t.TempDir()
	files := emitted(t, p)
	files["main.go"] = []byte(mainGo)
	files["fill.go"] = g.section(t, "fill.go.txt")
	files["go.mod"] = []byte("module main\n\ngo 1.26\n")
	if big {
		const host = "_generated_amd64.go"
		files[p.Base+host] = bytes.ReplaceAll(files[p.Base+host], []byte("bigEndian = false"), []byte("bigEndian = true"))
	}
	writeFiles(t, dir, files)
	out := goTool(t, dir, nil, "run", "-gcflags=-d=checkptr", ".", fmt.Sprintf("%x", data))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if want := fmt.Sprintf("%x", data); !big && lines[0] != want {
		t.Errorf("%s: Go wrote\n%s, C\n%s", g.name, lines[0], want)
	}
	if len(lines) > 1 {
		t.Errorf("%s: %s", g.name, strings.Join(lines[1:], "\n"))
	}
}

// initialized is the memory of the variable filled in fill.c.
func (g golden) initialized(t *testing.T, cc string) []byte {
	t.Helper()
	src, obj := filepath.Join(g.dir, "fill.c"), filepath.Join(g.dir, "fill.o")
	if err := os.WriteFile(src, g.section(t, "fill.c"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-c", "-I", g.dir, "-o", obj, src}
	if cc != "gcc" {
		args = append(args, "-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu")
	}
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	f, err := elf.Open(obj)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		if s.Name != "filled" {
			continue
		}
		data, err := f.Sections[s.Section].Data()
		if err != nil {
			t.Fatal(err)
		}
		return data[s.Value : s.Value+s.Size]
	}
	t.Fatal("no variable filled")
	return nil
}

func (g golden) section(t *testing.T, name string) []byte {
	t.Helper()
	for _, f := range g.ar.Files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("%s has no %s", g.file, name)
	return nil
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for n, b := range files {
		if err := os.WriteFile(filepath.Join(dir, n), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// goTool runs the go command in dir and returns what it printed.
func goTool(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	out, err := goTry(dir, env, args...)
	if err != nil {
		t.Fatalf("go %s %s: %v\n%s", strings.Join(env, " "), strings.Join(args, " "), err, out)
	}
	return out
}

func goTry(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
