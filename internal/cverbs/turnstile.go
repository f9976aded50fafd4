package cverbs

import (
	"structs"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goverbs/ibv/internal/membarrier"
)

// A Turnstile keeps calls out of an object while somebody wants it for itself, and counts what they return. Calls name the turn of the turnstile that they know,
// and are refused at any other. That costs them next to nothing: the thread notes where it is, and those who shut the turnstile look at all
// threads. The zero value is no turnstile: see NewTurnstile. C has the same struct.
type Turnstile struct {
	_      structs.HostLayout
	turn   atomic.Uint64
	object unsafe.Pointer // in C memory
	fenced uint64
	counts [turnstileThreads + 1]atomic.Uint64
}

const turnstileThreads = 15

// C asserts the same.
var (
	_ [152]byte = [unsafe.Sizeof(Turnstile{})]byte{}
	_ [8]byte   = [unsafe.Offsetof(Turnstile{}.object)]byte{}
	_ [16]byte  = [unsafe.Offsetof(Turnstile{}.fenced)]byte{}
	_ [24]byte  = [unsafe.Offsetof(Turnstile{}.counts)]byte{}
)

// NewTurnstile makes a turnstile that is open, of an object in C memory.
func NewTurnstile(object unsafe.Pointer) *Turnstile {
	g := &Turnstile{object: object}
	if membarrier.Unavailable() != "" {
		g.fenced = 1
	}
	return g
}

// Turn is the turnstile's turn, for calls; while it is shut, one that is past. What was done before the turnstile was opened last is visible then.
func (g *Turnstile) Turn() uint64 { return g.turn.Load() &^ 1 }

// Count is the sum of what calls have counted; what they did before that is visible.
func (g *Turnstile) Count() (n uint64) {
	for i := range g.counts {
		n += g.counts[i].Load()
	}
	return n
}

// Shut keeps calls out until Open, and returns when none is within. It is for one at a time, and for turnstiles that are open.
func (g *Turnstile) Shut() {
	g.turn.Store(g.turn.Load() + 1)
	if g.fenced == 0 {
		membarrier.Fence()
	}
	// A call takes well below a microsecond, unless its thread has lost its processor.
	for pause := time.Microsecond; g.busy(); pause = min(2*pause, time.Millisecond) {
		time.Sleep(pause)
	}
}

// Open lets calls in again that have seen it.
func (g *Turnstile) Open() { g.turn.Store(g.turn.Load() + 1) }
