package gen

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	diffContext  = 3   // unchanged lines shown around a change
	maxEdits     = 500 // beyond this many changed lines no shortest diff is looked for
	maxDiffLines = 60  // of one file
)

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
	lines := []string{"--- " + from, "+++ " + to}
	hunks := unified(edits(splitLines(old), splitLines(new)))
	if len(hunks) > maxDiffLines {
		rest := len(hunks) - maxDiffLines
		hunks = append(hunks[:maxDiffLines:maxDiffLines], fmt.Sprintf("... %d more lines", rest))
	}
	return strings.Join(append(lines, hunks...), "\n") + "\n"
}

func splitLines(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// An edit is one line of a diff: kept ' ', removed '-' or added '+'.
type edit struct {
	op   byte
	text string
}

// edits turns a into b: the common ends are kept, the middle is compared by Myers' method, or replaced as a whole if too much of it changed.
func edits(a, b []string) []edit {
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	post := 0
	for post < len(a)-pre && post < len(b)-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	var r []edit
	r = append(r, all(' ', a[:pre])...)
	r = append(r, myers(a[pre:len(a)-post], b[pre:len(b)-post])...)
	return append(r, all(' ', a[len(a)-post:])...)
}

func all(op byte, lines []string) []edit {
	r := make([]edit, len(lines))
	for i, l := range lines {
		r[i] = edit{op, l}
	}
	return r
}

// myers finds a shortest script from a to b: v[k] is how far into a the furthest path of d edits on diagonal k (a's index less b's) reaches.
func myers(a, b []string) []edit {
	limit := min(len(a)+len(b), maxEdits)
	v := make([]int, 2*limit+3)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			x := step(v, k, d, limit)
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			v[k+limit+1] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(a, b, trace, limit)
			}
		}
	}
	return append(all('-', a), all('+', b)...)
}

// step is where a path of d edits enters diagonal k: down (a line of b added) or right (one of a removed).
func step(v []int, k, d, limit int) int {
	if down(v, k, d, limit) {
		return v[k+1+limit+1]
	}
	return v[k-1+limit+1] + 1
}

func down(v []int, k, d, limit int) bool {
	return k == -d || k != d && v[k-1+limit+1] < v[k+1+limit+1]
}

func backtrack(a, b []string, trace [][]int, limit int) []edit {
	x, y := len(a), len(b)
	var rev []edit
	for d := len(trace) - 1; d >= 0; d-- {
		v, k := trace[d], x-y
		px, pk := 0, k+1
		if d > 0 {
			if !down(v, k, d, limit) {
				pk = k - 1
			}
			px = v[pk+limit+1]
		}
		py := px - pk
		if d == 0 {
			px, py = 0, 0
		}
		for x > px && y > py {
			x--
			y--
			rev = append(rev, edit{' ', a[x]})
		}
		switch {
		case d == 0:
		case x == px:
			y--
			rev = append(rev, edit{'+', b[y]})
		default:
			x--
			rev = append(rev, edit{'-', a[x]})
		}
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}
