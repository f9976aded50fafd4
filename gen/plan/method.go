package plan

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// address is the Go type of pointers that Go cannot or must not have as such.
const address = "uintptr"

// inC is what the comment of a method says about an address.
const inC = "an address in C memory"

// access adds methods for a member that lies at the start of st.
func (b *builder) access(m *model.Member, at place, r resolved, note string, st storage) error {
	a := Accessor{Go: at.goName(), C: m.Name, CType: b.cType(m, ""), Type: r.t, Storage: st.field, Size: r.size, Form: Value, Set: true}
	switch {
	case r.align > st.unit:
		a.Form, a.Bytes = Copied, st.unit == 1 && st.size == r.size
	case r.whole:
		a.Form, a.Set = InPlace, false
	}
	if r.pointer {
		note = joinNotes(inC, note)
	}
	b.explain(&a, wrap(at.overlay().Doc), joinNotes(note, b.history.note(m.Since, b.want.since)))
	return b.accessor(a, at)
}

// tail adds a method for a flexible array at an offset of the type, or in the storage field of a union.
func (b *builder) tail(m *model.Member, at place, field string, off int64, r resolved) error {
	if off < 0 || off > b.size {
		return b.fail(at, "offset %d is outside the %d bytes around it", off, b.size)
	}
	if off%r.align != 0 || r.align > b.limit {
		return b.fail(at, "a misaligned flexible array of %s", r.t)
	}
	a := Accessor{Go: at.goName(), C: m.Name, CType: b.cType(m, ""), Type: r.t, Form: Tail}
	if field != "" {
		a.Storage = field
	} else {
		a.Places = []Place{{"offsetOf" + b.t.Go + "_" + a.Go, off}}
	}
	b.explain(&a, wrap(at.overlay().Doc), b.history.note(m.Since, b.want.since))
	return b.accessor(a, at)
}

// accessor records a's methods.
func (b *builder) accessor(a Accessor, at place) error {
	if err := b.name(a.Go, at); err != nil {
		return err
	}
	if a.Set {
		if err := b.name("Set"+a.Go, at); err != nil {
			return err
		}
	}
	b.t.Accessors = append(b.t.Accessors, a)
	return nil
}

// explain writes the comments of a's methods.
func (b *builder) explain(a *Accessor, doc []string, note string) {
	text := ""
	switch a.Form {
	case InPlace:
		text = fmt.Sprintf("%s points to %s (%s).", a.Go, a.C, a.CType)
	case Tail:
		text = fmt.Sprintf("%s returns the first n elements of %s (%s), which the memory behind the receiver must have.",
			a.Go, a.C, a.CType)
	case BitField:
		text = fmt.Sprintf("%s returns %s (%s, a bit-field of %d).", a.Go, a.C, a.CType, a.Bits.Width)
	default:
		text = fmt.Sprintf("%s returns %s (%s).", a.Go, a.C, a.CType)
	}
	if note != "" {
		text = fmt.Sprintf("%s: %s.", text[:len(text)-1], note)
	}
	a.Doc = wrap(text)
	if len(doc) > 0 {
		a.Doc = append(append(a.Doc, ""), doc...)
	}
	if a.Set {
		a.SetDoc = wrap(fmt.Sprintf("Set%s sets %s.", a.Go, a.C))
	}
}
