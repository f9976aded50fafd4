//go:build linux && cgo

package cverbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/internal/headers"
)

// goWith runs the go command here, with a C compiler that takes flags and searches include first. It wants no output.
func goWith(t *testing.T, cc, flags string, include []string, args ...string) {
	t.Helper()
	for _, dir := range include {
		flags += " -I" + dir
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CC="+cc, "CGO_ENABLED=1", "GOFLAGS=", strings.TrimRight("CGO_CFLAGS=-g -O2 "+flags, " "))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("CC=%s go %s: %v\n%.4000s", cc, strings.Join(args, " "), err, out)
	}
}

// The package builds against the headers of each recorded release, with each compiler, without a warning. What it consists of
// refers to none of the library's functions, whatever the header's inlines call.
func TestHeaders(t *testing.T) {
	t.Parallel()
	readAll(t, packageFiles(t)...)
	for _, release := range headers.Releases {
		for _, cc := range []string{"gcc", "clang"} {
			t.Run(release+"/"+cc, func(t *testing.T) {
				t.Parallel()
				include := []string{headers.Include(t, release)}
				archive := filepath.Join(t.TempDir(), "cverbs.a")
				goWith(t, cc, "-Werror", include, "build", "-o", archive, ".")
				if cc == "gcc" { // vet sees no C code
					goWith(t, cc, "-Werror", include, "vet", ".")
				}
				checkReferences(t, archive)
			})
		}
	}
}

// packageFiles returns the package's own files.
func packageFiles(t *testing.T) []string {
	t.Helper()
	var r []string
	for _, pattern := range []string{"*.go", "*.c", "*.h"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		r = append(r, files...)
	}
	return r
}

// checkReferences wants the objects in an archive to refer to stubs, and to nothing of libibverbs.
func checkReferences(t *testing.T, archive string) {
	t.Helper()
	objects, stubs := 0, map[string]bool{}
	for _, o := range elfMembers(t, archive) {
		objects++
		for _, name := range o.undefined {
			bare := strings.TrimLeft(name, "_")
			if strings.HasPrefix(bare, "ibv_") || strings.HasPrefix(bare, "verbs_") {
				t.Errorf("%s refers to %s of the library", o.name, name)
			}
			if strings.HasPrefix(name, "ibvgo_ibv_") {
				stubs[name] = true
			}
		}
	}
	// ibv_reg_mr_iova2 and ibv_query_port are called by inlines only, in every release.
	if objects < 5 || !stubs["ibvgo_ibv_reg_mr_iova2"] || !stubs["ibvgo_ibv_query_port"] {
		t.Errorf("%d objects refer to the stubs %v: want ibv_reg_mr_iova2 and ibv_query_port among them", objects, stubs)
	}
}
