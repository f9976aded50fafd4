package verbs

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/goverbs/ibv/internal/direct"
)

// slots account for the places of a send queue. A request takes one until the completion of the first signalled request from it on has
// been polled. They are the send queue's, and for whoever has its mu.
type slots struct {
	direct.Queue          // since RESET
	room         uint64   // places there are
	tail         uint64   // requests that are known to have left their places, of those posted
	ends         []uint64 // Queue.Ends: right for those signalled after seen at least
	seen         uint64   // completions of signalled ones that tail accounts for
	off          bool     // since a request has failed, nobody can tell how many have ended: there is no end of places

	guard   *guard                  // of the CQ, if its count is that of the completions
	counted uint64                  // up to this count
	polled  uint64                  // completions that the guard has counted for this queue
	tallied atomic.Pointer[tallied] // what the scanner has seen
}

func (q *slots) init(room uint32, all bool) {
	q.room, q.Limit = uint64(room), uint64(room)
	q.tallied.Store(new(tallied))
	if all {
		q.All, q.ends = 1, make([]uint64, 1) // to be written to, and not read
	} else {
		q.ends = make([]uint64, 1<<bits.Len32(room)) // a power of two, since a division costs as much as a lock
	}
	q.Ends, q.Mask = &q.ends[0], uint64(len(q.ends)-1)
}

// countWith makes the guard's count that of this queue's completions.
func (q *sendQueue) countWith(g *guard) {
	q.mu.Lock()
	q.guard, q.counted = g, g.count()
	q.mu.Unlock()
}

// countAlone has the scanner count from now on.
func (q *sendQueue) countAlone() {
	q.mu.Lock()
	q.tallied.Load().done.Store(q.completed())
	q.guard = nil
	q.mu.Unlock()
}

// completed is the number of completions that were polled since RESET. As all that follows, it needs mu.
func (q *slots) completed() uint64 {
	if q.guard == nil {
		return q.tallied.Load().done.Load()
	}
	n := q.guard.count()
	q.polled += (n - q.counted) & countMask
	q.counted = n
	return q.polled
}

// left is how many places are known to be free.
func (q *slots) left() int64 { return int64(q.Limit - q.Posted) }

// free is how many of the wanted places are free.
func (q *slots) free(wanted int) int {
	if q.left() < int64(wanted) {
		q.refresh()
	}
	return int(min(q.left(), int64(wanted)))
}

// giveUp ends counting: there is always room, as far as is known here.
func (q *slots) giveUp() { q.off, q.Limit = true, math.MaxInt64 }

// refresh looks how many requests have ended. A queue that counts with the guard does not see failures, which complete requests that
// are not signalled as well: its tail is then too far ahead, and never behind, until the count shows it.
func (q *slots) refresh() {
	n := q.completed()
	switch {
	case q.off:
		return
	case q.tallied.Load().broken.Load() || n > q.Signalled:
		q.giveUp()
		return
	case n == q.seen:
	case q.All != 0:
		q.tail, q.seen = n, n
	default:
		q.tail, q.seen = q.ends[(n-1)&q.Mask], n
	}
	q.Limit = q.tail + q.room
}

// accept accounts for the first n requests of r, which have been posted as free allowed.
func (q *slots) accept(r *SendRequests, n int) {
	switch {
	case q.off:
		return
	case q.All != 0:
		q.Signalled += uint64(n)
	default:
		q.note(r.signals, n)
	}
	q.Posted += uint64(n)
}

// acceptOne is accept for a chain of one request. As direct.Gate's Post, it does no harm if counting has been given up.
func (q *slots) acceptOne(c *direct.Chain) {
	q.Posted++
	q.ends[q.Signalled&q.Mask] = q.Posted // to be overwritten if it is not signalled
	q.Signalled += c.Signal | q.All
}

// note accounts for the signalled ones among the first n requests.
func (q *slots) note(signals []uint64, n int) {
	for w := 0; w*64 < n; w++ {
		set := signals[w]
		if rest := n - w*64; rest < 64 {
			set &= math.MaxUint64 >> (64 - rest)
		}
		for ; set != 0; set &= set - 1 {
			i := w*64 + bits.TrailingZeros64(set)
			q.ends[q.Signalled&q.Mask] = q.Posted + uint64(i) + 1
			q.Signalled++
		}
	}
}

// reset begins anew after the QP went to RESET, at a turn of the CQ's turnstile. It needs the lock of the CQ's guard, too.
func (q *slots) reset(turn uint64) {
	q.Posted, q.tail, q.Signalled, q.seen, q.polled = 0, 0, 0, 0, 0
	if q.guard != nil {
		q.counted = q.guard.count()
	}
	q.tallied.Store(&tallied{born: turn})
	q.off, q.Limit = false, q.room
}
