package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// adder is what declarations are added to: a file or a block.
type adder interface {
	Comment(string) *jen.Statement
}

// comments adds lines of a doc comment.
func comments(to adder, lines []string) {
	for _, l := range lines {
		to.Comment(commentLine(l))
	}
}

// commentLine is l as a comment. It can hold no line break, so nothing in it gets out of the comment; with a space before
// it, it is no directive either.
func commentLine(l string) string {
	l = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, l)
	return strings.TrimRight("// "+l, " ")
}

// note adds a comment at the end of a line.
func note(s *jen.Statement, text string) *jen.Statement {
	if text == "" {
		return s
	}
	return s.Comment(commentLine(text))
}
