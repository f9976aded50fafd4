package load

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// bomb is a header with macros each of which uses the one before twice.
func bomb(last int) string {
	var b strings.Builder
	b.WriteString("struct a { int x; };\n#define GOOD1 3\n#define GOOD2 sizeof(struct a)\n#define M00 1+1\n")
	for i := 1; i <= last; i++ {
		fmt.Fprintf(&b, "#define M%02d M%02d+M%02d\n", i, i-1, i-1)
	}
	return b.String()
}

// A macro that grows beyond its budget is refused by its name, the same one each time.
func TestExpensiveMacro(t *testing.T) {
	path := write(t, bomb(39))
	for range 10 {
		_, err := Load(Options{Header: path})
		checkError(t, path, err, "h.h:14: macro M10: it is too long: more than 10000 tokens")
	}
}

// Macros within their budgets take nothing from each other, however many there are.
func TestManyMacros(t *testing.T) {
	var b strings.Builder
	b.WriteString(bomb(9))
	for i := range 60 {
		fmt.Fprintf(&b, "#define N%03d M09\n", i)
	}
	path := write(t, b.String())
	var first *model.Model
	for range 10 {
		m, err := Load(Options{Header: path, Archs: []string{"amd64", "s390x"}})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if len(m.Consts) != 72 || !reflect.DeepEqual(m, first) {
			t.Fatalf("%d constants", len(m.Consts))
		}
	}
	for _, c := range first.Consts {
		if strings.HasPrefix(c.Name, "N") && c.Value.String() != "1024" {
			t.Errorf("%s is %s", c.Name, c.Value)
		}
	}
}
