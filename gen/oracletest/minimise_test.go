package oracletest

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/internal/oracle"
)

// A differ compares the header in a file with a compiler's view; nil if they agree or the header is refused.
type differ func(t testing.TB, file string) []string

// minimise prints small headers that still differ: a chunk each, without the lines that do not matter.
func (b *batch) minimise(t *testing.T, differ differ) {
	n := 0
	for _, c := range b.chunks {
		diffs := differsAlone(t, c.lines, differ)
		if diffs == nil {
			continue
		}
		if n++; n > maxSmall {
			return
		}
		lines := slices.Clone(c.lines)
		for again := true; again; {
			again = false
			for i := len(lines) - 1; i >= 0; i-- {
				for _, less := range shorter(lines, i) {
					if d := differsAlone(t, less, differ); d != nil {
						lines, diffs, again = less, d, true
						break
					}
				}
				i = min(i, len(lines))
			}
		}
		t.Errorf("a small header that differs (after random headers' usual typedefs):\n%s\nin this:\n%s", strings.Join(lines, "\n"), strings.Join(diffs, "\n"))
	}
}

var innerTag = regexp.MustCompile(`^\s*(struct|union) .*\{$`)

// shorter returns lines without line i, and without the aggregate that begins there or without its braces.
func shorter(lines []string, i int) [][]string {
	cut := func(from, to int) []string { return slices.Delete(slices.Clone(lines), from, to) }
	if !strings.HasSuffix(lines[i], "{") {
		return [][]string{cut(i, i+1)}
	}
	indent := strings.Repeat("\t", strings.Count(lines[i], "\t"))
	for j := i + 1; j < len(lines); j++ {
		if strings.HasPrefix(lines[j], indent+"}") {
			all := [][]string{cut(i, j+1)}
			if innerTag.MatchString(lines[i]) && indent != "" {
				open := slices.Delete(cut(j, j+1), i, i+1)
				all = append(all, open)
			}
			return all
		}
	}
	return nil
}

// differsAlone returns the differences of a header of these lines, nil if it has none, is not valid or is refused.
func differsAlone(t *testing.T, lines []string, differ differ) []string {
	for i := 1; i < len(lines); i++ {
		if strings.HasSuffix(lines[i-1], "{") && strings.HasPrefix(strings.TrimSpace(lines[i]), "}") {
			return nil // an empty body is another matter
		}
	}
	file := filepath.Join(t.TempDir(), "small.h")
	text, _ := render([]chunk{{lines: lines}})
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := oracle.Read(gcc, nil, file); err != nil {
		return nil
	}
	if _, err := load.Load(load.Options{Header: file, Archs: []string{runtime.GOARCH}}); err != nil {
		return nil
	}
	return differ(t, file)
}
