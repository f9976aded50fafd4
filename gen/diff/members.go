package diff

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// members compares the members of p.
func (p *pair) members() {
	for _, f := range p.before {
		n, ok := p.newOf[f.Name]
		if ok {
			p.kept(f, n)
			continue
		}
		ch := Change{Item: p.item, Member: p.member(f.Name), Old: place(p.c.old, f)}
		class := Incompatible
		if model.IsReserved(f.Name) {
			class, ch.Note = Compatible, "it was reserved"
		}
		p.c.add(RemovedName, class, ch)
	}
	for _, f := range p.now {
		if _, ok := p.oldOf[f.Name]; !ok {
			p.added(f)
		}
	}
}

// kept compares a member that both have.
func (p *pair) kept(o, n model.Flat) {
	ch := Change{Item: p.item, Member: p.member(o.Name)}
	if model.IsReserved(o.Name) {
		// Nobody reads it, and what took its place is judged on its own.
		ch.Old, ch.New, ch.Note = place(p.c.old, o), place(p.c.new, n), "it is reserved"
		if ch.Old != ch.New && !(p.front && o.Size.Equal(n.Size)) {
			p.c.add(ChangedMember, Compatible, ch)
		}
		return
	}
	if want := o.At.Add(p.shift); !want.Equal(n.At) {
		ch.Old, ch.New = span(o.At, n.At)
		ch.Old = "offset " + ch.Old
		if p.front {
			ch.Old, ch.New = span(p.o.Size.Sub(o.At), p.n.Size.Sub(n.At))
			ch.Old += " before the end"
		}
		p.c.add(MovedMember, Incompatible, ch)
	} else if o.Bits != nil && n.Bits != nil && !o.Bit.Add(p.shift.Mul(8)).Equal(n.Bit) {
		ch.Old, ch.New = span(o.Bit, n.Bit)
		ch.Old = "bit " + ch.Old
		p.c.add(MovedMember, Incompatible, ch)
	}
	p.changed(o, n)
	if ob, nb := o.Type.Unnamed(), n.Type.Unnamed(); ob != nil && nb != nil {
		body := p.c.pair(ob, nb, p.item, p.path+o.Name+".")
		body.whole()
		body.members()
	}
}

// changed compares what a member is, wherever it lies.
func (p *pair) changed(o, n model.Flat) {
	class := Incompatible
	ch := Change{Item: p.item, Member: p.member(o.Name)}
	switch {
	case (o.Bits == nil) != (n.Bits == nil) || o.Bits != nil && o.Bits.Width != n.Bits.Width:
		ch.Old, ch.New = place(p.c.old, o), place(p.c.new, n)
	case !o.Size.Equal(n.Size):
		ch.Old, ch.New = span(o.Size, n.Size)
		ch.Old = "size " + ch.Old
	case same(o.Type, n.Type):
		return
	default:
		ch.Old, ch.New = p.c.old.c(o.Type), p.c.new.c(n.Type)
		if p.c.old.pass(o.Type) == p.c.new.pass(n.Type) {
			class, ch.Note = Compatible, "the same width and sign"
		}
	}
	p.c.add(ChangedMember, class, ch)
}

// added judges a member that only the new header has, by the bytes that it takes.
func (p *pair) added(n model.Flat) {
	ch := Change{Item: p.item, Member: p.member(n.Name), New: place(p.c.new, n)}
	worst, note := p.takes(n, model.Archs[0])
	for _, arch := range model.Archs[1:] {
		if where, why := p.takes(n, arch); where > worst {
			worst, note = where, why
		}
	}
	ch.Note = note
	switch worst {
	case onMember:
		p.c.add(InsertedMember, Incompatible, ch)
	case onReserved, inHole:
		p.c.add(ReservedGivenName, Compatible, ch)
	default:
		if bit := p.maskBit(n.Name); bit != "" {
			ch.Note = "mask bit " + bit
		}
		p.c.add(AppendedMember, Compatible, ch)
	}
}

// Whose bytes a new member takes, the worst last.
const (
	onNothing  = iota // beyond all members, or before them where the struct grows at its front
	besides           // in a union, besides another member
	inHole            // between two members
	onReserved        // those of a reserved member
	onMember          // those of a member
)

// takes says whose bytes n takes on one architecture.
func (p *pair) takes(n model.Flat, arch string) (where int, note string) {
	shift := 8 * p.shift.At(arch)
	start, end := bitRange(n, arch)
	last := int64(0) // where old members end
	where = onNothing
	for _, o := range p.before {
		oStart, oEnd := bitRange(o, arch)
		oStart, oEnd = oStart+shift, oEnd+shift
		last = max(last, oEnd)
		if oEnd <= start || end <= oStart {
			continue
		}
		now, kept := p.newOf[o.Name]
		if kept {
			if s, e := bitRange(now, arch); s < end && start < e {
				return besides, "shares bytes with " + o.Name
			}
		}
		if model.IsReserved(o.Name) {
			where, note = max(where, onReserved), fmt.Sprintf("bytes of %s", o.Name)
			continue
		}
		where, note = onMember, fmt.Sprintf("bytes of %s", o.Name)
	}
	switch {
	case where != onNothing:
		return where, note
	case p.front && end <= shift:
		return onNothing, "at the front"
	case start < last:
		return inHole, "was padding"
	case end <= 8*p.o.Size.At(arch)+shift:
		return onNothing, "was padding"
	}
	return onNothing, ""
}

// bitRange returns the bits that f takes on one architecture.
func bitRange(f model.Flat, arch string) (start, end int64) {
	if f.Bits != nil {
		start = f.Bit.At(arch)
		return start, start + int64(f.Bits.Width)
	}
	start = 8 * f.At.At(arch)
	return start, start + 8*f.Size.At(arch)
}
