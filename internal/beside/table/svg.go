package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// The picture has a bar for each figure: what C takes, and behind it what Go takes more. It has a background of its own, so that it can be
// read on light and dark pages alike. Lengths are in pixels.
const (
	width   = 760
	left    = 290 // where bars begin
	right   = 90  // kept for the last number
	rowStep = 22
	top     = 64
	most    = 600.0 // nanoseconds; longer ones would make all others dots
)

// SVG writes the picture.
func (r Report) SVG(w io.Writer) error {
	var shown []Figure
	longest := 1.0
	for _, f := range r.Figures {
		if f.C > 0 && f.Eventfd == 0 && f.Go <= most {
			shown = append(shown, f)
			longest = max(longest, f.Go, f.C)
		}
	}
	p := &picture{scale: (width - left - right) / longest}
	height := top + len(shown)*rowStep + 34
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#24292f">`,
		width, height, width, height)
	p.add(`<title>Nanoseconds in C and in Go</title>`)
	p.add(`<rect x="0.5" y="0.5" width="%d" height="%d" rx="6" fill="#ffffff" stroke="#d0d7de"/>`, width-1, height-1)
	p.add(`<text x="16" y="26" font-size="15" font-weight="bold">Nanoseconds a call, C and what Go adds (shorter is better)</text>`)
	p.legend()
	group := ""
	for i, f := range shown {
		p.bar(f, top+i*rowStep, f.Group != group)
		group = f.Group
	}
	p.add(`<text x="16" y="%d" font-size="10" fill="#57606a">%s</text>`, height-12, escaped("medians; "+r.Machine.String()))
	p.add(`</svg>`)
	_, err := io.WriteString(w, p.String())
	return err
}

type picture struct {
	strings.Builder
	scale float64 // pixels for a nanosecond
}

const inC, inGo = "#8c959f", "#0969da"

func (p *picture) add(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *picture) legend() {
	p.add(`<rect x="%d" y="38" width="12" height="12" fill="%s"/><text x="%d" y="48">C</text>`, left, inC, left+18)
	p.add(`<rect x="%d" y="38" width="12" height="12" fill="%s"/><text x="%d" y="48">Go adds</text>`, left+48, inGo, left+66)
}

// bar draws a figure in the row whose upper edge is y. Where Go was faster all of its bar is C's.
func (p *picture) bar(f Figure, y int, named bool) {
	if named {
		p.add(`<text x="16" y="%d" font-weight="bold">%s</text>`, y+13, escaped(f.Group))
	}
	p.add(`<text x="%d" y="%d" text-anchor="end">%s</text>`, left-8, y+13, escaped(f.Work))
	c, all := min(f.C, f.Go)*p.scale, f.Go*p.scale
	p.add(`<rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>`, left, y+2, math.Max(c, 0.5), inC)
	p.add(`<rect x="%.1f" y="%d" width="%.1f" height="14" fill="%s"/>`, left+c, y+2, all-c, inGo)
	p.add(`<text x="%.1f" y="%d">%s <tspan fill="#57606a">(C %s)</tspan></text>`, left+all+6, y+13, number(f.Go), number(f.C))
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
