//go:build linux && cgo

package cverbs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// All calls together add at most 1.5 MB to an empty program with cgo.
func TestSize(t *testing.T) {
	t.Parallel()
	readAll(t, append(packageFiles(t), "testdata/empty/main.go")...)
	calls := regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(`).FindAllStringSubmatch(source(t, "calls_generated.go"), -1)
	if len(calls) < 150 {
		t.Fatalf("only %d calls", len(calls))
	}
	var all strings.Builder
	all.WriteString("package main\n\nimport . \"github.com/goverbs/ibv/internal/cverbs\"\n\nfunc main() {\n")
	for _, c := range calls {
		fmt.Fprintf(&all, "\tprintln(any(%s))\n", c[1])
	}
	all.WriteString("}\n")
	files := overlay(t, map[string]string{"testdata/all/main.go": all.String()})
	size := func(name string) int64 {
		program := filepath.Join(t.TempDir(), name)
		goWith(t, "gcc", "", nil, "build", "-overlay", files, "-o", program, "./testdata/"+name)
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	empty, full := size("empty"), size("all")
	t.Logf("%d bytes with all calls, %d without", full, empty)
	if added := full - empty; added > 1_500_000 {
		t.Errorf("the package adds %d bytes to a program, want at most 1,500,000", added)
	}
}
