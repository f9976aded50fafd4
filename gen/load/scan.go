package load

import (
	"bytes"
	"unicode"
)

// The front end is recursive, and a Go program cannot survive running out of stack, which is 512 MB. A file is therefore refused
// before it is parsed if its parentheses, or those of a macro, which expand into each other, nest too deeply: one level of them
// takes 3 KB of stack. Anything else takes at most 1.4 KB a token, tokens of macros count twice or more towards
// expansionLimit, and a level that takes one token, like a sign, is bounded by the length of what has no ; or comma in it,
// together with what files that are included there, which must end at the end of a declaration, add to it.
const (
	maxNesting      = 256    // of parentheses and brackets in the text of a file
	maxMacroNesting = 64     // in the body of one macro, or in another directive
	maxRun          = 20_000 // tokens without a comma or semicolon
	maxLastRun      = 100    // tokens after the last comma, semicolon or closing brace of a file
)

// scan checks the nesting in a file and notes what else must be known of it.
func scan(path string, data []byte) (*scanner, error) {
	s := &scanner{path: path, data: data, line: 1}
	if at := bytes.IndexFunc(data, private); at >= 0 {
		return s, refusef(fileLine(path, 1+bytes.Count(data[:at], []byte("\n"))), "", "a character of Unicode's private use area")
	}
	var c closing
	var empty emptyDeclaration
	depth, run, last := 0, 0, 0
	inWord := false
	for s.startOfLine = true; s.pos < len(s.data); {
		char := s.next()
		wasInWord := inWord
		inWord = isWord(char)
		if char == '#' && s.startOfLine {
			if err := s.directive(); err != nil {
				return s, err
			}
			continue
		}
		c.add(char)
		if empty.add(char) {
			return s, s.refuse("a declaration that declares nothing")
		}
		switch {
		case char == ' ' || char == '\n' || inWord && wasInWord:
		case char == ';' || char == ',':
			run, last = 0, 0
		default:
			run, last = run+1, last+1
			if char == '}' {
				last = 0
			}
		}
		switch char {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1) // alternatives of an #if need not balance
		}
		switch {
		case depth > maxNesting:
			return s, s.refuse("parentheses are nested deeper than %d", maxNesting)
		case run > maxRun:
			return s, s.refuse("too large: more than %d tokens without a comma or semicolon", maxRun)
		}
		if char != ' ' {
			s.startOfLine = char == '\n'
		}
	}
	if last > maxLastRun {
		return s, s.refuse("more than %d tokens after the last comma or semicolon", maxLastRun)
	}
	s.unclosed = s.unclosed || c.complaint() != ""
	return s, nil
}

// isWord reports whether c belongs to a name or number.
func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// private reports whether r is in Unicode's private use area, from which the front end takes its kinds of tokens.
func private(r rune) bool { return r >= 0xe000 && unicode.Is(unicode.Co, r) }

// A scanner reads the characters of C source that matter to nesting.
type scanner struct {
	path        string
	data        []byte
	pos, line   int
	startOfLine bool
	defined     []string // macros, once for each definition
	unclosed    bool     // brackets or the last declaration
}

func (s *scanner) refuse(format string, args ...any) error {
	return refusef(fileLine(s.path, s.line), "", format, args...)
}

// directive reads to the end of a preprocessing directive.
func (s *scanner) directive() error {
	line := s.line
	isDefine := s.word() == "define"
	if isDefine {
		s.defined = append(s.defined, s.word())
	}
	depth := 0
	var body closing
	defer func() { s.unclosed = s.unclosed || body.bad != "" || len(body.open) > 0 }()
	for s.pos < len(s.data) {
		c := s.next()
		body.add(c)
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
		if depth > maxMacroNesting {
			return refusef(fileLine(s.path, line), "", "parentheses of a directive are nested deeper than %d", maxMacroNesting)
		}
		if isDefine && depth < 0 {
			break
		}
		if c == '\n' {
			break
		}
	}
	if isDefine && depth != 0 {
		return refusef(fileLine(s.path, line), "", "a macro with unbalanced parentheses")
	}
	s.startOfLine = true
	return nil
}

// word reads the name of a directive, or of the macro that it defines.
func (s *scanner) word() string {
	var w []byte
	for s.pos < len(s.data) {
		at, line := s.pos, s.line
		c := s.next()
		if c == ' ' && len(w) == 0 {
			continue
		}
		if !isWord(c) {
			s.pos, s.line = at, line
			break
		}
		w = append(w, c)
	}
	return string(w)
}

// next returns the next character; comments and blanks are ' ', strings are '"'. Spliced lines are one.
func (s *scanner) next() byte {
	s.splice()
	if s.pos >= len(s.data) {
		return '\n'
	}
	c := s.data[s.pos]
	s.pos++
	switch c {
	case '\n':
		s.line++
	case ' ', '\t', '\r', '\v', '\f':
		return ' '
	case '"', '\'':
		s.literal(c)
		return '"'
	case '/':
		s.splice()
		if s.pos < len(s.data) && (s.data[s.pos] == '/' || s.data[s.pos] == '*') {
			s.comment(s.data[s.pos])
			return ' '
		}
	}
	return c
}

// splice passes over backslashes that join lines.
func (s *scanner) splice() {
	for s.pos+1 < len(s.data) && s.data[s.pos] == '\\' {
		n := 1
		if s.data[s.pos+1] == '\r' && s.pos+2 < len(s.data) {
			n = 2
		}
		if s.data[s.pos+n] != '\n' {
			return
		}
		s.pos += n + 1
		s.line++
	}
}

// literal passes over a string or character constant, which ends with its line if it is not closed.
func (s *scanner) literal(quote byte) {
	for s.splice(); s.pos < len(s.data); s.splice() {
		switch c := s.data[s.pos]; {
		case c == '\n':
			return
		case c == '\\':
			s.pos = min(s.pos+2, len(s.data))
		case c == quote:
			s.pos++
			return
		default:
			s.pos++
		}
	}
}

func (s *scanner) comment(kind byte) {
	s.pos++
	for prev := byte(0); s.pos < len(s.data); s.pos++ {
		if kind == '/' {
			s.splice()
		}
		if s.pos >= len(s.data) {
			return
		}
		c := s.data[s.pos]
		switch {
		case kind == '/' && c == '\n':
			return
		case kind == '*' && prev == '*' && c == '/':
			s.pos++
			return
		}
		if c == '\n' {
			s.line++
		}
		prev = c
	}
}
