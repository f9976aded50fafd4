package verbs

import (
	"maps"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/goverbs/ibv"
)

// A scanner is what a CQ knows of the queues that it serves, so that they learn how many of their requests have ended. Polling calls
// retire with the completions that it got, and lose when completions are gone without having been seen. A new one replaces it at each change,
// which is under the guard's lock only: whoever has loaded it at some turn of the turnstile, and polled at that turn, has the right one.
type scanner struct {
	queues int                   // that the CQ has ever served
	alone  *sendQueue            // the only one so far, which needs no look at completions: the guard counts them
	sends  map[uint32]*sendQueue // by QP number, once there were several queues
}

// A tallied is what was seen of a send queue's completions since RESET.
type tallied struct {
	born   uint64        // the turn from which on completions are those: before, they were an earlier life's
	done   atomic.Uint64 // completions of success
	broken atomic.Bool   // a completion that does not count
}

// held is the turn for those who have what was polled within the guard, or by their own gate, so that no later turn can begin.
const held = math.MaxUint64

// at is what completions that were polled at a turn are to be told to; nil if they are nobody's any more, or q is nil.
func (q *sendQueue) at(turn uint64) *tallied {
	if q == nil {
		return nil
	}
	if t := q.tallied.Load(); t.born <= turn {
		return t
	}
	return nil
}

// retire tells the send queues what was polled, at a turn of the CQ's turnstile.
func (s *scanner) retire(wc []ibv.WC, turn uint64) {
	if len(s.sends) > 0 {
		s.scan(wc, turn)
	}
}

func (s *scanner) scan(wc []ibv.WC, turn uint64) {
	var q *tallied
	var number uint32
	n := uint64(0) // completions of q that it has not been told of
	for i := range wc {
		w := &wc[i]
		ok := w.Status == ibv.IBV_WC_SUCCESS
		if ok && w.Opcode&ibv.IBV_WC_RECV != 0 {
			continue
		}
		if q == nil || number != w.QPNum {
			if q != nil {
				q.done.Add(n)
			}
			n, number = 0, w.QPNum
			if q = s.sends[number].at(turn); q == nil {
				continue
			}
		}
		if ok {
			n++
		} else {
			// The opcode of a failed request is not valid, and one that was not signalled has a completion as well.
			q.broken.Store(true)
		}
	}
	if q != nil {
		q.done.Add(n)
	}
}

// lose has the send queues give up counting: completions are gone, and their requests would count as outstanding for ever. It is called
// within a call on the CQ.
func (s *scanner) lose() {
	if q := s.alone; q != nil {
		q.tallied.Load().broken.Store(true)
	}
	for _, q := range s.sends {
		q.tallied.Load().broken.Store(true)
	}
}

// serve tells a CQ of a queue that will complete into it; q is nil if that receives. The queue is a child of the CQ already, and nothing
// was posted to it. Once a CQ has had a second queue its completions are looked at: those of a queue that is gone may come even later.
func (c *CQ) serve(q *sendQueue) {
	if c.ring != nil {
		c.ring.serve(c, q)
		return
	}
	if !c.lock() {
		return
	}
	defer c.unlock(false)
	s := scanner{queues: 1}
	if old := c.scan.Load(); old != nil {
		s.queues += old.queues
		s.alone, s.sends = old.alone, maps.Clone(old.sends)
	}
	if s.sends == nil {
		s.sends = make(map[uint32]*sendQueue)
	}
	switch {
	case q != nil && s.queues == 1:
		s.alone = q
		q.countWith(&c.guard)
	default:
		if s.alone != nil {
			s.alone.countAlone()
			s.sends[s.alone.number] = s.alone
			s.alone = nil
		}
		if q != nil {
			s.sends[q.number] = q
		}
	}
	c.replace(&s)
}

// dismiss undoes serve for a send queue that is gone. The caller holds the guard's lock.
func (c *CQ) dismiss(q *sendQueue) {
	if c.ring != nil {
		c.ring.dismiss(q)
		return
	}
	s := *c.scan.Load()
	if s.alone == q {
		s.alone = nil
	}
	if s.sends[q.number] == q { // else the number is another's by now
		s.sends = maps.Clone(s.sends)
		delete(s.sends, q.number)
	}
	c.replace(&s)
}

// replace makes s the scanner. The caller holds the guard's lock.
func (c *CQ) replace(s *scanner) {
	c.scan.Store(s)
	c.look(len(s.sends) > 0)
}

// slots account for the places of a send queue. A request takes one until the completion of the first signalled request from it on has
// been polled. They are the send queue's, whose mu guards them.
type slots struct {
	room   uint64 // places there are
	left   int64  // of which so many are known to be free; no end of them if counting has been given up
	all    uint64 // 1: every request is signalled; else 0
	posted uint64 // requests, since RESET
	tail   uint64 // of which so many are known to have left their places
	// ends[k%len(ends)] is the number of requests up to and with the k-th signalled one, for those after seen at least.
	ends      []uint64
	signalled uint64 // requests so far
	seen      uint64 // their completions that tail accounts for
	off       bool   // since a request has failed, nobody can tell how many have ended

	guard   *guard                  // of the CQ, if its count is that of the completions
	counted uint64                  // up to this count
	polled  uint64                  // completions that the guard has counted for this queue
	tallied atomic.Pointer[tallied] // what the scanner has seen
}

func (q *slots) init(room uint32, all bool) {
	q.room, q.left = uint64(room), int64(room)
	q.tallied.Store(new(tallied))
	if all {
		q.all, q.ends = 1, make([]uint64, 1) // to be written to, and not read
	} else {
		q.ends = make([]uint64, 1<<bits.Len32(room)) // a power of two, since a division costs as much as a lock
	}
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

// free is how many of the wanted places are free.
func (q *slots) free(wanted int) int {
	if q.left < int64(wanted) {
		q.refresh()
	}
	return int(min(q.left, int64(wanted)))
}

// giveUp ends counting: there is always room, as far as is known here.
func (q *slots) giveUp() { q.off, q.left = true, math.MaxInt64 }

// refresh looks how many requests have ended. A queue that counts with the guard does not see failures, which complete requests that
// are not signalled as well: its tail is then too far ahead, and never behind, until the count shows it.
func (q *slots) refresh() {
	n := q.completed()
	switch {
	case q.off:
		return
	case q.tallied.Load().broken.Load() || n > q.signalled:
		q.giveUp()
		return
	case n == q.seen:
	case q.all != 0:
		q.tail, q.seen = n, n
	default:
		q.tail, q.seen = q.ends[(n-1)&uint64(len(q.ends)-1)], n
	}
	q.left = int64(q.room - (q.posted - q.tail))
}

// accept accounts for the first n requests of r, which have been posted as free allowed.
func (q *slots) accept(r *SendRequests, n int) {
	switch {
	case q.off:
		return
	case q.all != 0:
		q.signalled += uint64(n)
	default:
		q.note(r.signals, n)
	}
	q.posted += uint64(n)
	q.left -= int64(n)
}

// acceptOne is accept for one request: this is what a direct post takes longest for. signals is 1 for a signalled one, else 0.
func (q *slots) acceptOne(signals uint64) {
	q.left--
	q.posted++
	q.ends[q.signalled&uint64(len(q.ends)-1)] = q.posted // to be overwritten if it is not signalled
	q.signalled += signals | q.all
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
			q.ends[q.signalled&uint64(len(q.ends)-1)] = q.posted + uint64(i) + 1
			q.signalled++
		}
	}
}

// reset begins anew after the QP went to RESET, at a turn of the CQ's turnstile. It needs the lock of the CQ's guard, too.
func (q *slots) reset(turn uint64) {
	q.posted, q.tail, q.signalled, q.seen, q.polled = 0, 0, 0, 0, 0
	if q.guard != nil {
		q.counted = q.guard.count()
	}
	q.tallied.Store(&tallied{born: turn})
	q.off, q.left = false, int64(q.room)
}
