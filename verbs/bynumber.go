package verbs

import (
	"iter"
	"maps"
)

// A byNumber finds queues by QP number. It is never changed: with and without make another one, which has all but one of its parts in common
// with it, so that a queue that comes or goes costs little where there are thousands. nil is empty.
type byNumber[Q any] struct {
	n     int
	parts [256]map[uint32]Q
}

// part is where a number is. Some devices leave bits of their numbers 0.
func (*byNumber[Q]) part(number uint32) uint8 { return uint8(number ^ number>>8 ^ number>>16) }

// len is how many queues there are.
func (b *byNumber[Q]) len() int {
	if b == nil {
		return 0
	}
	return b.n
}

// get is the queue of a number; the zero value: there is none.
func (b *byNumber[Q]) get(number uint32) (q Q) {
	if b == nil {
		return q
	}
	return b.parts[b.part(number)][number]
}

// all are the queues.
func (b *byNumber[Q]) all() iter.Seq[Q] {
	return func(yield func(Q) bool) {
		if b == nil {
			return
		}
		for _, part := range b.parts {
			for _, q := range part {
				if !yield(q) {
					return
				}
			}
		}
	}
}

// with has q as the queue of a number.
func (b *byNumber[Q]) with(number uint32, q Q) *byNumber[Q] {
	return b.change(number, func(part map[uint32]Q) { part[number] = q })
}

// without has no queue of a number.
func (b *byNumber[Q]) without(number uint32) *byNumber[Q] {
	return b.change(number, func(part map[uint32]Q) { delete(part, number) })
}

// change is a copy in which the part of a number is changed by f.
func (b *byNumber[Q]) change(number uint32, f func(part map[uint32]Q)) *byNumber[Q] {
	c := new(byNumber[Q])
	if b != nil {
		*c = *b
	}
	at := &c.parts[c.part(number)]
	before := len(*at)
	if *at = maps.Clone(*at); *at == nil {
		*at = make(map[uint32]Q)
	}
	f(*at)
	c.n += len(*at) - before
	return c
}
