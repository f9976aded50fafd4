package main

import (
	"bufio"
	"fmt"
	"strings"
)

// A page is what is printed of one device.
type page struct{ *bufio.Writer }

// row prints a name and what it is: so many tabs, and then as many as lead to the column.
func (p page) row(tabs, column int, name, format string, args ...any) {
	fmt.Fprintf(p, "%s%s:", strings.Repeat("\t", tabs), name)
	for at := 8*tabs + len(name) + 1; at < column; at = at/8*8 + 8 {
		p.WriteByte('\t')
	}
	fmt.Fprintf(p, format+"\n", args...)
}

// flags prints the flags that are set one in each line, without what their names begin with, and what is set beside the known ones.
func flags[T interface {
	~uint32 | ~uint64
	fmt.Stringer
}](p page, prefix string, set, known T) {
	for bit := T(1); bit != 0; bit <<= 1 {
		if set&known&bit != 0 {
			p.item(strings.TrimPrefix(bit.String(), prefix))
		}
	}
	if unknown := set &^ known; unknown != 0 {
		p.item(fmt.Sprintf("Unknown flags: 0x%X", uint64(unknown)))
	}
}

func (p page) item(s string) { fmt.Fprintf(p, "\t\t\t\t\t%s\n", s) }

// known is a value's text, or what the C program says of a value that it does not know.
func known[K comparable](names map[K]string, v K, otherwise string) string {
	if s, ok := names[v]; ok {
		return s
	}
	return otherwise
}
