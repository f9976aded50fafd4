//go:build linux && cgo

package ring

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// files returns what matches a pattern, and reads it, so that go test's cache knows of what only the C compiler uses.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	r, err := filepath.Glob(pattern)
	if err != nil || len(r) == 0 {
		t.Fatalf("%d files %s, %v", len(r), pattern, err)
	}
	for _, name := range r {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestC runs the tests in C, with and without gcc's sanitizers, and under valgrind.
func TestC(t *testing.T) {
	files(t, "*.h")
	files(t, "testdata/*.h")
	files(t, "../testdata/*.h")
	for name, mode := range map[string]struct {
		flags []string
		run   []string
	}{
		"plain":    {[]string{"-O2"}, nil},
		"valgrind": {[]string{"-O1"}, []string{"valgrind", "-q", "--fair-sched=yes", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"}},
		"address":  {[]string{"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}, nil},
		"thread":   {[]string{"-O1", "-fsanitize=thread"}, []string{"setarch", "-R"}}, // it fails where addresses are spread widely
	} {
		t.Run(name, func(t *testing.T) {
			for _, test := range files(t, "testdata/*_test.c") {
				program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(test), ".c"))
				args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, test}, mode.flags...)
				if out, err := exec.Command("gcc", append(args, files(t, "*.c")...)...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%.6000s", err, out)
				}
				command := append(mode.run[:len(mode.run):len(mode.run)], program)
				if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
					t.Errorf("%q: %v\n%.6000s", command, err, out)
				}
			}
		})
	}
}
