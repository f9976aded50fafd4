package direct

import "sync"

// StackSize is how much stack a function has.
const StackSize = 256 << 10

// A Stack is what C runs on: StackSize bytes, of which only those that are used take memory, between pages that nobody may touch.
type Stack struct {
	mapping []byte // with the pages around it
	guard   int    // the size of those
	free    sync.Once
}

// end is where C's stack pointer begins, a multiple of 16 as C wants.
func (s *Stack) end() uintptr { return addressOf(s.mapping) + uintptr(len(s.mapping)-s.guard) }
