package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// golden compares got with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./cmd/verbsgen -update writes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// A result is what a run of the command left.
type result struct {
	status         int
	stdout, stderr string
}

// verbsgen runs a command line with the given variables (KEY, value, ...) and no others.
func verbsgen(vars map[string]string, args ...string) result {
	var stdout, stderr bytes.Buffer
	env := func(key string) (string, bool) {
		v, ok := vars[key]
		return v, ok
	}
	status := run(args, &stdout, &stderr, env)
	return result{status, stdout.String(), stderr.String()}
}
