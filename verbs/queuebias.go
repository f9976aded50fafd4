package verbs

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/goverbs/ibv/internal/membarrier"
	"github.com/goverbs/ibv/internal/release"
)

// A bias spares whoever posts one and the same chain to a queue again and again the queue's mutex: a chain is for one goroutine at a time, so
// that nobody else comes with it. The mutex's locked instruction would be a sixth of what a post through cgo takes.
//
// Whoever comes with the chain writes that he is in, and then looks whether it is still the one. Who has the mutex and ends that writes that it is not, and then
// looks whether somebody is in. Neither is to read before its write is visible: for those who come the kernel's fence on the other side
// sees to that, which takes microseconds. So the more often a bias has ended the longer it takes to learn one.
type bias struct {
	chain atomic.Uintptr // the chain's address; 0: there is none. Written by whoever has the mutex
	in    atomic.Uint32  // somebody is in with the chain

	// Of whoever has the mutex.
	last   uintptr // the chain that was posted last
	times  uint32  // so often, one after the other
	enough uint32  // so many times make it the chain, but minEnough at least
}

// How often a chain has to be posted, at first and at most.
const (
	minEnough = 16
	maxEnough = 1 << 20
)

// enter reports whether whoever comes with this chain is in, until leave, without the mutex.
func (b *bias) enter(chain uintptr) bool {
	if b.chain.Load() != chain || chain == 0 {
		return false
	}
	release.Store32(&b.in, 1)
	if b.chain.Load() == chain {
		return true
	}
	release.Store32(&b.in, 0)
	return false
}

// leave ends what enter has begun, after all that was done since, as seen by whoever ends the bias.
func (b *bias) leave() { release.Store32(&b.in, 0) }

// learn takes note of a post of a chain. It is for whoever has the mutex, so that there is no bias.
func (b *bias) learn(chain uintptr) {
	if chain != b.last {
		b.last, b.times = chain, 0
		return
	}
	if b.times++; b.times >= max(b.enough, minEnough) {
		b.begin(chain)
	}
}

func (b *bias) begin(chain uintptr) {
	b.times = 0
	if membarrier.Unavailable() != "" {
		b.enough = math.MaxUint32
		return
	}
	b.chain.Store(chain)
}

// end is for whoever has taken the mutex: it waits for whoever is in, and keeps him out from then on.
func (b *bias) end() {
	b.enough = min(4*max(b.enough, minEnough), maxEnough)
	b.last, b.times = 0, 0
	b.chain.Store(0)
	membarrier.Fence()
	// A post takes well below a microsecond, unless its thread has lost its processor.
	for pause := time.Microsecond; b.in.Load() != 0; pause = min(2*pause, time.Millisecond) {
		time.Sleep(pause)
	}
}
