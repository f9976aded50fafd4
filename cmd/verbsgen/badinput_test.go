package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder makes a temporary folder with the given files and goes there.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns all files below the working folder.
func contents(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Each bad input gives one line that tells where and what, the documented status, and leaves no file behind.
func TestBadInput(t *testing.T) {
	const good = "struct s { int a; };\n"
	files := map[string]string{
		"good.h":                       good,
		"syntax.h":                     "struct s {\n\tint a\n\tint b;\n};\n",
		"include.h":                    "struct s { int a; };\n#include <no/such.h>\n",
		"incomplete.h":                 "struct s {\n\tint a;\n\tstruct nowhere b;\n};\n",
		"twice.h":                      "struct a_b { int x; };\n\nstruct aB { int y; };\n",
		"damaged.json":                 `{"format": 1, "header": "x.h", "aggregates": [`,
		"newer.json":                   `{"format": 1000, "header": "x.h"}`,
		"odd/records":                  "text",
		"notes.txt":                    "text",
		"bad/records/1.json":           `{"format": 1000, "header": "good.h"}`,
		"taken/good_generated.go/file": "in the way",
	}
	none := map[string]string{"CC": "no-such-compiler"}
	tests := []struct {
		name string
		args string
		vars map[string]string
		want []string // parts of the message
	}{
		{"missing header", "verify -header infiniband/none.h", nil, []string{"infiniband/none.h"}},
		{"missing header's path", "dump -header ./none.h", nil, []string{"none.h"}},
		{"does not parse", "generate -release 1 -header ./syntax.h", nil, []string{"syntax.h:3"}},
		{"missing include", "generate -release 1 -header ./include.h", nil, []string{"include.h:2", "no/such.h"}},
		{"incomplete member", "dump -header ./incomplete.h", nil, []string{"incomplete.h:3", "incomplete"}},
		{"one Go name twice", "generate -release 1 -header ./twice.h", nil, []string{"twice.h:3", "struct aB", "AB", "a_b", "twice.h:1"}},
		{"no release", "generate -header ./good.h", nil, []string{"good.h", "-release"}},
		{"no record", "verify -header ./good.h", nil, []string{"good.h", "verbsgen dump"}},
		{"damaged record", "diff damaged.json 33.2", nil, []string{"damaged.json"}},
		{"newer record", "diff 33.2 newer.json", nil, []string{"newer.json", "1000"}},
		{"missing record", "diff 33.2 none.json", nil, []string{"none.json", "no such file"}},
		{"neither record nor header", "diff 33.2 notes.txt", nil, []string{"notes.txt", ".json", ".h"}},
		{"newer record in the folder", "generate -release 1 -header ./good.h -o bad", nil, []string{"bad/records/1.json", "1000"}},
		{"folder is a file", "generate -release 1 -header ./good.h -o notes.txt", nil, []string{"notes.txt", "not a directory"}},
		{"folder below a file", "generate -release 1 -header ./good.h -o notes.txt/sub", nil, []string{"notes.txt/sub", "not a directory"}},
		{"folder in the way", "generate -release 1 -header ./good.h -o taken", nil, []string{"taken/good_generated.go", "no regular file"}},
		{"folder of records is a file", "generate -release 1 -header ./good.h -o odd", nil, []string{"odd/records", "not a directory"}},
		{"no folder to search", "verify -I nowhere", nil, []string{"nowhere", "not a folder"}},
		{"compiler that fails", "verify", map[string]string{"CC": "false"}, []string{"the C compiler false failed"}},
		{"device", "dump -header ./good.h -o /dev/full", nil, []string{"/dev/full", "no regular file"}},
		{"file below a file", "dump -header ./good.h -o notes.txt/1.json", nil, []string{"notes.txt/1.json", "not a directory"}},
		{"no compiler by name", "verify", none, []string{"no C compiler", "no-such-compiler"}},
		{"no compiler by name", "generate -o new", none, []string{"no C compiler", "no-such-compiler"}},
		{"no such struct", "layout ibv_cw", nil, []string{`"ibv_cw"`, "did you mean ibv_wc"}},
		{"no such struct at all", "layout frobnication_table", nil, []string{`"frobnication_table"`, "verbsgen list"}},
	}
	folder(t, files)
	before := contents(t)
	for _, tt := range tests {
		r := verbsgen(tt.vars, strings.Fields(tt.args)...)
		checkRefusal(t, tt.name, r, tt.want)
	}
	t.Setenv("PATH", "")
	checkRefusal(t, "no compiler", verbsgen(nil, "generate", "-o", "new"), []string{"no C compiler", "apt-get install gcc"})
	if d := cmp.Diff(before, contents(t)); d != "" {
		t.Errorf("files changed (-before +after):\n%s", d)
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a folder was made")
	}
}

func checkRefusal(t *testing.T, name string, r result, want []string) {
	t.Helper()
	if r.status != 1 || r.stdout != "" || !strings.HasPrefix(r.stderr, "verbsgen: ") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%s: status %d, want 1; stdout %q; stderr, want one line:\n%s", name, r.status, r.stdout, r.stderr)
	}
	for _, part := range want {
		if !strings.Contains(r.stderr, part) {
			t.Errorf("%s: %q lacks %q", name, r.stderr, part)
		}
	}
}

// Two headers of one base name do not share a folder.
func TestAnotherHeader(t *testing.T) {
	folder(t, map[string]string{"rdma/rdma_cma.h": "struct b { int y; };\n", "infiniband/rdma_cma.h": "struct c { int z; };\n",
		"hand/rdma_cma_generated.go": "package p\n"})
	if r := verbsgen(nil, "generate", "-header", "./infiniband/rdma_cma.h", "-release", "1", "-package", "p", "-o", "out"); r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	before := contents(t)
	r := verbsgen(nil, "generate", "-header", "./rdma/rdma_cma.h", "-release", "1", "-package", "p", "-o", "out")
	byHand := verbsgen(nil, "generate", "-header", "./rdma/rdma_cma.h", "-release", "1", "-package", "p", "-o", "hand")
	checkRefusal(t, "a file made by hand", byHand, []string{"hand/rdma_cma_generated.go was not made by verbsgen"})
	checkRefusal(t, "another header", r, []string{"was made from infiniband/rdma_cma.h", "rdma/rdma_cma.h", "-o"})
	if d := cmp.Diff(before, contents(t)); d != "" {
		t.Errorf("files changed (-before +after):\n%s", d)
	}
}

// Names that cannot be a release, a package or a header are wrong usage, found before any work is done.
func TestBadNames(t *testing.T) {
	folder(t, map[string]string{"good.h": "struct s { int a; };\n"})
	for _, args := range [][]string{
		{"-release", "../../x"}, {"-release", ".65.0"}, {"-release", "65_0"}, {"-release", "65.0\n"}, {"-release", "1", "-package", "main"},
		{"-release", "1", "-package", "é"}, {"-release", "1", "-package", "type"}, {"-release", "1", "-header", "./a\nb.h"},
	} {
		r := verbsgen(nil, append([]string{"generate", "-header", "./good.h"}, args...)...)
		if r.status != 3 || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%q: status %d, want 3; %s", args, r.status, r.stderr)
		}
	}
}
