//go:build linux && cgo

package cverbs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/records"
	"github.com/goverbs/ibv/internal/headers"
	"github.com/goverbs/ibv/internal/oracle"
)

// newest is the release whose header has every function.
const newest = "65.0"

// inHeader tells whether a file is rdma-core's own: verbs.h or what it includes of the same folder.
func inHeader(file string) bool { return filepath.Base(filepath.Dir(file)) == "infiniband" }

// seenByGCC returns the functions, static inlines and function-like macros of a release's verbs.h, as gcc sees them.
func seenByGCC(t *testing.T, release string) map[string]bool {
	include := headers.Include(t, release)
	r := map[string]bool{}
	for _, f := range oracle.Functions(t, []string{"gcc"}, []string{include}, "infiniband/verbs.h") {
		if inHeader(f.File) {
			r[f.Name] = true
		}
	}
	cmd := exec.Command("gcc", "-E", "-dD", "-I", include, "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <infiniband/verbs.h>\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	marker := regexp.MustCompile(`^# \d+ "([^"]*)"`)
	define := regexp.MustCompile(`^#define (\w+)\(`)
	file := ""
	for line := range strings.Lines(string(out)) {
		if m := marker.FindStringSubmatch(line); m != nil {
			file = m[1]
		} else if m := define.FindStringSubmatch(line); m != nil && inHeader(file) {
			r[m[1]] = true
		}
	}
	return r
}

// Every function, inline and macro of the newest header has a Go call, or a reason in writing why it has none; nothing else has.
func TestComplete(t *testing.T) {
	seen := seenByGCC(t, newest)
	if len(seen) < 185 {
		t.Errorf("gcc sees only %d functions", len(seen))
	}
	reasons := reasonsWithout(t)
	calls := goCalls(t)
	table := map[string]bool{}
	for i, v := range verbTable {
		table[v.name] = true
		switch reason := reasons[v.name]; {
		case !seen[v.name]:
			t.Errorf("%s is in the table, and gcc does not see it", v.name)
		case v.goName != "" && !calls[v.goName]:
			t.Errorf("%s has no Go call %s", v.name, v.goName)
		case v.goName != "" && (everyCall[Verb(i)] == nil || reason != ""):
			t.Errorf("%s is not called by the tests, or has a reason not to be: %q", v.name, reason)
		case v.goName == "" && len(strings.Fields(reason)) < 4:
			t.Errorf("%s has no Go call, and the reason is %q", v.name, reason)
		case v.goName == "":
			t.Logf("%s: %s", v.name, reason)
		}
		delete(calls, v.goName)
	}
	for name := range seen {
		if !table[name] {
			t.Errorf("gcc sees %s, which is not in the table", name)
		}
	}
	for name := range calls {
		t.Errorf("the Go call %s is of no function", name)
	}
}

// Older headers have nothing that the newest has not.
func TestCompleteOlder(t *testing.T) {
	for _, release := range headers.Releases[:len(headers.Releases)-1] {
		for name := range seenByGCC(t, release) {
			if !slices.ContainsFunc(verbTable[:], func(v verb) bool { return v.name == name }) {
				t.Errorf("%s has %s, which is not in the table", release, name)
			}
		}
	}
}

// reasonsWithout returns why functions have no Go call, by C name.
func reasonsWithout(t *testing.T) map[string]string {
	t.Helper()
	known, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	types, union, err := gen.Names(known[len(known)-1], known)
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.Calls(union, known, types)
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]string{}
	for _, v := range p.Verbs {
		r[v.C] = v.Reason
	}
	return r
}

// goCalls returns the exported functions of both generated files, which have to be the same, signatures included.
func goCalls(t *testing.T) map[string]bool {
	t.Helper()
	a, b := signatures(t, "calls_generated.go"), signatures(t, "nocgo_generated.go")
	r := map[string]bool{}
	for name, signature := range a {
		r[name] = true
		if b[name] != signature {
			t.Errorf("without cgo %s is %q, with it %q", name, b[name], signature)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d calls with cgo, %d without", len(a), len(b))
	}
	return r
}

func signatures(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]string{}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !fn.Name.IsExported() || fn.Recv != nil {
			continue
		}
		var b strings.Builder
		for _, list := range []*ast.FieldList{fn.Type.Params, fn.Type.Results} {
			b.WriteString("(")
			for _, field := range listOf(list) {
				b.WriteString(strings.Repeat(typeText(field.Type)+",", max(1, len(field.Names))))
			}
			b.WriteString(")")
		}
		r[fn.Name.Name] = b.String()
	}
	return r
}

func listOf(l *ast.FieldList) []*ast.Field {
	if l == nil {
		return nil
	}
	return l.List
}

// typeText renders what types of parameters there are.
func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
