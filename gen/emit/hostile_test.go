package emit

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
)

// hostile are names and texts that would do something if they were printed as they are.
var hostile = []string{
	"x\nfunc init() { panic(1) }\n", "a b", "a;b", "x */ func init() {} /*", "`", `"`, "a\u2028b", "", "1a", "é", "//go:embed x", "a.b", "a\x00b",
	"int", "a/**/b", "a\rfunc init() {}",
}

func intMember(name string) model.Member {
	return model.Member{Name: name, Type: model.Type{Kind: model.Scalar, Name: "int"}, Size: model.N(4)}
}

func oneStruct(name string, members ...model.Member) model.Aggregate {
	return model.Aggregate{Name: name, Size: model.N(4), Align: model.N(4), Members: members}
}

// TestHostileNames puts bad names wherever a record can have a name. Only "int" is a C identifier.
func TestHostileNames(t *testing.T) {
	for _, bad := range hostile {
		body := oneStruct("", intMember(bad))
		union := body
		union.Union = true
		models := map[string]model.Model{
			"struct":      {Aggregates: []model.Aggregate{oneStruct(bad, intMember("a"))}},
			"member":      {Aggregates: []model.Aggregate{oneStruct("s", intMember(bad))}},
			"enum":        {Enums: []model.Enum{{Name: bad, Size: 4, Enumerators: []model.Enumerator{{Name: "A"}}}}},
			"enumerator":  {Enums: []model.Enum{{Name: "e", Size: 4, Enumerators: []model.Enumerator{{Name: bad}}}}},
			"constant":    {Consts: []model.Const{{Name: bad}}},
			"alias":       {Aggregates: []model.Aggregate{oneStruct("s")}, Aliases: []model.Alias{{Name: bad, Tag: "s"}}},
			"nested":      {Aggregates: []model.Aggregate{oneStruct("s", bodyMember("in", &body))}},
			"unnamed":     {Aggregates: []model.Aggregate{oneStruct("s", bodyMember("", &union))}},
			"bits":        {Aggregates: []model.Aggregate{oneStruct("s", bitMember(bad))}},
			"scalar type": {Aggregates: []model.Aggregate{oneStruct("s", typed(model.Type{Kind: model.Scalar, Name: bad}))}},
			"struct type": {Aggregates: []model.Aggregate{oneStruct("s", typed(model.Type{Kind: model.Struct, Name: bad}))}},
			"enum type":   {Aggregates: []model.Aggregate{oneStruct("s", typed(model.Type{Kind: model.EnumRef, Name: bad}))}},
		}
		for where, m := range models {
			m.Header = "infiniband/x.h"
			p, err := plan.Plan(&m, nil, plan.Options{})
			named := bad == "" && (where == "enum" || where == "nested" || where == "unnamed" || where == "member") || bad == "int"
			switch {
			case err != nil && strings.Contains(err.Error(), "\n"):
				t.Errorf("%s %q: an error of several lines: %v", where, bad, err)
			case err == nil && !named:
				t.Errorf("%s %q: no error", where, bad)
			case err == nil:
				harmless(t, p)
			}
		}
	}
}

func typed(ty model.Type) model.Member {
	return model.Member{Name: "a", Type: ty, Size: model.N(4)}
}

func bodyMember(name string, body *model.Aggregate) model.Member {
	kind := model.Struct
	if body.Union {
		kind = model.Union
	}
	return model.Member{Name: name, Type: model.Type{Kind: kind, Body: body}, Size: model.N(4)}
}

func bitMember(name string) model.Member {
	m := intMember(name)
	m.Bits = &model.Bits{Width: 3}
	return m
}

// TestHostileTexts puts them where free text is allowed: they must stay in comments.
func TestHostileTexts(t *testing.T) {
	for _, bad := range hostile {
		m := &model.Model{Header: "infiniband/" + bad + ".h", Release: bad, Kernel: bad,
			Aggregates: []model.Aggregate{oneStruct("s", typed(model.Type{Kind: model.Scalar, Name: "int", Typedef: bad}))},
			Enums:      []model.Enum{{Name: "e", Size: 4, Since: bad, Pos: bad, Enumerators: []model.Enumerator{{Name: "A", Since: bad + "2"}}}},
		}
		m.Aggregates[0].Since = bad
		ov := &overlay.Overlay{
			Structs: map[string]overlay.Struct{"s": {Doc: bad, Members: map[string]overlay.Member{"a": {Doc: bad}}}},
			Enums: map[string]overlay.Enum{"e": {Doc: bad, Values: map[string]overlay.Value{
				"A": {Doc: bad, Sentinel: bad}}}},
		}
		p, err := plan.Plan(m, ov, plan.Options{Package: "x"})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: an error of several lines: %v", bad, err)
			}
			continue
		}
		harmless(t, p)
	}
}

// harmless fails the test if what comes out has functions, imports or directives that no plan asks for.
func harmless(t *testing.T, p *plan.Package) {
	t.Helper()
	files := emitted(t, p)
	for name, src := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if strings.ContainsAny(name, "/\\ \n") {
			t.Errorf("file name %q", name)
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "/*") || strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:build ") {
					t.Errorf("comment %q", c.Text)
				}
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && !slices.Contains([]string{"flagText", "loadBits", "storeBits", "signBits"}, fn.Name.Name) {
				t.Errorf("function %s", fn.Name.Name)
			}
		}
	}
	if err := Check(p, files); err != nil {
		t.Error(err)
	}
}

// TestMutatedModels damages real models at random: whatever comes, there is an error of one line, or source that parses.
func TestMutatedModels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, g := range goldens(t) {
		good, err := json.Marshal(g.load(t))
		if err != nil {
			t.Fatal(err)
		}
		for range 150 {
			tryModel(t, mutate(rnd, string(good)))
		}
	}
}

// mutate replaces a few numbers or words of a record.
func mutate(rnd *rand.Rand, s string) []byte {
	words := []string{"0", "1", "3", "-1", "8", "1099511627776", "9223372036854775807", `"union"`, `"struct"`, `"int"`, `"* void"`, `"[3] int"`,
		`"char"`, `""`, `"a"`, `"long double"`, "null", "true"}
	for range 1 + rnd.IntN(3) {
		i := rnd.IntN(len(s))
		start := strings.LastIndexAny(s[:i], ":,[") + 1
		end := strings.IndexAny(s[i:], ",}]")
		if end < 0 || start >= i+end {
			continue
		}
		s = s[:start] + words[rnd.IntN(len(words))] + s[i+end:]
	}
	return []byte(s)
}

func tryModel(t *testing.T, data []byte) {
	t.Helper()
	var m model.Model
	if json.Unmarshal(data, &m) != nil {
		return
	}
	p, err := plan.Plan(&m, nil, plan.Options{Package: "x"})
	if err == nil {
		var files map[string][]byte
		if files, err = Emit(p); err == nil {
			err = Check(p, files)
		}
	}
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("an error of several lines: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "expected") {
		t.Errorf("source that does not parse: %v", fmt.Errorf("%w: %s", err, data))
	}
}
