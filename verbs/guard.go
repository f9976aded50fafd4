package verbs

import (
	"sync"
	"sync/atomic"
)

// A guard lets calls on an object run side by side with each other and with what needs the object for itself: Close above all. The word
// that counts the calls counts something else besides, at no cost: a CQ the completions that were polled.
type guard struct {
	word   atomic.Uint64
	owner  sync.Mutex    // held between lock and unlock
	closed bool          // under owner: no call gets in any more
	idle   chan struct{} // room for one: the last call has left while somebody waits for it
}

// The word: calls under way, whether somebody wants the object for itself, and the count.
const (
	guardCalls  = 1<<24 - 1
	guardLocked = 1 << 24
	guardCount  = 25 // how far the count is shifted
)

func (g *guard) init() { g.idle = make(chan struct{}, 1) }

// enter begins a call and reports whether it may go on. It waits while the object is locked.
func (g *guard) enter() bool {
	if g.word.Add(1)&guardLocked == 0 {
		return true
	}
	return g.enterLocked()
}

func (g *guard) enterLocked() bool {
	for {
		g.leave(0)
		g.owner.Lock()
		closed := g.closed
		g.owner.Unlock()
		if closed {
			return false
		}
		if g.word.Add(1)&guardLocked == 0 {
			return true
		}
	}
}

// leave ends a call and adds n to the count.
func (g *guard) leave(n int) {
	if g.word.Add(uint64(n)<<guardCount-1)&(guardLocked|guardCalls) == guardLocked {
		select {
		case g.idle <- struct{}{}:
		default:
		}
	}
}

// count is what was counted so far, in the 39 bits that there are: only differences mean anything.
func (g *guard) count() uint64 { return g.word.Load() >> guardCount }

// countMask is for differences of counts.
const countMask = 1<<(64-guardCount) - 1

// lock waits for the calls under way and keeps others waiting until unlock. It reports whether the object is still open; if not, nothing
// is locked. It must not be called within a call on the same object.
func (g *guard) lock() bool {
	g.owner.Lock()
	if g.closed {
		g.owner.Unlock()
		return false
	}
	g.word.Or(guardLocked)
	// A token may be one of an earlier time; the word decides.
	for g.word.Load()&guardCalls != 0 {
		<-g.idle
	}
	return true
}

// unlock lets calls in again, or none ever if the object is closed now.
func (g *guard) unlock(closed bool) {
	g.closed = closed
	if !closed {
		g.word.And(^uint64(guardLocked))
	}
	g.owner.Unlock()
}
