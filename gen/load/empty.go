package load

import "slices"

// typeWords are the keywords that may make a type by themselves.
var typeWords = []string{
	"char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool", "_Complex", "__int128", "const", "volatile",
}

// An emptyDeclaration finds declarations that hold keywords of types only, like "int;". gcc ignores them, with a warning; the
// front end writes about them to the standard error output of the program.
type emptyDeclaration struct {
	word  []byte
	only  bool // since the last brace or semicolon, there are such keywords and nothing else
	other bool // there is something else
}

// add takes the next character and reports whether it ends such a declaration.
func (e *emptyDeclaration) add(c byte) bool {
	if isWord(c) {
		e.word = append(e.word, c)
		return false
	}
	if len(e.word) > 0 {
		if slices.Contains(typeWords, string(e.word)) {
			e.only = true
		} else {
			e.other = true
		}
		e.word = e.word[:0]
	}
	switch c {
	case ' ', '\n':
	case ';', '{', '}':
		found := c == ';' && e.only && !e.other
		e.only, e.other = false, false
		return found
	default:
		e.other = true
	}
	return false
}
