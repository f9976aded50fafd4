//go:build linux && cgo

package cverbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sources are the C files here that are written by hand, and the table that they need.
var sources = []string{"loader.c", "loader_check.c", "loader_open.c", "loader_none.c", "registry.c", "count.c", "event.c", "spin.c", "table_generated.c"}

// readAll reads files that only the C compiler uses, so that go test's cache knows of them.
func readAll(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
}

var includes = []string{"loader.h", "loader_open.h", "registry.h", "count.h", "event.h", "spin.h", "labels_generated.h", "table_generated.h"}

// The C code has no warning, in any form that it is built in.
func TestWarnings(t *testing.T) {
	readAll(t, append(includes, sources...)...)
	for _, cc := range []string{"gcc", "clang"} {
		for _, define := range []string{"IBVGO_NOTHING", "IBVGO_WITHOUT_GLIBC", "IBVGO_COUNTING"} {
			for _, source := range sources {
				out := run(t, cc, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-D"+define, "-c", "-o", "/dev/null", source)
				if out != "" {
					t.Errorf("%s: %s", cc, out)
				}
			}
		}
	}
}

// The C code on its own, with many threads, under gcc's sanitizers.
func TestStress(t *testing.T) {
	readAll(t, append(includes, sources...)...)
	readAll(t, "testdata/stress.c")
	lib := verbsLike.build(t, "libibverbs.so.1")
	for _, sanitizer := range []string{"thread", "address,undefined"} {
		t.Run(sanitizer, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "stress")
			args := append([]string{"-std=gnu11", "-g", "-O1", "-I.", "-fsanitize=" + sanitizer, "-pthread", "-o", program, "testdata/stress.c"}, sources...)
			run(t, "gcc", append(args, "-ldl")...)
			// Without -R gcc's thread sanitizer fails on kernels that spread addresses widely.
			out, err := exec.Command("setarch", "-R", program, lib).CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "done" {
				t.Errorf("%v\n%.6000s", err, out)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	readAll(t, "event.h", "event.c", "testdata/event.c")
	program := filepath.Join(t.TempDir(), "event")
	run(t, "gcc", "-std=gnu11", "-g", "-O1", "-I.", "-fsanitize=address,undefined", "-o", program, "testdata/event.c", "event.c")
	if out := run(t, program); strings.TrimSpace(out) != "done" {
		t.Error(out)
	}
}
