package plan

// A scope notices two C names that give one Go name.
type scope map[string]origin

type origin struct{ c, pos string }

// add records that the C item c gives the Go name.
func (p *planner) add(s scope, name, c, pos string) error {
	if old, ok := s[name]; ok {
		return p.errorf(pos, c, "its Go name %s is also that of %s (%s)", name, old.c, p.where(old.pos))
	}
	s[name] = origin{c, pos}
	return nil
}

// reserve records a Go name that the generator itself uses.
func (s scope) reserve(names ...string) {
	for _, n := range names {
		s[n] = origin{"a helper of the generated package", "verbsgen"}
	}
}
