package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/internal/headers"
)

// Each release's header is what was built in.
func TestVerifyReleases(t *testing.T) {
	for _, release := range headers.Releases {
		r := verbsgen(nil, "verify", "-I", headers.Include(t, release))
		want := "infiniband/verbs.h of " + release + ": same as the record of " + release + "\n"
		if r.status != 0 || r.stdout != want || r.stderr != "" {
			t.Errorf("%s: %+v, want %q", release, r, want)
		}
	}
}

// edited makes a folder with a release's headers in which verbs.h has old replaced by new, and goes there.
func edited(t *testing.T, release, old, new string) string {
	t.Helper()
	include := headers.Include(t, release)
	folder(t, nil)
	from := filepath.Join(include, "infiniband")
	if err := os.CopyFS("infiniband", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("infiniband", "verbs.h")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(b), old) != 1 {
		t.Fatalf("%s of %s has %q %d times, want once", path, release, old, strings.Count(string(b), old))
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return include
}

// A header with a moved member is incompatible, one with a new name compatible.
func TestVerifyChanged(t *testing.T) {
	tests := []struct {
		name, old, new string
		status         int
		want           string
	}{
		{"moved", "\tuint64_t\t\twr_id;\n\tenum ibv_wc_status\tstatus;\n", "\tenum ibv_wc_status\tstatus;\n\tuint64_t\t\twr_id;\n", 12, "struct ibv_wc"},
		{"added", "enum ibv_wc_status {\n", "enum ibv_wc_extra { IBV_WC_EXTRA_ONE = 1 };\nenum ibv_wc_status {\n", 4, "ibv_wc_extra"},
	}
	for _, tt := range tests {
		include := edited(t, "44.0", tt.old, tt.new)
		r := verbsgen(nil, "verify", "-release", "44.0", "-I", ".", "-I", include)
		if r.status != tt.status || !strings.Contains(r.stdout, tt.want) || r.stderr != "" {
			t.Errorf("%s: %+v, want status %d and %q", tt.name, r, tt.status, tt.want)
		}
		r = verbsgen(nil, "verify", "-json", "-release", "44.0", "-I", ".", "-I", include)
		var v struct{ Status int }
		if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || v.Status != tt.status || r.status != tt.status {
			t.Errorf("%s as JSON: %v, %+v", tt.name, err, r)
		}
	}
}

// A compiler that is told to lay structs out otherwise is noticed.
func TestVerifyCompiler(t *testing.T) {
	r := verbsgen(map[string]string{"CC": "gcc -fshort-enums"}, "verify", "-I", headers.Include(t, "44.0"))
	if r.status != 12 || !strings.Contains(r.stdout, "the C compiler disagrees: ") || !strings.Contains(r.stdout, "struct ibv_wc") {
		t.Errorf("with short enums: %+.1000v", r)
	}
}

// A header of unknown release is compared with the newest record whose names it has; one between two records with the older.
func TestVerifyWithoutRecord(t *testing.T) {
	include := edited(t, "44.0", "enum ibv_wc_status {\n", "enum ibv_wc_extra { IBV_WC_EXTRA_ONE = 1 };\nenum ibv_wc_status {\n")
	for args, want := range map[string]string{
		"":              "infiniband/verbs.h of an unknown release: compatible additions to the record of 44.0, since an unknown release has none\n",
		"-release 50.0": "infiniband/verbs.h of 50.0: compatible additions to the record of 44.0, since 50.0 has none\n",
	} {
		r := verbsgen(nil, append([]string{"verify", "-I", ".", "-I", include}, strings.Fields(args)...)...)
		if r.status != 4 || !strings.HasPrefix(r.stdout, want) || !strings.Contains(r.stdout, "added name: enum ibv_wc_extra") {
			t.Errorf("verify %s: %+.1000v, want %s", args, r, want)
		}
	}
}

func TestDiff(t *testing.T) {
	include := headers.Include(t, "44.0")
	tests := []struct {
		args   string
		status int
	}{
		{"44.0 65.0", 4},
		{"44.0 65.0 -json", 4},
		{"-json 44.0 65.0", 4},
		{"65.0 44.0", 12},
		{"65.0 65.0", 0},
		{"44.0 infiniband/verbs.h -I " + include, 0},
		{"infiniband/verbs.h 33.2 -I " + include, 12},
		{filepath.Join(include, "infiniband", "verbs.h") + " 44.0", 0},
	}
	for _, tt := range tests {
		r := verbsgen(nil, append([]string{"diff"}, strings.Fields(tt.args)...)...)
		if r.status != tt.status || r.stderr != "" {
			t.Errorf("diff %s: status %d, want %d; %s", tt.args, r.status, tt.status, r.stderr)
		}
		if strings.Contains(tt.args, "-json") && !json.Valid([]byte(r.stdout)) {
			t.Errorf("diff %s prints no JSON", tt.args)
		}
	}
}

// A dump is a record that diff finds equal to the release, on standard output and in a file.
func TestDump(t *testing.T) {
	include := headers.Include(t, "56.1")
	folder(t, nil)
	printed := verbsgen(nil, "dump", "-I", include)
	written := verbsgen(nil, "dump", "-I", include, "-o", "sub/56.json")
	if printed.status != 0 || written != (result{}) {
		t.Fatalf("dump: %+.200v, %+v", printed, written)
	}
	if got := contents(t)["sub/56.json"]; got != printed.stdout {
		t.Error("-o writes something else than what is printed without it")
	}
	if r := verbsgen(nil, "diff", "56.1", "sub/56.json"); r.status != 0 {
		t.Errorf("diff with the dump: %+v", r)
	}
}
