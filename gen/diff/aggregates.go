package diff

import (
	"fmt"
	"slices"

	"github.com/goverbs/ibv/gen/model"
)

func what(a *model.Aggregate) string {
	if a.Union {
		return "union"
	}
	return "struct"
}

// aggregates compares the structs and unions.
func (c *comparison) aggregates() {
	for name, o := range c.old.aggregate {
		n := c.new.aggregate[name]
		if n == nil {
			c.add(RemovedName, Incompatible, Change{Item: what(o) + " " + name, Old: size(o)})
			continue
		}
		c.aggregate(o, n)
	}
	for name, n := range c.new.aggregate {
		if c.old.aggregate[name] == nil {
			c.add(AddedName, Compatible, Change{Item: what(n) + " " + name, New: size(n)})
		}
	}
}

func size(a *model.Aggregate) string {
	if a.Opaque && a.Size.Equal(model.N(0)) {
		return "only declared"
	}
	return num(a.Size) + " bytes"
}

func (c *comparison) aggregate(o, n *model.Aggregate) {
	item := what(o) + " " + o.Name
	switch {
	case o.Opaque && !n.Opaque:
		c.add(CompletedAggregate, Compatible, Change{Item: item, Old: size(o), New: size(n)})
		return
	case !o.Opaque && n.Opaque:
		c.add(RemovedName, Incompatible, Change{Item: item, Old: size(o), New: size(n), Note: "its members are gone"})
		return
	}
	p := c.pair(o, n, item, "")
	p.whole()
	p.growth()
	p.members()
}

// A pair is one aggregate in both models.
type pair struct {
	c            *comparison
	o, n         *model.Aggregate
	item, path   string // path leads to the body of a member: "wr."
	before, now  []model.Flat
	front        bool
	shift        model.Num // how far old members lie from their old offset when nothing moved
	oldOf, newOf map[string]model.Flat
}

func (c *comparison) pair(o, n *model.Aggregate, item, path string) *pair {
	p := &pair{c: c, o: o, n: n, item: item, path: path, before: o.Flat(), now: n.Flat(),
		oldOf: map[string]model.Flat{}, newOf: map[string]model.Flat{}}
	for _, f := range p.before {
		p.oldOf[f.Name] = f
	}
	for _, f := range p.now {
		p.newOf[f.Name] = f
	}
	if p.front = path == "" && p.growsAtFront(); p.front {
		p.shift = n.Size.Sub(o.Size)
	}
	return p
}

// growsAtFront reports whether members count from the end: because the options say so, or because the struct tells its
// size to the reader in a member sz and nothing has moved when seen from the end.
func (p *pair) growsAtFront() bool {
	if slices.Contains(p.c.opts.Front, p.o.Name) {
		return true
	}
	growth := p.n.Size.Sub(p.o.Size)
	if _, ok := p.oldOf["sz"]; !ok || sign(growth) <= 0 {
		return false
	}
	for _, f := range p.before {
		if n, ok := p.newOf[f.Name]; !ok || !n.At.Equal(f.At.Add(growth)) {
			return false
		}
	}
	return true
}

// whole compares what belongs to no single member.
func (p *pair) whole() {
	if p.o.Union != p.n.Union {
		p.c.add(ChangedLayout, Incompatible, Change{Item: p.item, Member: p.member(""), Old: what(p.o), New: what(p.n)})
	}
	if !p.o.Align.Equal(p.n.Align) {
		o, n := span(p.o.Align, p.n.Align)
		p.c.add(ChangedLayout, Incompatible, Change{Item: p.item, Member: p.member(""), Old: "alignment " + o, New: n})
	}
}

// member is the path of a member, or of the body itself.
func (p *pair) member(name string) string {
	if name == "" && p.path != "" {
		return p.path[:len(p.path)-1]
	}
	return p.path + name
}

// place spells where a member lies and what it is.
func place(s sideModel, f model.Flat) string {
	if f.Bits != nil {
		return fmt.Sprintf("%d bits at bit %s", f.Bits.Width, num(f.Bit))
	}
	return fmt.Sprintf("offset %s, size %s, %s", num(f.At), num(f.Size), s.c(f.Type))
}
