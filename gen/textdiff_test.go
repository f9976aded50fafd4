package gen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTextDiff(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
		return b.String()
	}
	tests := []struct{ name, old, new, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"one line", "a\nb\nc\n", "a\nB\nc\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"added at the end", numbered(9), numbered(9) + "x\n", "--- a/f\n+++ b/f\n@@ -7,3 +7,4 @@\n line 7\n line 8\n line 9\n+x\n"},
		{"two hunks", "x\n" + numbered(9) + "y\n", numbered(9) + "z\n",
			"--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n-x\n line 1\n line 2\n line 3\n@@ -8,4 +7,4 @@\n line 7\n line 8\n line 9\n-y\n+z\n"},
	}
	for _, tt := range tests {
		if got := TextDiff("f", []byte(tt.old), []byte(tt.new)); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
	if got, want := TextDiff("f", nil, []byte("a\n")), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n"; got != want {
		t.Errorf("missing file:\n%s\nwant:\n%s", got, want)
	}
	long := TextDiff("f", nil, []byte(numbered(3000)))
	if n := strings.Count(long, "\n"); n != maxDiffLines+3 || !strings.HasSuffix(long, "... 2941 more lines\n") {
		t.Errorf("a long diff has %d lines and ends %q", n, long[len(long)-30:])
	}
}

// Random diffs, applied by patch(1), give the new text.
func TestTextDiffPatches(t *testing.T) {
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip("patch(1) is not installed")
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	text := func() string {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			fmt.Fprintf(&b, "%c\n", 'a'+r.IntN(4))
		}
		return b.String()
	}
	for range 60 {
		old, new := text(), text()
		d := TextDiff("f", []byte(old), []byte(new))
		if d == "" {
			continue
		}
		put(t, dir, "f", old)
		cmd := exec.Command("patch", "-s", "-F0", filepath.Join(dir, "f"))
		cmd.Stdin = strings.NewReader(d)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, d)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != new {
			t.Fatalf("from %q by\n%s\ngot %q, want %q", old, d, got, new)
		}
	}
}
