package main

import (
	"fmt"
	"strings"
)

// maxMapLines bounds the byte map; what is beyond is counted.
const maxMapLines = 24

// byteMap draws one letter for each byte, a cache line to a line.
func (p *picture) byteMap() string {
	size := p.agg.Size.At(p.arch)
	owner := make([]byte, min(size, maxMapLines*cacheLine))
	for _, r := range p.rows {
		if r.letter == 0 {
			continue
		}
		for at := r.bit / 8; at < min((r.bit+r.size+7)/8, int64(len(owner))); at++ {
			if owner[at] == 0 {
				owner[at] = r.letter
			}
		}
	}
	var b strings.Builder
	b.WriteString(p.paint.paint(dim, "one letter per byte, · for padding, a cache line per row") + "\n")
	for at := 0; at < len(owner); at += cacheLine {
		b.WriteString(p.paint.paint(blue, fmt.Sprintf("%5d ", at)) + p.mapLine(owner[at:min(at+cacheLine, len(owner))]) + "\n")
	}
	if rest := (size - int64(len(owner)) + cacheLine - 1) / cacheLine; rest > 0 {
		b.WriteString(p.paint.paint(dim, fmt.Sprintf("      ... %s more", plural(rest, "line"))) + "\n")
	}
	return b.String()
}

// mapLine draws bytes in groups of eight, each run of one letter in its colour.
func (p *picture) mapLine(owner []byte) string {
	var b strings.Builder
	for i := 0; i < len(owner); {
		if i%8 == 0 {
			b.WriteString(" ")
		}
		end := i + 1
		for end < len(owner) && end%8 != 0 && owner[end] == owner[i] {
			end++
		}
		if owner[i] == 0 {
			b.WriteString(p.paint.paint(yellow, strings.Repeat("·", end-i)))
		} else {
			b.WriteString(p.paint.paint(p.tint(owner[i]), strings.Repeat(string(owner[i]), end-i)))
		}
		i = end
	}
	return b.String()
}
