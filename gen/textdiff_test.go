package gen

import (
	"fmt"
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
	if got, want := TextDiff("f", nil, []byte("a\n")), "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"; got != want {
		t.Errorf("missing file:\n%s\nwant:\n%s", got, want)
	}
	long := TextDiff("f", nil, []byte(numbered(3000)))
	if n := strings.Count(long, "\n"); n != maxDiffLines+3 || !strings.HasSuffix(long, "... 2941 more lines\n") {
		t.Errorf("a long diff has %d lines and ends %q", n, long[len(long)-30:])
	}
}
