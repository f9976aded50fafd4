package verbs

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
)

// The order of locks. Somebody who wants an object for itself waits for the calls within it, and keeps new ones waiting meanwhile; so a
// call that waits within one object for another holds up all who want the first. What may be waited for, while what is held:
//
//   - Guards, by enter and by lock, from the objects that need others to those that they need: a QP's before those of its CQ, which Close
//     and the way to IBV_QPS_RESET lock, and of the context, which Connect asks for its port. Never the other way, nor the same guard again,
//     nor one beside it: calls that need several objects enter them by begin, which holds none while it waits. What creates a queue ends
//     these calls before CQ.serve locks the CQ.
//   - QP.modify within a call on the QP, and before the guards of the CQ and the context.
//   - sendQueue.mu, then recvQueue.mu, last of all: within calls on the QP or WQ, within the locks of its guard and the CQ's, or alone, by posts, which enter
//     no guard.
//   - Whoever locks the guard of a CQ or the mutex of a queue waits for the direct calls on it (see direct.Gate), the polls within the CQ's turnstile, and the
//     post that the mutex's bias has let in. These wait meanwhile for nothing but the mutexes that are held for moments.
//   - cqEvents.arming within a call on the CQ, or alone.
//   - object.mu, of an object before those of its children. It and the mutexes of home, cqEvents, channelEvents, asyncReader, ringState and memory
//     are held for moments, and nothing but C's acknowledgements is waited for within.
//
// C's destroys wait within the locks until the readers have acknowledged events. Readers enter no guard, and stop for nobody but the Close of
// their channel or context, which has no children any more. A ring's thread enters no guard, either, so that a call within any lock may wait for it. No lock is held while code of the program's runs.

// A guard lets calls on an object run side by side with each other and with what needs the object for itself: Close above all. The word
// that counts the calls counts something else besides, at no cost: a CQ the completions that were polled.
type guard struct {
	word   atomic.Uint64
	owner  sync.Mutex    // held between lock and unlock
	closed bool          // under owner: no call gets in any more
	idle   chan struct{} // room for one: the last call has left while somebody waits for it

	// For calls that are short and many: they pass it instead of the word, and come back to that if it is shut. It is shut while the object
	// is locked, and for good when it is closed. nil: there are no such calls.
	turnstile *cverbs.Turnstile

	gates   []*direct.Gate // of direct pollers; under owner, and shut while the object is locked
	looks   bool           // they have to look at what they get; under owner
	tallies atomic.Pointer[[]*tally]
}

// A tally is what one direct poller has counted. It stays when that is gone, and is the next one's then, so that the count goes on.
type tally struct {
	n    atomic.Uint64 // written by the poller
	gate *direct.Gate  // the poller's; nil if there is none. Under the guard's owner
	_    [48]byte      // a cache line of its own
}

// look has the gate count, unless the poller has to look at what it gets: then whose completions there are counts, and not how many.
func (t *tally) look(looks bool) {
	if looks {
		t.gate.Count(nil)
	} else {
		t.gate.Count(&t.n)
	}
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
	g.leave(0)
	for g.await() {
		if g.tryEnter() {
			return true
		}
	}
	return false
}

// tryEnter is enter that does not wait: it reports false while the object is locked, and ever after it was closed.
func (g *guard) tryEnter() bool {
	if g.word.Add(1)&guardLocked == 0 {
		return true
	}
	g.leave(0)
	return false
}

// await waits while the object is locked, and reports whether it is still open.
func (g *guard) await() bool {
	g.owner.Lock()
	defer g.owner.Unlock()
	return !g.closed
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
func (g *guard) count() uint64 {
	n := g.word.Load() >> guardCount
	if g.turnstile != nil {
		n += g.turnstile.Count()
	}
	if t := g.tallies.Load(); t != nil {
		for _, t := range *t {
			n += t.n.Load()
		}
	}
	return n & countMask
}

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
	if g.turnstile != nil {
		g.turnstile.Shut()
	}
	direct.Shut(g.gates...)
	return true
}

// unlock lets calls in again, or none ever if the object is closed now.
func (g *guard) unlock(closed bool) {
	g.closed = closed
	if !closed {
		for _, gate := range g.gates {
			gate.Open()
		}
		if g.turnstile != nil {
			g.turnstile.Open()
		}
		g.word.And(^uint64(guardLocked))
	}
	g.owner.Unlock()
}

// attachGate lets a direct poller in by a gate, from now on, and gives it a tally. It reports false if the object is closed. As
// lock, it must not be called within a call on the object.
func (g *guard) attachGate(gate *direct.Gate) (*tally, bool) {
	g.owner.Lock()
	defer g.owner.Unlock()
	if g.closed {
		return nil, false
	}
	g.gates = append(g.gates, gate)
	t := g.freeTally()
	t.gate = gate
	t.look(g.looks)
	return t, true
}

// freeTally is one that no poller has. It needs owner.
func (g *guard) freeTally() *tally {
	var all []*tally
	if t := g.tallies.Load(); t != nil {
		all = *t
	}
	for _, t := range all {
		if t.gate == nil {
			return t
		}
	}
	t := new(tally)
	all = append(slices.Clip(all), t)
	g.tallies.Store(&all)
	return t
}

// look says whether direct pollers have to look at what they get. It needs the lock.
func (g *guard) look(looks bool) {
	g.looks = looks
	if all := g.tallies.Load(); all != nil {
		for _, t := range *all {
			if t.gate != nil {
				t.look(looks)
			}
		}
	}
}

// detachGate shuts a gate for good, and waits for a call that is in.
func (g *guard) detachGate(gate *direct.Gate, t *tally) {
	g.owner.Lock()
	defer g.owner.Unlock()
	direct.Shut(gate)
	g.gates = slices.DeleteFunc(g.gates, func(other *direct.Gate) bool { return other == gate })
	t.gate = nil
}
