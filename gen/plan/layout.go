package plan

import (
	"fmt"
	"slices"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

// A layouter lays out aggregates for one architecture.
type layouter struct {
	*planner
	arch string
	busy map[string]bool // aggregates being laid out, to notice one that contains itself

	nested []*shape // unnamed bodies met in the aggregate being laid out
}

// A shape is the Go form of an aggregate on one architecture.
type shape struct {
	types       []Type // its own, then those of unnamed bodies in it
	checks      []Check
	size, align int64 // Go's; the size is C's too
}

func (s *shape) main() *Type { return &s.types[0] }

type memoKey struct{ name, arch string }

// A place is where a type or member stands.
type place struct {
	pos    string
	item   string         // struct ibv_send_wr
	goType string         // SendWR
	path   string         // of members, for the overlay: "wr.rdma."
	ov     overlay.Struct // of the outermost aggregate
	member string         // C name of the member in question
	since  string         // release of the member, or of what is around it
	depth  int
}

func (l *layouter) fail(at place, format string, args ...any) error {
	if at.member != "" {
		format = "member " + clean(at.path+at.member) + ": " + format
	}
	return l.errorf(at.pos, at.item, format, args...)
}

// goName is the member's Go name.
func (at place) goName() string {
	if at.overlay().Raw {
		return "Raw" + camel(at.member)
	}
	return camel(at.member)
}

// overlay is what the overlay says of the member.
func (at place) overlay() overlay.Member { return at.ov.Members[at.path+at.member] }

// of is the place of one member.
func (at place) of(m *model.Member) place {
	at.member = m.Name
	if m.Pos != "" {
		at.pos = m.Pos
	}
	if m.Since != "" {
		at.since = m.Since
	}
	return at
}

// inside is the place of the members of a named member's unnamed body.
func (at place) inside(goType string) place {
	at.path += at.member + "."
	at.goType, at.member = goType, ""
	at.depth++
	return at
}

// shapeOf lays out a struct or union: a declared one once, an unnamed body where it stands.
func (l *layouter) shapeOf(t *model.Type, at place) (*shape, error) {
	if t.Body == nil {
		return l.declared(t.Name, at)
	}
	if at.depth > maxDepth {
		return nil, l.fail(at, "nested too deep")
	}
	goType := at.goType + at.goName()
	c := fmt.Sprintf("%s %s%s of %s", l.cName(&model.Aggregate{Union: t.Body.Union}), at.path, at.member, at.item)
	s, err := l.lay(t.Body, at.inside(goType), want{goType: goType, c: []string{"the " + c}, since: at.since})
	if err != nil {
		return nil, err
	}
	l.nested = append(l.nested, s)
	return s, nil
}

// declared lays out the aggregate of the C name.
func (l *layouter) declared(name string, at place) (*shape, error) {
	key := memoKey{name, l.arch}
	if s := l.memo[key]; s != nil {
		return s, nil
	}
	a := l.aggs[name]
	switch {
	case a == nil:
		return nil, l.fail(at, "%s is not declared", name)
	case a.Opaque && a.Size.At(l.arch) == 0 && at.member != "":
		return nil, l.fail(at, "%s is incomplete", l.cName(a))
	case l.busy[name]:
		return nil, l.fail(at, "%s contains itself", l.cName(a))
	}
	l.busy[name] = true
	defer delete(l.busy, name)
	outer := l.nested
	l.nested = nil
	in := place{pos: a.Pos, item: l.cName(a), goType: l.goNames[name], ov: l.structOverlay(a), since: a.Since}
	s, err := l.lay(a, in, want{
		goType: in.goType, c: append([]string{in.item}, l.otherC[name]...), since: a.Since, doc: in.ov.Doc,
		front: slices.Contains(l.ov.Front, name),
	})
	if err != nil {
		return nil, err
	}
	for _, n := range l.nested {
		s.types, s.checks = append(s.types, n.types...), append(s.checks, n.checks...)
	}
	l.nested = outer
	l.memo[key] = s
	return s, nil
}

// structOverlay is what the overlay says of a, under its own name or an alias.
func (p *planner) structOverlay(a *model.Aggregate) overlay.Struct {
	if o, ok := p.ov.Structs[a.Name]; ok {
		return o
	}
	for _, c := range p.otherC[a.Name] {
		if o, ok := p.ov.Structs[c]; ok {
			return o
		}
	}
	return overlay.Struct{}
}
