package bind

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

// hostile are names that would do something if they were printed as they are.
var hostile = []string{"x\nint evil;", "a b", "a;b", "x */ int evil; /*", "`", `"`, `x", "y`, "a\u2028b", "1a", "é", "a.b", "a\x00b", "a\\", "struct",
	"x); system(\"\"", "#include <x>", "x\n#cgo LDFLAGS: -levil", "//go:embed x"}

// Bad names, wherever a record can have one: an error of one line.
func TestHostileNames(t *testing.T) {
	y := readToy(t)
	places := map[string]func(f *model.Func, bad string){
		"name":       func(f *model.Func, bad string) { f.Name = bad },
		"version":    func(f *model.Func, bad string) { f.Version = bad },
		"since":      func(f *model.Func, bad string) { f.Since = bad },
		"kind":       func(f *model.Func, bad string) { f.Kind = model.FuncKind(bad) },
		"parameter":  func(f *model.Func, bad string) { f.Params[0].Name = bad },
		"tag":        func(f *model.Func, bad string) { f.Params[0].Type.Elem = &model.Type{Kind: model.Struct, Name: bad} },
		"enum":       func(f *model.Func, bad string) { f.Params[0].Type = model.Type{Kind: model.EnumRef, Name: bad} },
		"result tag": func(f *model.Func, bad string) { f.Result.Elem = &model.Type{Kind: model.Struct, Name: bad} },
	}
	for where, put := range places {
		for _, bad := range hostile {
			in := y.ours
			u := *in.Union
			u.Funcs = slices.Clone(u.Funcs)
			in.Union = &u
			i := slices.IndexFunc(u.Funcs, func(f model.Func) bool { return f.Name == "ibv_alloc_pd" })
			u.Funcs[i].Params = slices.Clone(u.Funcs[i].Params)
			elem := *u.Funcs[i].Params[0].Type.Elem
			u.Funcs[i].Params[0].Type.Elem = &elem
			put(&u.Funcs[i], bad)
			_, err := Plan(in)
			fine := bad == "struct" && (where == "parameter" || where == "version" || where == "since") || bad == "1a" && where == "since" ||
				bad == "a.b" && (where == "version" || where == "since")
			switch {
			case err == nil && !fine:
				t.Errorf("%s %q: no error", where, bad)
			case err != nil && strings.Contains(err.Error(), "\n"):
				t.Errorf("%s %q: an error of several lines: %v", where, bad, err)
			}
		}
	}
}

// Texts that may hold anything stay in comments.
func TestHostileTexts(t *testing.T) {
	y := readToy(t)
	want := declared(t, emitted(t, y.ours))
	for _, bad := range hostile {
		in := y.ours
		ov := *in.Overlay
		in.Overlay = &ov
		ov.Functions = map[string]overlay.Function{}
		for name, f := range y.ours.Overlay.Functions {
			if f.Skip == "" {
				f.Doc = bad
			}
			ov.Functions[name] = f
		}
		files := emitted(t, in)
		if got := declared(t, files); !slices.Equal(got, want) {
			t.Errorf("%q: declared %v, want %v", bad, got, want)
		}
		for name, text := range files {
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "evil") && !strings.HasPrefix(line, "// ") {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
	}
	in := y.ours
	u := *in.Union
	in.Union = &u
	for _, bad := range append(hostile[:0:0], "a>b.h", "a\n.h", `a".h`, "../a.h", "/etc/a.h", "") {
		u.Header = bad
		p, err := Plan(in)
		if err == nil {
			_, err = Emit(p)
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("header %q: %v", bad, err)
		}
	}
}

// declared lists the functions and imports of the Go files.
func declared(t *testing.T, files map[string][]byte) (r []string) {
	t.Helper()
	for name, src := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			r = append(r, name+" "+i.Path.Value)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				r = append(r, name+" "+fn.Name.Name)
			}
		}
	}
	slices.Sort(r)
	return r
}
