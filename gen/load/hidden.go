package load

import (
	"regexp"
	"slices"

	"modernc.org/cc/v4"
	"modernc.org/token"
)

// The parser drops some attributes without a word. What it has dropped shows in the text of the header alone. What comes from
// a macro has the place where the macro is used, so macros must be looked through.

// hidden refuses what follows an opening parenthesis of a declarator: the parser would drop attributes there.
func (b *builder) hidden(open cc.Token, inner cc.Node, u use) error {
	text, ok := b.between(open.Position(), inner.Position())
	if !ok || len(text) != 1 || b.in.files.defines(b.wordAt(inner.Position())) > 0 {
		return u.refuse("something stands between a parenthesis and the declared name that cannot be seen")
	}
	return nil
}

// checkPair refuses a list of more than two attributes: the parser keeps only the first and the last.
func (b *builder) checkPair(s *cc.AttributeSpecifier, u use) error {
	if s.AttributeValueList == nil || s.AttributeValueList.AttributeValueList == nil {
		return nil
	}
	if s.Token.Position() == s.Token4.Position() {
		if b.pairsInMacro(b.wordAt(s.Token.Position())) {
			return nil
		}
	} else if words, ok := b.between(s.Token3.Position(), s.Token4.Position()); ok && b.isPair(words[1:], 0, nil) {
		return nil
	}
	return u.refuse("three or more attributes in one list, or macros in it, are not supported")
}

// isPair reports whether no list of attributes, which stands inside depth parentheses, has more than one comma or a word that
// may stand for more.
func (b *builder) isPair(words []string, depth int, params []cc.Token) bool {
	level, commas := 0, 0
	for _, w := range words {
		switch {
		case w == "(":
			level++
		case w == ")":
			level--
		case w == "__attribute__" || w == "__attribute":
			commas = 0
		case level == depth && w == ",":
			if commas++; commas > 1 {
				return false
			}
		case level == depth && (b.in.files.defines(w) > 0 || slices.ContainsFunc(params, func(t cc.Token) bool { return t.SrcStr() == w })):
			return false
		}
	}
	return true
}

// pairsInMacro reports whether the macro, with all that it uses, is defined once and holds pairs only.
func (b *builder) pairsInMacro(name string) bool {
	m := b.ast.Macros[name]
	redefined := func(w string) bool { return w != "__attribute__" && b.in.files.defines(w) > 1 } // sys/cdefs.h has one for others than gcc
	if m == nil || b.in.files.defines(name) != 1 || b.touches(m, redefined) {
		return false
	}
	words := b.macroWords(m)
	if m.IsFnLike {
		for _, w := range words {
			if w != "__attribute__" && b.in.files.defines(w) > 0 {
				return false
			}
		}
		return b.isPair(words, 2, m.Params)
	}
	words, ok := b.expand(m)
	return ok && b.isPair(words, 2, nil)
}

// text is the file that p is in, and where in it.
func (b *builder) text(p token.Position) ([]byte, int) {
	data, err := b.in.files.bytes(p.Filename)
	at := p.Offset - len(entry)
	if err != nil || at < 0 || at > len(data) {
		return nil, 0
	}
	return data, at
}

// wordAt is the name that stands at p.
func (b *builder) wordAt(p token.Position) string {
	data, at := b.text(p)
	return string(identifier.Find(data[at:]))
}

// between splits the text from one place up to another into names, numbers and other characters, if there is such a text.
func (b *builder) between(from, to token.Position) (words []string, ok bool) {
	data, lo := b.text(from)
	_, hi := b.text(to)
	if from.Filename != to.Filename || data == nil || lo >= hi || hi > len(data) || hi-lo > 10000 {
		return nil, false
	}
	return lexeme.FindAllString(string(data[lo:hi]), -1), true
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*`)
	lexeme     = regexp.MustCompile(`\w+|"[^"]*"|\S`)
)
