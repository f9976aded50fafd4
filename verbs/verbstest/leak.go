package verbstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/verbs"
)

// leakKinds has the first words of objects' names, what needs others before these, and where each is counted.
var leakKinds = []struct {
	name  string
	count func(*Objects) *int
}{
	{"qp ", func(o *Objects) *int { return &o.QPs }},
	{"rwq_ind_table ", func(o *Objects) *int { return &o.RWQIndTables }},
	{"wq ", func(o *Objects) *int { return &o.WQs }},
	{"cq ", func(o *Objects) *int { return &o.CQs }},
	{"channel ", func(o *Objects) *int { return &o.CompChannels }},
	{"mr ", func(o *Objects) *int { return &o.MRs }},
	{"pd ", func(o *Objects) *int { return &o.PDs }},
	{"context ", func(o *Objects) *int { return &o.Contexts }},
}

func leakKind(name string) int {
	for i, k := range leakKinds {
		if strings.HasPrefix(name, k.name) {
			return i
		}
	}
	return len(leakKinds) - 1
}

// leakReport tells what is still open, and which handles are lost, in the order in which they would have to be closed.
func (d *Device) leakReport() string {
	leaks := d.Leaks()
	for i := range leaks {
		if leaks[i].Object == d.Device().Name() { // which is what a context is called elsewhere
			leaks[i].Object = "context of " + leaks[i].Object
		}
	}
	slices.SortStableFunc(leaks, func(a, b verbs.Leak) int { return leakKind(a.Object) - leakKind(b.Object) })
	open := d.Objects()
	var b strings.Builder
	for _, l := range leaks {
		*leakKinds[leakKind(l.Object)].count(&open)--
		fmt.Fprintf(&b, "\nnobody has closed %s, and its handle is lost; it was made here:\n%s", l.Object, l.Stack)
	}
	if open.Total() != 0 {
		return fmt.Sprintf("\nstill open, and not known to be lost: %v", open) + b.String()
	}
	return b.String()
}
