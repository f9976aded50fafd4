package gen

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiffLines is how many lines of one file's difference are shown.
const maxDiffLines = 60

// TextDiff returns a unified diff from old to new, shortened when long; empty if they are equal. A nil old or new is
// a file that is not there.
func TextDiff(name string, old, new []byte) string {
	if bytes.Equal(old, new) && (old == nil) == (new == nil) {
		return ""
	}
	from, to := "a/"+name, "b/"+name
	if old == nil {
		from = "/dev/null"
	}
	if new == nil {
		to = "/dev/null"
	}
	d := udiff.Unified(from, to, string(old), string(new))
	if d == "" { // one of them is missing, the other empty
		return fmt.Sprintf("--- %s\n+++ %s\n", from, to)
	}
	lines := strings.SplitAfter(d, "\n")
	if extra := len(lines) - 1 - maxDiffLines - 2; extra > 0 {
		return strings.Join(lines[:maxDiffLines+2], "") + fmt.Sprintf("... %d more lines\n", extra)
	}
	return d
}
