package verbs

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goverbs/ibv/internal/membarrier"
	"github.com/goverbs/ibv/internal/release"
)

// A bias spares whoever posts one and the same chain to a queue again and again the queue's mutex: a chain is for one goroutine at a time, so
// that nobody else comes with it. The mutex's locked instruction would be a good part of what a post through cgo takes beyond C.
type bias struct {
	term atomic.Pointer[term] // nil: there is no bias. Stored by whoever has locked the mutex

	// Of whoever has locked the mutex.
	last   uintptr // the chain that came last
	times  uint32  // so often, one after the other
	enough uint32  // so many times begin a term, but minEnough at least; MaxUint32: never, since there is no fence
}

// A term is a bias towards one chain, from its beginning to its end.
//
// The poster stores in, and then loads the bias's term. Whoever has locked the mutex, and ends the term, stores the bias's, and then loads in. Each load has to come
// after the store before it. On amd64 the poster does without a fence of its own, since the other calls membarrier.Fence between the two;
// elsewhere its store and load are in order by themselves. That fence takes microseconds, so the more often a queue's terms have ended the longer it takes until the
// next, for good.
//
// Each term has a word of its own: a poster who has lost his processor on the way in, and comes back to one that is long over, does not touch the word of another.
type term struct {
	chain uintptr       // see chainOf
	in    atomic.Uint32 // the chain's poster is in
	_     [48]byte      // a cache line of its own
}

// How often a chain has to come again, at first and at most.
const (
	minEnough = 16
	maxEnough = 1 << 20
)

// chainOf is how a bias knows a chain: by the address, which does not keep it in memory. When it is gone another may have that address, and comes in by the
// same bias; so it may, as nobody is in with the first.
func chainOf[T any](r *T) uintptr { return uintptr(unsafe.Pointer(r)) }

// enter lets the poster of a chain in, until leave, if the bias is towards that; otherwise it returns nil. It looks at in to have seen what was done until the last
// leave, and so that two who come with the same chain at once, against the rules, are let in one by one, mostly.
func (b *bias) enter(chain uintptr) *term {
	t := b.term.Load()
	if t == nil || t.chain != chain || t.in.Load() != 0 {
		return nil
	}
	release.Store32(&t.in, 1)
	if b.term.Load() == t {
		return t
	}
	release.Store32(&t.in, 0)
	return nil
}

// leave ends what enter has begun, after all that was done since, as seen by whoever ends the term.
func (t *term) leave() { release.Store32(&t.in, 0) }

// learn takes note of a chain that has come, and may begin a term. It is for whoever has locked the mutex, so that there is none yet.
func (b *bias) learn(chain uintptr) {
	if chain != b.last {
		b.last, b.times = chain, 0
		return
	}
	if b.times++; b.times >= max(b.enough, minEnough) && chain != 0 {
		b.begin(chain, membarrier.Unavailable())
	}
}

// begin begins a term, unless there is no fence to end it.
func (b *bias) begin(chain uintptr, unavailable string) {
	b.times = 0
	if unavailable != "" {
		b.enough = math.MaxUint32
		return
	}
	b.term.Store(&term{chain: chain})
}

// end is for whoever has locked the mutex: it waits for the poster who is in, and keeps him out from then on.
func (b *bias) end() {
	b.enough = min(4*max(b.enough, minEnough), maxEnough)
	b.last, b.times = 0, 0
	t := b.term.Swap(nil)
	membarrier.Fence()
	// A post is short, unless its thread has lost its processor.
	for pause := time.Microsecond; t.in.Load() != 0; pause = min(2*pause, time.Millisecond) {
		time.Sleep(pause)
	}
}
