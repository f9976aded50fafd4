package ibv_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var archs = []string{"amd64", "arm64", "ppc64le", "riscv64", "s390x"}

// sources returns the package's files, tests left out.
func sources(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	files := map[string]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(b)
	}
	return files
}

// build builds a copy of the package for arch and returns what the compiler said.
func build(t *testing.T, files map[string]string, arch string, flags ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module github.com/goverbs/ibv\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOARCH="+arch, "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// An assertion compares a wanted number with what the compiler makes of a type.
var assertion = regexp.MustCompile(`(?m)^var _ \[(\d+)\]byte = \[(.*)\]byte\{\}$`)

// ofArch reports whether the file takes part in a build for arch.
func ofArch(name, arch string) bool {
	for _, a := range archs {
		if strings.HasSuffix(name, "_"+a+".go") {
			return a == arch
		}
	}
	return true
}

// Every single number in the assertions is checked by every build that it is for: all of them are changed at once, and the
// compiler must complain of each by name, with the number that it found and the one that was wanted.
func TestEveryAssertionHolds(t *testing.T) {
	for _, arch := range archs {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			files := sources(t)
			if out, err := build(t, files, arch); err != nil {
				t.Fatalf("unchanged, the package does not build: %v\n%s", err, out)
			}
			var want []string
			for name, text := range files {
				if !ofArch(name, arch) {
					continue
				}
				files[name] = assertion.ReplaceAllStringFunc(text, func(line string) string {
					m := assertion.FindStringSubmatch(line)
					n, err := strconv.Atoi(m[1])
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, fmt.Sprintf("cannot use [%s]byte{} (value of type [%d]byte) as [%d]byte value", m[2], n, n+1))
					return fmt.Sprintf("var _ [%d]byte = [%s]byte{}", n+1, m[2])
				})
			}
			if len(want) < 1000 {
				t.Fatalf("only %d assertions", len(want))
			}
			out, err := build(t, files, arch, "-gcflags=-e")
			if err == nil {
				t.Fatal("a package with wrong numbers builds")
			}
			missed := 0
			for _, w := range want {
				if !strings.Contains(out, w) {
					if missed++; missed < 5 {
						t.Errorf("the compiler does not say %q", w)
					}
				}
			}
			t.Logf("%d assertions, %d without an error", len(want), missed)
		})
	}
}

// A changed layout does not build, and the message names the field, what it got and what was wanted.
func TestChangedLayoutDoesNotBuild(t *testing.T) {
	edits := []struct{ name, after, old, new, want string }{
		{"a wider member", "type WC struct", "VendorErr uint32", "VendorErr uint64",
			"[unsafe.Sizeof(WC{}.VendorErr)]byte{} (value of type [8]byte) as [4]byte value"},
		{"a member moved down", "type SendWR struct", "\tNumSGE int32", "\t_ [4]byte\n\tNumSGE int32",
			"[unsafe.Offsetof(SendWR{}.NumSGE)]byte{} (value of type [28]byte) as [24]byte value"},
		{"one number of an assertion", "// WC is laid out as in C.", "var _ [16]byte = [unsafe.Offsetof(WC{}.VendorErr)]byte{}",
			"var _ [20]byte = [unsafe.Offsetof(WC{}.VendorErr)]byte{}",
			"[unsafe.Offsetof(WC{}.VendorErr)]byte{} (value of type [16]byte) as [20]byte value"},
	}
	for _, arch := range archs {
		for _, e := range edits {
			t.Run(arch+"/"+strings.ReplaceAll(e.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				files := sources(t)
				found := 0
				for name, text := range files {
					before, rest, ok := strings.Cut(text, e.after)
					if ok {
						found += strings.Count(rest, e.old)
						files[name] = before + e.after + strings.Replace(rest, e.old, e.new, 1)
					}
				}
				if found == 0 {
					t.Fatalf("no %q in the package", e.old)
				}
				out, err := build(t, files, arch, "-gcflags=-e")
				if err == nil || !strings.Contains(out, e.want) {
					t.Errorf("err %v, got\n%.2000s\nwant a line with %q", err, out, e.want)
				}
			})
		}
	}
}

// Architectures without known layouts are refused in one line.
func TestOtherArchitectures(t *testing.T) {
	for _, arch := range []string{"386", "arm", "mips64le", "loong64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			out, err := build(t, sources(t), arch)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if err == nil || len(lines) != 2 || !strings.Contains(lines[1], "ibv_supports_only_amd64_arm64_ppc64le_riscv64_s390x") {
				t.Errorf("err %v, got\n%s\nwant the package's name and one line that lists the supported architectures", err, out)
			}
		})
	}
}
