//go:build linux && cgo

package cverbs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sources are the C files here that are written by hand, and the table that they need.
var sources = []string{"loader.c", "loader_check.c", "loader_open.c", "loader_present.c", "loader_search.c", "loader_none.c", "registry.c", "registry_table.c", "count.c", "event.c", "spin.c", "turnstile.c", "pollex.c", "within.c", "posted.c", "wrbatch.c", "fileof.c", "table_generated.c"}

// readAll reads files that only the C compiler uses, so that go test's cache knows of them.
func readAll(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
}

var includes = []string{"loader.h", "loader_open.h", "registry.h", "registry_table.h", "count.h", "event.h", "spin.h", "turnstile.h", "pollex.h", "within.h", "posted.h", "wrbatch.h", "fileof.h", "labels_generated.h", "table_generated.h"}

// The C code has no warning, in any form that it is built in.
func TestWarnings(t *testing.T) {
	t.Parallel()
	all := append([]string{"ringcalls.h", "ringcalls.c"}, sources...) // the calls of a ring's thread need the stubs
	readAll(t, append(includes, all...)...)
	for _, cc := range []string{"gcc", "clang"} {
		for _, define := range []string{"IBVGO_NOTHING", "IBVGO_WITHOUT_GLIBC", "IBVGO_COUNTING"} {
			for _, source := range all[1:] {
				out := run(t, cc, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-D"+define, "-c", "-o", "/dev/null", source)
				if out != "" {
					t.Errorf("%s: %s", cc, out)
				}
			}
		}
	}
}

// The C code on its own, under gcc's sanitizers where threads meet. Without them, lookups are more often in the midst of a change.
func TestStress(t *testing.T) {
	readAll(t, append(includes, sources...)...)
	lib := verbsLike.build(t, "libibverbs.so.1")
	for _, c := range []struct {
		source, flags string
		args          []string
	}{
		{"stress.c", "-fsanitize=thread", []string{lib}},
		{"stress.c", "-fsanitize=address,undefined", []string{lib}},
		{"registry.c", "-fsanitize=thread", []string{"3000", "6"}},
		{"registry.c", "-fsanitize=address,undefined", []string{"3000", "6"}},
		{"registry.c", "-O2", []string{"7", "50000"}},
		{"many.c", "-O2", nil},
		{"turnstile.c", "-fsanitize=thread", []string{"200"}},
		{"turnstile.c", "-fsanitize=address,undefined", []string{"300"}},
		{"turnstile.c", "-O2", []string{"600"}},
		{"turnstile.c", "-O3", []string{"600", "fenced"}},
	} {
		t.Run(c.source+c.flags, func(t *testing.T) {
			t.Parallel()
			readAll(t, "testdata/demand.h", "testdata/"+c.source)
			program := filepath.Join(t.TempDir(), "program")
			args := []string{"-std=gnu11", "-g", "-O1", c.flags, "-I.", "-pthread", "-Wall", "-Wextra", "-Werror", "-o", program, "testdata/" + c.source}
			run(t, "gcc", append(append(args, sources...), "-ldl")...)
			// Without -R gcc's thread sanitizer fails on kernels that spread addresses widely.
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, "setarch", append([]string{"-R", program}, c.args...)...).CombinedOutput()
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
