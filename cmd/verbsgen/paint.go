package main

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A style is an escape sequence's parameter.
type style string

const (
	plainText style = ""
	bold      style = "1"
	dim       style = "2"
	yellow    style = "33"
	green     style = "32"
	blue      style = "34"
)

// tints are taken in turn by members, in the table and in the byte map.
var tints = []style{"36", "35", "32", "34", "31", "96"}

// A painter colours text, or leaves it as it is.
type painter bool

// newPainter colours on a terminal, unless NO_COLOR is set or the terminal cannot.
func newPainter(w io.Writer, env environ) painter {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	if v, ok := env("NO_COLOR"); ok && v != "" {
		return false
	}
	name, _ := env("TERM")
	return name != "dumb"
}

func (p painter) paint(s style, text string) string {
	if !bool(p) || s == plainText || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// A cell is text in one style.
type cell struct {
	style style
	text  string
	right bool // aligned to the right
	rule  bool // followed by a line to the table's edge
}

// width is how many columns the text takes: each of its characters takes one.
func width(s string) int { return utf8.RuneCountInString(s) }

// gap stands between columns.
const gap = "  "

// A table is lines of cells whose columns are as wide as their widest cell. A line of one cell spans the table.
type table [][]cell

func (t table) String(p painter) string {
	var widths []int
	for _, line := range t {
		for i, c := range line {
			if len(line) == 1 {
				break
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(c.text))
		}
	}
	var b strings.Builder
	for _, line := range t {
		b.WriteString(t.line(line, widths, p) + "\n")
	}
	return b.String()
}

func (t table) line(line []cell, widths []int, p painter) string {
	if len(line) == 1 {
		return p.paint(line[0].style, line[0].text+rule(line[0], widths))
	}
	last := len(line) - 1
	for last > 0 && line[last].text == "" {
		last--
	}
	var b strings.Builder
	for i, c := range line[:last+1] {
		if widths[i] == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		pad := strings.Repeat(" ", widths[i]-width(c.text))
		switch {
		case c.right:
			b.WriteString(pad + p.paint(c.style, c.text))
		case i == last:
			b.WriteString(p.paint(c.style, c.text))
		default:
			b.WriteString(p.paint(c.style, c.text) + pad)
		}
	}
	return b.String()
}

// rule is the line after c in a table with columns of the given widths.
func rule(c cell, widths []int) string {
	if !c.rule {
		return ""
	}
	edge := 0
	for _, w := range widths {
		if w > 0 {
			edge += w + len(gap)
		}
	}
	return strings.Repeat("─", max(2, edge-len(gap)-width(c.text)))
}
