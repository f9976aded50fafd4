package ring

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/release"
)

// line is how far apart is what two threads write: IBVGO_RING_LINE.
const line = 128

// A shared is struct ibvgo_ring, as ring.h has it, up to the entries.
type shared struct {
	tail atomic.Uint64 // up to where entries are there; the producer's
	news atomic.Uint64 // grows when there is more to be told than completions
	seen uint64        // the producer's alone
	_    [line - 24]byte
	head atomic.Uint64 // up to where entries are free again; the consumer's
	_    [line - 8]byte
	mask uint64
	// The consumer sleeps, or is about to.
	sleeping atomic.Uint32
	_        [line - 12]byte
}

// A Ring is the consumer's side of a ring. One goroutine at a time may use it, but for Tell.
type Ring struct {
	shared  *shared
	entries []ibv.WC // right behind it
	memory  []byte   // both, with room to align them

	// The consumer's own.
	taken    uint64 // up to where entries were given out by Next
	released uint64 // up to where they were given back: what shared.head says
	tail     uint64 // what is known of shared.tail
	heard    uint64 // what is known of shared.news

	late []ibv.WC // what comes behind all entries, once the producer has ended
}

// New makes a ring of n entries, or of the next power of two. Its memory is Go's, so that a batch that somebody still has is never memory of something else; it has to
// be pinned while a producer has it, and holds no pointers.
func New(n int) *Ring {
	size := 1 << bits.Len(uint(max(n, 1)-1))
	memory := make([]byte, line+int(unsafe.Sizeof(shared{}))+size*int(unsafe.Sizeof(ibv.WC{})))
	at := unsafe.Pointer(unsafe.SliceData(memory))
	at = unsafe.Add(at, -uintptr(at)%line)
	r := &Ring{shared: (*shared)(at), memory: memory}
	r.entries = unsafe.Slice((*ibv.WC)(unsafe.Add(at, unsafe.Sizeof(shared{}))), size)
	r.shared.mask = uint64(size - 1)
	return r
}

// Raw returns the struct ibvgo_ring, which is the ring's memory.
func (r *Ring) Raw() unsafe.Pointer { return unsafe.Pointer(r.shared) }

// Len returns the number of entries.
func (r *Ring) Len() int { return len(r.entries) }

// Taken returns how many entries were given out so far.
func (r *Ring) Taken() uint64 { return r.taken }

// Produced returns how many entries were put in so far. Any goroutine may call it.
func (r *Ring) Produced() uint64 { return r.shared.tail.Load() }

// Quiet reports that there is nothing to be done: no entry, none to give back, and no news.
func (r *Ring) Quiet() bool {
	// What was given back can be no more than what was given out, and that no more than what is there: if the first is all there is, so is the second.
	return r.shared.tail.Load() == r.released && r.shared.news.Load() == r.heard
}

// Next gives the last batch back, and returns the next one: entries that lie one behind the other, in the ring itself; nil if there are none. They stay as they are
// until the next call or Release.
func (r *Ring) Next() []ibv.WC {
	r.Release()
	if r.taken == r.tail {
		// Acquires: the producer has filled the entries before it stored the tail, and only now may they be read. Go's loads do that, and more.
		if r.tail = r.shared.tail.Load(); r.taken == r.tail {
			return nil
		}
	}
	from := r.taken & uint64(len(r.entries)-1)
	to := min(from+r.tail-r.taken, uint64(len(r.entries)))
	r.taken += to - from
	return r.entries[from:to:to]
}

// Late gives the last batch back, and returns what there was no room for when the producer has ended; nil if there was nothing, or it has been returned. What is in
// the ring comes first.
func (r *Ring) Late() (wc []ibv.WC) {
	r.Release()
	wc, r.late = r.late, nil
	return wc
}

// Release gives the last batch back to the producer.
func (r *Ring) Release() {
	if r.released != r.taken {
		r.released = r.taken
		// Releases: the entries were read before, and only now may they be written again.
		release.Store64(&r.shared.head, r.taken)
	}
}

// Heard is called with what News has returned once everything of that was dealt with.
func (r *Ring) Heard(news uint64) { r.heard = news }

// Unheard reports whether there is something to be told that Heard has not been called with.
func (r *Ring) Unheard(news uint64) bool { return news != r.heard }

// News returns how often there was something to be told.
func (r *Ring) News() uint64 { return r.shared.news.Load() }

// Tell has Quiet report false until the consumer has heard of it, and reports whether the consumer sleeps: then the caller, and nobody else, has
// to wake it. Any goroutine may call it.
func (r *Ring) Tell() bool {
	r.shared.news.Add(1)
	return r.shared.sleeping.Load() != 0 && r.shared.sleeping.Swap(0) != 0
}

// Doze says that the consumer is about to sleep, and reports whether it may: whoever puts something into the ring from now on wakes it.
func (r *Ring) Doze() bool {
	// Both are sequentially consistent, and so are the producer's store of the tail and its look at this, in that order: one of the two sees the
	// other.
	r.shared.sleeping.Store(1)
	if r.Quiet() {
		return true
	}
	r.Awake()
	return false
}

// Awake says that the consumer does not sleep. A call to wake it may be under way.
func (r *Ring) Awake() { r.shared.sleeping.Store(0) }
