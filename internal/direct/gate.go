package direct

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goverbs/ibv/internal/membarrier"
	"github.com/goverbs/ibv/internal/release"
)

// A Gate is the way to one C function, with one object as its first argument. It is for one caller at a time, its owner; Shut and Open are
// for those who want owners out, of whom there may be one at a time, too. The assembly knows where the fields are.
type Gate struct {
	busy   atomic.Uint32 // the owner is in
	turn   atomic.Uint32 // odd: shut. Each Shut and Open goes to the next
	seen   uint32        // the turn that the owner knows; its own
	least  uint32
	level  *uint32 // a call needs *level to be from least
	span   uint32  // to least + span
	stack  uintptr // the end of the stack
	fn     uintptr
	object uintptr
	count  *atomic.Uint64 // see Count. With this a cache line is full
}

// What calls return if they have called nothing, and what is added to the result of a poll or post if the owner is still in.
const (
	Refused = math.MinInt64
	Held    = 1 << 32
)

// NewGate makes a gate that is open, on a stack that no other gate uses. fn is a C function whose first argument is object, and which has
// two more, or fewer, none wider than a pointer, and returns an int.
//
// Calls are refused while *level, which has to exist while the gate is open, is not from least to most.
func NewGate(s *Stack, fn, object uintptr, level *uint32, least, most uint32) *Gate {
	return &Gate{level: level, least: least, span: most - least, stack: s.end(), fn: fn, object: object}
}

// Call enters, and calls the function, with two more arguments: a number, or a pointer that does not outlive the call, and a pointer. It returns the
// function's result, and the owner is in until Leave. If the gate is not as the owner has last seen it, or the level is out of
// its bounds, the result is Refused, and the owner is not in.
func (g *Gate) Call(a uintptr, b unsafe.Pointer) int { return call(g, a, b) }

// Count has polls by this gate add what they get to n from now on; nil: they do not count. That is for gates that are shut, or nobody's yet. Nobody else
// may write to n meanwhile.
func (g *Gate) Count(n *atomic.Uint64) { g.count = n }

// Counted adds to the count, for an owner who is in, and reports whether the gate counts.
func (g *Gate) Counted(n int) bool {
	if g.count == nil {
		return false
	}
	g.count.Store(g.count.Load() + uint64(n)) // nobody else writes
	return true
}

// Enter is Call that calls nothing, and does not look at the level; it reports whether the owner is in.
func (g *Gate) Enter() bool { return enter(g) != 0 }

// Leave ends a call, after all that was done before, as seen by whoever waits in Shut.
func (g *Gate) Leave() { release.Store32(&g.busy, 0) }

// See is for the owner after a call was refused, at a time when nobody had shut the gate: from now on calls go through unless it is shut
// anew. It does nothing while the gate is shut.
func (g *Gate) See() {
	if turn := g.turn.Load(); turn&1 == 0 {
		g.seen = turn
	}
}

// Shut keeps the owners of gates out until Open, and returns when none is in. What they did in calls before is visible then. It may be called
// when a gate is shut, which does nothing to that.
func Shut(gates ...*Gate) {
	shut := false
	for _, g := range gates {
		if turn := g.turn.Load(); turn&1 == 0 {
			g.turn.Store(turn + 1)
			shut = true
		}
	}
	if !shut {
		return
	}
	membarrier.Fence()
	for _, g := range gates {
		// A call takes well below a microsecond, unless its thread has lost its processor, or the goroutine its thread before it left.
		for pause := time.Microsecond; g.busy.Load() != 0; pause = min(2*pause, time.Millisecond) {
			time.Sleep(pause)
		}
	}
}

// Open lets the owner in again, after it has noticed: see See. What was done before is visible to it then.
func (g *Gate) Open() {
	if turn := g.turn.Load(); turn&1 != 0 {
		g.turn.Store(turn + 1)
	}
}
