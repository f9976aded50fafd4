package load

import (
	"maps"
	"regexp"
	"strings"

	"modernc.org/cc/v4"
)

// The front end does not always say where. What it tells then is looked for in the syntax tree.

// typeMissing matches what it says of a type that it knows but does not have.
var typeMissing = regexp.MustCompile(`^(\w+) not supported on \w+/\w+$`)

// blame is the place that a complaint without one is about; the beginning of the header if it cannot be told.
func (in *input) blame(msg string, ast *cc.AST) string {
	m := typeMissing.FindStringSubmatch(msg)
	asked := map[string]map[string]bool{}
	var first *cc.TranslationUnit
	if ast != nil {
		first = ast.TranslationUnit
	}
	for l := first; l != nil; l = l.TranslationUnit {
		pos := ""
		switch x := l.ExternalDeclaration; {
		case m != nil:
			pos = wordPlace(x, m[1])
		case inward.MatchString(msg):
			pos = secondAttribute(x)
		case x.Case == cc.ExternalDeclarationDecl && x.Declaration.Case == cc.DeclarationDecl:
			if pos = memberContradicts(x, asked); pos == "" && contradicts(x.Declaration, asked) {
				_, pos = place(x)
			}
		}
		if pos != "" {
			return pos
		}
	}
	return fileLine(in.path, 1)
}

// wordPlace is where a word stands in a declaration, if it does.
func wordPlace(n cc.Node, word string) string {
	for _, t := range cc.NodeTokens(n) {
		if t.SrcStr() == word {
			_, pos := place(t)
			return pos
		}
	}
	return ""
}

// secondAttribute is where a member of a struct gets attributes for a second time, if one does: the front end takes only one list
// among a member's type specifiers.
func secondAttribute(n cc.Node) string {
	lists := []int{0} // of the declarations around the token, from the outermost
	for _, t := range cc.NodeTokens(n) {
		last := len(lists) - 1
		switch t.SrcStr() {
		case "{":
			lists = append(lists, 0)
		case "}":
			if last > 0 {
				lists = lists[:last]
			}
		case ";":
			lists[last] = 0
		case "__attribute__", "__attribute":
			if lists[last]++; lists[last] > 1 && last > 0 {
				_, pos := place(t)
				return pos
			}
		}
	}
	return ""
}

// memberContradicts is where a member gives one attribute two arguments, one of which may be that of its typedef.
func memberContradicts(n cc.Node, asked map[string]map[string]bool) string {
	var words []string
	for _, t := range cc.NodeTokens(n) {
		switch w := t.SrcStr(); w {
		case "{", "}":
			words = nil
		case ";":
			all := attributeArguments(words)
			for _, w := range words {
				if len(all) > 0 {
					maps.Copy(all, asked[w])
				}
			}
			if twice(all) {
				_, pos := place(t)
				return pos
			}
			words = nil
		default:
			words = append(words, w)
		}
	}
	return ""
}

// contradicts reports whether a declaration gives one attribute two arguments, one of which may be that of a typedef. It notes
// the attributes of the typedefs that are declared.
func contradicts(n *cc.Declaration, asked map[string]map[string]bool) bool {
	words := outsideBraces(nodeWords(n))
	all := attributeArguments(words)
	if len(all) == 0 {
		return false
	}
	for _, w := range words {
		for a := range asked[w] {
			all[a] = true
		}
	}
	if twice(all) {
		return true
	}
	if hasStorage(n.DeclarationSpecifiers, cc.StorageClassSpecifierTypedef) {
		for l := n.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			if d := l.InitDeclarator.Declarator; d != nil {
				asked[d.Name()] = all
			}
		}
	}
	return false
}

// outsideBraces leaves out the members of structs.
func outsideBraces(words []string) (out []string) {
	depth := 0
	for _, w := range words {
		switch w {
		case "{":
			depth++
		case "}":
			depth--
		}
		if depth == 0 {
			out = append(out, w)
		}
	}
	return out
}

// attributeArguments are the attributes among the words that have one argument: the name, a blank and the argument.
func attributeArguments(words []string) map[string]bool {
	found := map[string]bool{}
	for i, w := range words {
		if i == 0 || i+2 >= len(words) || words[i+1] != "(" || words[i-1] != "(" && words[i-1] != "," {
			continue
		}
		if arg, n := splitArguments(words[i+2:]); n > 0 && len(arg) == 1 {
			name := strings.TrimSuffix(strings.TrimPrefix(w, "__"), "__")
			found[name+" "+arg[0]] = true
		}
	}
	return found
}

// twice reports whether one attribute has two arguments.
func twice(all map[string]bool) bool {
	names := map[string]bool{}
	for a := range all {
		name, _, _ := strings.Cut(a, " ")
		if names[name] {
			return true
		}
		names[name] = true
	}
	return false
}

// splitArguments splits what follows the opening parenthesis of an attribute; n is its length with the closing one, 0 without it.
func splitArguments(words []string) (args []string, n int) {
	depth := 0
	args = []string{""}
	for i, w := range words {
		switch {
		case w == ")" && depth == 0:
			return args, i + 1
		case w == "," && depth == 0:
			args = append(args, "")
			continue
		case w == "(":
			depth++
		case w == ")":
			depth--
		}
		args[len(args)-1] = strings.TrimSpace(args[len(args)-1] + " " + w)
	}
	return nil, 0
}
