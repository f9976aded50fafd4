package main

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// A picture is a struct or union as layout shows it.
type picture struct {
	agg    *model.Aggregate
	c      string // its C name
	goName string
	arch   string
	oldest string // oldest release with a record
	rows   []row
	holes  []row
	paint  painter
}

func (p *picture) String() string {
	size := p.agg.Size.At(p.arch)
	parts := []string{p.title(), p.summary(), "", p.table()}
	if !p.agg.Union && size > 0 {
		parts = append(parts, p.byteMap())
	}
	return strings.Join(parts, "\n")
}

func (p *picture) title() string {
	s := p.paint.paint(bold, p.c)
	if p.goName != "" {
		s += p.paint.paint(dim, " · in Go ") + p.paint.paint(green, p.goName)
	}
	return s
}

func (p *picture) summary() string {
	size := p.agg.Size.At(p.arch)
	facts := []string{plural(size, "byte"), fmt.Sprintf("aligned to %d", p.agg.Align.At(p.arch)),
		plural((size+cacheLine-1)/cacheLine, "cache line"), p.padding()}
	switch since := p.agg.Since; {
	case since == "":
	case since == p.oldest:
		facts = append(facts, "since "+since+" or before")
	default:
		facts = append(facts, "since "+since)
	}
	if p.agg.Size.By != nil {
		facts = append(facts, "on "+p.arch)
	}
	return strings.Join(facts, " · ")
}

func (p *picture) padding() string {
	var bits int64
	for _, h := range p.holes {
		bits += h.size
	}
	in := ""
	if len(p.holes) > 1 {
		in = fmt.Sprintf(" in %d holes", len(p.holes))
	}
	switch {
	case bits == 0:
		return "no padding"
	case bits%8 == 0:
		return plural(bits/8, "byte") + " of padding" + in
	case bits < 8:
		return plural(bits, "bit") + " of padding" + in
	}
	return plural(bits/8, "byte") + " and " + plural(bits%8, "bit") + " of padding" + in
}

func (p *picture) table() string {
	head := make([]cell, 8)
	for i, text := range []string{"", "offset", "size", "C", "", "Go", "", "since"} {
		head[i] = cell{style: dim, text: text, right: i == 1 || i == 2}
	}
	t := table{head}
	sinces := false
	for _, r := range p.rows {
		sinces = sinces || r.goName.since != ""
		t = append(t, p.line(r))
	}
	if !sinces {
		head[len(head)-1].text = ""
	}
	return t.String(p.paint)
}

func (p *picture) line(r row) []cell {
	if r.kind == borderRow {
		return []cell{{style: blue, text: fmt.Sprintf("── %d ── %s ", r.bit/8, r.note), rule: true}}
	}
	size := fmt.Sprint(r.size / 8)
	offset := fmt.Sprint(r.bit / 8)
	if r.bit%8 != 0 || r.size%8 != 0 {
		offset, size = fmt.Sprintf("%d:%d", r.bit/8, r.bit%8), plural(r.size, "bit")
	}
	letter, tint, place, typ := "·", yellow, yellow, yellow
	if r.kind == memberRow {
		letter, tint, place, typ = "", plainText, dim, plainText
	}
	if r.letter != 0 {
		letter, tint = string(r.letter), p.tint(r.letter)
	}
	return []cell{{style: tint, text: letter}, {style: place, text: offset, right: true}, {style: typ, text: size, right: true},
		{style: typ, text: r.tree + r.base}, {style: bold, text: r.decl},
		{style: green, text: r.goName.name}, {text: r.goName.typ}, {style: dim, text: r.goName.since}}
}

func (p *picture) tint(letter byte) style {
	return tints[strings.IndexByte(letters, letter)%len(tints)]
}
