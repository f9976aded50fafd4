package ibv

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A documented is an exported name of the package and the comment it has.
type documented struct {
	name  string // WC, WC.WRID, WC.Err, IBV_WC_SUCCESS
	own   string // its own comment
	group string // that of the declaration around it
	pos   token.Position
}

// exported returns every exported name in the package's files for any architecture: types, their fields and methods,
// functions, variables and constants.
func exported(t *testing.T) []documented {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var all []documented
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		add := func(at token.Pos, name string, own, group *ast.CommentGroup) {
			last := name[strings.LastIndexByte(name, '.')+1:]
			if recv, _, isMember := strings.Cut(name, "."); ast.IsExported(last) && (!isMember || ast.IsExported(recv)) {
				all = append(all, documented{name, own.Text(), group.Text(), fset.Position(at)})
			}
		}
		if f.Doc != nil {
			all = append(all, documented{"package " + f.Name.Name, f.Doc.Text(), "", fset.Position(f.Pos())})
		}
		for _, d := range f.Decls {
			addDecl(d, add)
		}
	}
	return all
}

func addDecl(d ast.Decl, add func(token.Pos, string, *ast.CommentGroup, *ast.CommentGroup)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(d.Pos(), receiver(d)+d.Name.Name, d.Doc, nil)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(s.Pos(), s.Name.Name, s.Doc, d.Doc)
				if st, ok := s.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, n := range f.Names {
							add(n.Pos(), s.Name.Name+"."+n.Name, f.Doc, nil)
						}
					}
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					add(n.Pos(), n.Name, s.Doc, d.Doc)
				}
			}
		}
	}
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	return t.(*ast.Ident).Name + "."
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, d := range exported(t) {
		if strings.TrimSpace(d.own+d.group) == "" {
			t.Errorf("%v: %s has no comment", d.pos, d.name)
		}
	}
}

// The names that matter most have a sentence of their own, beyond what the generator says of any name.
func TestCompletionsAndWorkQueuesAreExplained(t *testing.T) {
	want := map[string]int{ // at least so many, counted in the header of rdma-core 65.0
		"WC.": 11, "WC.Raw": 2, "WQInitAttr.": 8, "IBV_WC_": 65, "IBV_WQ_": 11, "IBV_WQS_": 4, "IBV_WQT_": 1, "IBV_WR_": 17,
	}
	found := map[string]int{}
	for _, d := range exported(t) {
		for prefix := range want {
			if !strings.HasPrefix(d.name, prefix) || strings.HasPrefix(d.name, "WC.Set") {
				continue // a setter's text is at its getter
			}
			found[prefix]++
			if text := ownWords(d); len(strings.Fields(text)) < 3 || !strings.HasSuffix(text, ".") {
				t.Errorf("%v: %s is not explained: %q", d.pos, d.name, d.own)
			}
		}
	}
	for prefix, n := range want {
		if found[prefix] < n {
			t.Errorf("%d names start with %s, want at least %d", found[prefix], prefix, n)
		}
	}
}

// generated matches the sentences that the generator makes of a name, size or release.
var generated = regexp.MustCompile(`(?s)^\S+ (is|returns|sets) (struct|union|enum|member|an enumerator) [^.]*(\. |\.\n|\.$)|^Deprecated: .*`)

// ownWords is the comment without what the generator says of any such name.
func ownWords(d documented) string {
	var own []string
	for p := range strings.SplitSeq(d.own, "\n\n") {
		if p = strings.TrimSpace(generated.ReplaceAllString(p, "")); p != "" {
			own = append(own, p)
		}
	}
	return strings.Join(own, " ")
}

// goName matches words that look like a Go name of this package; the others are names of the trade.
var goName = regexp.MustCompile(`\b[A-Z]+[a-z0-9]+[A-Z]\w*|\b[A-Z][A-Z]+[a-z]\w+`)

var properNames = regexp.MustCompile(`^(InfiniBand|InfiniHost|RoCE|IPsec|IPv4|IPv6|ConnectX|NetXtreme|NetEffect|OneConnect|FastLinQ|HiSilicon|QLogic|VMware|[LR]Keys|[A-Z]+s)$`)

// A name that a comment uses exists, also after a naming rule has changed.
func TestCommentsNameWhatExists(t *testing.T) {
	all := exported(t)
	known := map[string]bool{}
	for _, d := range all {
		for part := range strings.SplitSeq(d.name, ".") {
			known[part] = true
		}
	}
	for _, d := range all {
		for _, w := range goName.FindAllString(ownWords(d), -1) {
			if !known[w] && !properNames.MatchString(w) {
				t.Errorf("%v: the comment of %s names %s, which does not exist", d.pos, d.name, w)
			}
		}
	}
}
