package load

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// The parser may wait for ever, and take all memory, for what a declaration lacks at the end of the text. So a text whose
// brackets do not pair, or that ends within a declaration, does not get that far.

// A closing is what a text has left open.
type closing struct {
	open []byte // the brackets
	last byte   // the last character that is not blank
	bad  string // what does not pair
}

// add takes the next token of the text.
func (c *closing) add(tok byte) {
	switch tok {
	case ' ', '\n', '\t', '\r', '\v', '\f':
		return
	case '(', '[', '{':
		c.open = append(c.open, tok)
	case ')', ']', '}':
		want := map[byte]byte{')': '(', ']': '[', '}': '{'}[tok]
		if n := len(c.open); c.bad == "" && (n == 0 || c.open[n-1] != want) {
			c.bad = fmt.Sprintf("%c closes nothing", tok)
		} else if n > 0 {
			c.open = c.open[:n-1]
		}
	}
	c.last = tok
}

// complaint says what is wrong at the end, if anything is.
func (c *closing) complaint() string {
	switch {
	case c.bad != "":
		return c.bad
	case len(c.open) > 0:
		return fmt.Sprintf("unexpected end of file: %c is not closed", c.open[len(c.open)-1])
	case c.last != ';' && c.last != '}' && c.last != 0:
		return "unexpected end of file: a declaration is not complete"
	}
	return ""
}

// Write takes one token from the preprocessor.
func (c *closing) Write(tok []byte) (int, error) {
	switch b := bytes.TrimSpace(tok); {
	case len(b) == 1:
		c.add(b[0])
	case len(b) > 1:
		c.add('a')
	}
	return len(tok), nil
}

// gate preprocesses the text and refuses it if it is not closed.
func (in *input) gate(cfg *cc.Config, sources []cc.Source) error {
	var c closing
	if err := cc.Preprocess(cfg, sources, &c); err != nil {
		return in.explain(err, func() *cc.AST { return nil })
	}
	if msg := c.complaint(); msg != "" { // of the brackets: the text ends with semicolons of our own
		return &Error{Pos: in.end(), Msg: msg}
	}
	return nil
}

// end is the place of the header's last line.
func (in *input) end() string {
	data, err := in.files.bytes(in.path)
	if err != nil {
		return in.path
	}
	return fileLine(in.path, 1+bytes.Count(bytes.TrimRight(data, "\n"), []byte("\n")))
}

// open reports whether the file does not close by itself what it opens. Files in the compiler's own folders, where libc opens
// in one macro what another closes, are trusted.
func (f *files) open(path string, system []string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unclosed[path] && !slices.ContainsFunc(system, func(dir string) bool { return strings.HasPrefix(path, dir+"/") })
}
