package gen

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/record"
	"github.com/goverbs/ibv/internal/headers"
)

func toy(release string, size int64) *model.Model {
	return &model.Model{Header: "toy.h", Release: release, Aggregates: []model.Aggregate{{
		Name: "toy", Size: model.N(size), Align: model.N(4),
		Members: []model.Member{{Name: "a", Type: model.Type{Kind: model.Scalar, Name: "int"}, Size: model.N(4)}},
	}}}
}

func save(t *testing.T, dir, name string, m *model.Model) {
	t.Helper()
	b, err := record.Write(m)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, name, string(b))
}

// A folder's records come in order of their releases, and only those of the header.
func TestKnown(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "toy-10.0.json", toy("10.0", 4))
	save(t, dir, "toy-9.1.json", toy("9.1", 4))
	other := toy("9.5", 4)
	other.Header = "other.h"
	save(t, dir, "other-9.5.json", other)
	put(t, dir, "notes.txt", "text")
	put(t, dir, ".hidden.json", "{")
	known, err := Known("toy.h", dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"9.1", "10.0"}, Releases(known)); d != "" {
		t.Errorf("releases (-want +got):\n%s", d)
	}
	if known, err := Known("toy.h", filepath.Join(dir, "none")); err != nil || len(known) != 0 {
		t.Errorf("no folder: %v, %v", known, err)
	}
	known, err = Known(DefaultHeader, dir)
	if err != nil || !slices.Equal(Releases(known), headers.Releases) {
		t.Errorf("of verbs.h: %v, %v; want %v", Releases(known), err, headers.Releases)
	}
}

// A record in the folder takes the place of a built-in one of its release.
func TestKnownReplaces(t *testing.T) {
	dir := t.TempDir()
	mine := toy("44.0", 4)
	mine.Header = DefaultHeader
	save(t, dir, "44.0.json", mine)
	known, err := Known(DefaultHeader, dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := ByRelease(known, "44.0"); len(m.Aggregates) != 1 || len(known) != len(headers.Releases) {
		t.Errorf("44.0 has %d aggregates, want the folder's 1; %d records", len(m.Aggregates), len(known))
	}
}

// An overlay's entry that matches nothing is named, and nothing is made.
func TestGenerateOverlay(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "toy.h", "struct toy { int a; };\n")
	ov, err := overlay.Parse([]byte(`{"header": "toy.h", "structs": {"toy": {"members": {"b": {"doc": "None."}}}}}`), "toy.json")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Source: Source{Header: filepath.Join(dir, "toy.h"), Release: "1.0"}, Dir: dir, Package: "toy", Overlay: ov}
	out, err := Generate(o)
	if err == nil || out != nil {
		t.Fatalf("Generate = %v, %v; want an error", out, err)
	}
	for _, part := range []string{"toy.h", "struct toy", "member b"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

// A release between two records is compared with the older, and must agree with both.
func TestVerifyBetween(t *testing.T) {
	include := headers.Include(t, "56.1")
	v, err := Verify(Source{Include: []string{include}, Release: "50.0"})
	if err != nil {
		t.Fatal(err)
	}
	if v.Status() != 4 || !strings.HasPrefix(v.Against, "the record of 44.0, ") || v.Conflict != "" {
		t.Errorf("56.1's header as 50.0: status %d against %q, conflict %q; want compatible with 44.0", v.Status(), v.Against, v.Conflict)
	}
}

func TestLocated(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "sub/toy.h", "")
	put(t, dir, "inc/infiniband/verbs.h", "")
	t.Chdir(dir)
	tests := []struct{ header, include, want, root string }{
		{"sub/toy.h", "", "toy.h", "sub"},
		{"./sub/toy.h", "", "toy.h", "sub"},
		{filepath.Join(dir, "sub", "toy.h"), "", "toy.h", "sub"},
		{"toy.h", "sub", "toy.h", ""},
		{"infiniband/verbs.h", "inc", "infiniband/verbs.h", ""},
		{"./inc/infiniband/verbs.h", "", "infiniband/verbs.h", "inc"},
		{"", "", "infiniband/verbs.h", ""},
		{"stdio.h", "", "stdio.h", ""},
		{"none.h", "", "none.h", ""},
	}
	for _, tt := range tests {
		var include []string
		if tt.include != "" {
			include = []string{tt.include}
		}
		got := Source{Header: tt.header, Include: include}.located()
		want := slices.Clone(include)
		if tt.root != "" {
			want = append([]string{filepath.Join(dir, tt.root)}, want...)
		}
		if got.Header != tt.want || !slices.Equal(got.Include, want) {
			t.Errorf("%q: %q in %q, want %q in %q", tt.header, got.Header, got.Include, tt.want, want)
		}
	}
}
