package emit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/plan"
)

var (
	assertion = regexp.MustCompile(`^var _ \[(\d+)\]byte = \[(.*)\]byte\{\}$`)
	place     = regexp.MustCompile(`^\t((?:bitOf|widthOf|offsetOf)\w+) += (\d+)$`)
	fieldLine = regexp.MustCompile(`^\t(\w+) +([][*\w]+)( //.*)?$`)
	padding   = regexp.MustCompile(`^\t_ +\[(\d+)\]byte$`)
)

// TestEdited edits every number and every field that places something, one at a time: the check must fail each time. For a
// number of an assertion or a place it must name what was measured, and both numbers.
func TestEdited(t *testing.T) {
	for _, name := range []string{"unions", "bits", "tails", "archs"} {
		p := find(t, name).plan(t, name)
		files := emitted(t, p)
		edits := 0
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if strings.HasSuffix(file, "_helpers.go") || strings.HasSuffix(file, "_other.go") {
				continue
			}
			edits += editAll(t, p, files, file)
		}
		if edits < 40 {
			t.Errorf("%s: only %d edits", name, edits)
		}
	}
}

func editAll(t *testing.T, p *plan.Package, files map[string][]byte, file string) (edits int) {
	t.Helper()
	lines := strings.Split(string(files[file]), "\n")
	inStruct := false
	for i, line := range lines {
		inStruct = strings.HasSuffix(line, " struct {") || inStruct && line != "}"
		for _, e := range editsOf(line, inStruct) {
			edits++
			changed := slices.Clone(lines)
			changed[i] = e.line
			err := Check(p, with(files, file, changed))
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s:%d: %q became %q: %v", file, i+1, line, e.line, err)
				continue
			}
			for _, want := range e.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s:%d: %q became %q: error %q does not have %q", file, i+1, line, e.line, err, want)
				}
			}
		}
	}
	return edits
}

type edit struct {
	line  string
	wants []string // parts of the error
}

func editsOf(line string, inStruct bool) []edit {
	if m := assertion.FindStringSubmatch(line); m != nil {
		n, _ := strconv.Atoi(m[1])
		text := fmt.Sprintf("var _ [%d]byte = [%s]byte{}", n+1, m[2])
		return []edit{{text, []string{m[2], fmt.Sprintf("[%d]byte", n), fmt.Sprintf("[%d]byte", n+1)}}}
	}
	if m := place.FindStringSubmatch(line); m != nil {
		n, _ := strconv.Atoi(m[2])
		return []edit{{fmt.Sprintf("\t%s = %d", m[1], n+1), []string{m[1], fmt.Sprintf("[%d]byte", n), fmt.Sprintf("[%d]byte", n+1)}}}
	}
	if !inStruct {
		return nil
	}
	if m := padding.FindStringSubmatch(line); m != nil {
		n, _ := strconv.Atoi(m[1])
		return []edit{{fmt.Sprintf("\t_ [%d]byte", n+8), nil}}
	}
	m := fieldLine.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(m[2], "[0]") {
		return nil
	}
	return []edit{
		{fmt.Sprintf("\t%s [17]byte", m[1]), nil},                   // another type
		{fmt.Sprintf("\tInserted byte\n\t%s %s", m[1], m[2]), nil},  // another field before it
		{fmt.Sprintf("\t%sRenamed %s", m[1], m[2]), []string{m[1]}}, // another name
	}
}

func with(files map[string][]byte, file string, lines []string) map[string][]byte {
	r := maps.Clone(files)
	r[file] = []byte(strings.Join(lines, "\n"))
	return r
}

// TestSwapped swaps fields of one size.
func TestSwapped(t *testing.T) {
	p := find(t, "plain").plan(t, "plain")
	files := emitted(t, p)
	const file = "plain_generated.go"
	text := string(files[file])
	for _, pair := range [][2]string{{"Port ", "Imm "}, {"Name ", "Cookie "}, {"Next ", "SGList "}, {"Color ", "NumSGE "}} {
		r := strings.NewReplacer("\t"+pair[0], "\t"+pair[1], "\t"+pair[1], "\t"+pair[0])
		changed := r.Replace(text)
		if changed == text {
			t.Fatalf("no fields %v", pair)
		}
		if err := Check(p, with(files, file, []string{changed})); err == nil {
			t.Errorf("nobody noticed that %v were swapped", pair)
		}
	}
}
