package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// cacheLine is the distance of the picture's borders, in bytes.
const cacheLine = 64

// A goName is what Go calls a member: a field or a getter, and its type. since is the oldest release that has it.
type goName struct{ name, typ, since string }

// A row is one line of the picture's table: a member, a hole or, with kind border, the start of a cache line.
type row struct {
	kind      rowKind
	bit, size int64 // from the start of the outermost aggregate; size in bits
	tree      string
	base      string // C type without its declarator
	decl      string // C declarator: *pd, data[4]
	goName    goName
	letter    byte // in the byte map; 0: none of its own
	note      string
}

type rowKind int

const (
	memberRow rowKind = iota
	holeRow
	borderRow
)

// A drafter turns an aggregate into rows for one architecture.
type drafter struct {
	arch     string
	typedefs map[string]bool
	names    map[string]goName // by path, as "wr.rdma.rkey"; members of unnamed aggregates stand in the parent
	since    string            // of the whole aggregate; not repeated on members
	rows     []row
	holes    []row // those that all values have: not in an arm of a union
	last     row   // the last row that no union is around
	line     int64 // the last cache line whose start is drawn
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// draft returns a's rows.
func (d *drafter) draft(a *model.Aggregate) []row {
	top := d.parts(a, 0)
	n := 0
	for _, p := range top {
		if p.member != nil {
			p.letter = letters[n%len(letters)]
			n++
		}
		if !a.Union {
			d.border(p.bit)
		}
		d.add(p, "", "", "", !a.Union)
	}
	if size := a.Size.At(d.arch); !a.Union && size > 0 {
		d.border((size - 1) * 8)
	}
	return d.rows
}

// A part is a member or a hole of an aggregate.
type part struct {
	row
	member *model.Member
}

// parts returns the members of a, which starts at bit base, and the holes between them, by place.
func (d *drafter) parts(a *model.Aggregate, base int64) []part {
	var list []part
	for i := range a.Members {
		m := &a.Members[i]
		r := row{bit: base + m.Offset.At(d.arch)*8, size: m.Size.At(d.arch) * 8}
		if m.Bits != nil {
			r.bit, r.size = base+m.Bits.Pos.At(d.arch), int64(m.Bits.Width)
		}
		list = append(list, part{r, m})
	}
	if a.Union {
		return list
	}
	slices.SortStableFunc(list, func(x, y part) int { return int(x.bit - y.bit) })
	var all []part
	end := base
	for _, p := range append(list, part{row{bit: base + a.Size.At(d.arch)*8}, nil}) {
		if p.bit > end {
			all = append(all, part{row{kind: holeRow, bit: end, size: p.bit - end}, nil})
		}
		end = max(end, p.bit+p.size)
		if p.member != nil {
			all = append(all, p)
		}
	}
	return all
}

// add appends the rows of p; lead stands before its branch of the tree, below before its members'. If plain, all aggregates
// around it are structs, so its members can show the start of a cache line.
func (d *drafter) add(p part, lead, branch, path string, plain bool) {
	r := p.row
	r.tree = lead + branch
	if p.member == nil {
		r.base = "padding"
		d.rows = append(d.rows, r)
		if plain {
			d.holes = append(d.holes, r)
			d.last = r
		}
		return
	}
	m := p.member
	r.base, r.decl = spell(m, d.typedefs)
	path = join(path, m.Name)
	if m.Name != "" {
		r.goName = d.names[path]
	}
	if r.goName.since == d.since {
		r.goName.since = ""
	}
	d.rows = append(d.rows, r)
	if plain {
		d.last = r
		d.last.decl = path
	}
	body := bodyOf(&m.Type)
	if body == nil {
		return
	}
	lead += strings.NewReplacer("├", "│", "└", " ").Replace(branch)
	parts := d.parts(body, r.bit)
	for i, sub := range parts {
		branch := "├ "
		if i == len(parts)-1 {
			branch = "└ "
		}
		plain := plain && !body.Union
		if plain {
			d.border(sub.bit)
		}
		d.add(sub, lead, branch, path, plain)
	}
}

// border adds a row if cache lines start after what is drawn already, at the given bit or before.
func (d *drafter) border(bit int64) {
	first, last := d.line+1, bit/8/cacheLine
	if last < first {
		return
	}
	d.line = last
	at := first * cacheLine
	note := fmt.Sprintf("cache line %d", first)
	if last > first {
		note = fmt.Sprintf("cache lines %d to %d", first, last)
	}
	if in := at - d.last.bit/8; at*8 < d.last.bit+d.last.size && in > 0 {
		note += fmt.Sprintf(", %s into %s", plural(in, "byte"), cmp.Or(d.last.decl, "the padding"))
	}
	d.rows = append(d.rows, row{kind: borderRow, bit: at * 8, note: note})
}
