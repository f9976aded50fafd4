package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A Function is a function that a header declares, or defines as an inline one.
type Function struct {
	Name    string
	Defined bool
	File    string // where it was first declared
	Line    int64
}

// prototype is a line of gcc's -aux-info: /* file:line:NC */ extern int name (parameters); the last letter is F for a definition.
var prototype = regexp.MustCompile(`^/\* (.+):(\d+):[NOI]([CF]) \*/ .*?([A-Za-z_]\w*) \([^*]`)

// Functions returns the functions of a header and of what it includes, those whose results are pointers to functions apart. Only
// gcc has a list of them.
func Functions(t testing.TB, gcc, include []string, header string) []Function {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "aux")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, text, err := run(gcc, include, "#include <"+header+">\n", "-fsyntax-only", "-aux-info", f.Name()); err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s", gcc[0], err, text))
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	var list []Function
	for line := range strings.Lines(string(b)) {
		m := prototype.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		i, ok := at[m[4]]
		if !ok {
			n, _ := strconv.ParseInt(m[2], 10, 64)
			i = len(list)
			at[m[4]] = i
			list = append(list, Function{Name: m[4], File: filepath.Clean(m[1]), Line: n})
		}
		list[i].Defined = list[i].Defined || m[3] == "F"
	}
	return list
}
