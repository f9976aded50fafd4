//go:build linux && cgo

package cverbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The package builds with a header of a release to come, in which everything that may grow has grown, and its calls neither read
// nor write a byte past Go's structs. The test program's provider takes and fills as many bytes as that header says; gcc's address
// sanitizer looks on.
func TestFuture(t *testing.T) {
	t.Parallel()
	readAll(t, packageFiles(t)...)
	include := futureHeader(t)
	for _, cc := range []string{"gcc", "clang"} {
		archive := filepath.Join(t.TempDir(), "cverbs.a")
		goWith(t, cc, "-Werror", include, "build", "-o", archive, ".")
		checkReferences(t, archive)
	}
	program := future(t, include, "-Werror", nil)
	calls := strings.Split(strings.TrimSpace(run(t, program)), "\n")
	for _, name := range calls {
		if out, err := sanitized(program, name); err != nil || strings.TrimSpace(out) != "done" {
			t.Errorf("%s: %v\n%.3000s", name, err, out)
		}
	}
	code := source(t, "inlines_generated.c")
	for _, verb := range copying(t, code) {
		if !slices.Contains(calls, verb) {
			t.Errorf("%s copies a struct, and testdata/future does not call it", verb)
		}
	}

	// The same calls without the copies, and with the header's sizes, are caught.
	broken := future(t, include, "", map[string]string{
		"inlines_generated.c": replaceAll(t, replaceAll(t, code, `\w+ \? &(\w+)_copy\.header : NULL`, `(void *)$1`),
			`(?m)^\tif \(\w+\)\n\t\tmemcpy\(\w+, &\w+_copy, .*\n`, ``),
		"newer_generated.c": replaceAll(t, source(t, "newer_generated.c"), `(\breturn ibvgo__ibv_query_\w+\(.*, )\d+\);`, `${1}sizeof(char[40]));`),
	})
	for _, name := range calls {
		if name == "verbs_context" {
			continue
		}
		if out, err := sanitized(broken, name); err == nil || !strings.Contains(out, "AddressSanitizer: heap-buffer-overflow") {
			t.Errorf("%s without a copy is not caught: %v\n%.3000s", name, err, out)
		}
	}
}

// future builds the test program under the address sanitizer, with some of the package's files replaced.
func future(t *testing.T, include []string, flags string, replaced map[string]string) string {
	t.Helper()
	sources, err := filepath.Glob("testdata/future/*")
	if err != nil || len(sources) < 4 {
		t.Fatalf("the program's files are %v, %v", sources, err)
	}
	readAll(t, sources...)
	program := filepath.Join(t.TempDir(), "future")
	goWith(t, "gcc", flags, include, "build", "-asan", "-overlay", overlay(t, replaced), "-o", program, "./testdata/future")
	return program
}

func sanitized(program, name string) (string, error) {
	cmd := exec.Command(program, name)
	// Leaks cannot be looked for where processes may not trace each other.
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:halt_on_error=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func source(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// replaceAll is for code that is known to have the pattern.
func replaceAll(t *testing.T, code, pattern, by string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	if !re.MatchString(code) {
		t.Fatalf("the generated code has no %s: break it in another way", pattern)
	}
	return re.ReplaceAllString(code, by)
}

// copying returns the verbs whose thunks pass a copy.
func copying(t *testing.T, code string) []string {
	t.Helper()
	var r []string
	for _, m := range regexp.MustCompile(`(?m)^.*\bibvgo_call_(\w+)\([^;]*\)\n\{\n((?:\t.*\n|\n)*)\}`).FindAllStringSubmatch(code, -1) {
		if strings.Contains(m[2], "_copy.header") {
			r = append(r, m[1])
		}
	}
	if len(r) < 15 {
		t.Fatalf("only %d thunks pass copies: %v", len(r), r)
	}
	return r
}
