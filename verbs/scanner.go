package verbs

import (
	"math"
	"sync/atomic"

	"github.com/goverbs/ibv"
)

// A scanner is what a CQ knows of the queues that it serves, so that they learn how many of their requests have ended. Polling calls
// retire with the completions that it got, and lose when completions are gone without having been seen. A new one replaces it at each change,
// which is under the guard's lock only: whoever has loaded it at some turn of the turnstile, and polled at that turn, has the right one.
type scanner struct {
	queues int                   // that the CQ has ever served
	alone  *sendQueue            // the only one so far, which needs no look at completions: the guard counts them
	sends  *byNumber[*sendQueue] // once there were several queues
}

// A tallied is what was seen of a send queue's completions since RESET.
type tallied struct {
	born   uint64        // the turn from which on completions are those: before, they were an earlier life's
	done   atomic.Uint64 // completions of success
	broken atomic.Bool   // a completion that does not count
}

// held is the turn for those who have what was polled within the guard, or by their own gate, so that no later turn can begin.
const held = math.MaxUint64

// now is the turn of the queue's turnstile, and then the scanner. If a poll is let in at that turn the scanner was still the right one.
func (c *CQ) now() (turn uint64, s *scanner) {
	turn = c.turnstile.Turn()
	return turn, c.scan.Load()
}

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
	if s.sends.len() > 0 {
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
			if q = s.sends.get(number).at(turn); q == nil {
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
	for q := range s.sends.all() {
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
		s.alone, s.sends = old.alone, old.sends
	}
	switch {
	case q != nil && s.queues == 1:
		s.alone = q
		q.countWith(&c.guard)
	default:
		if s.alone != nil {
			s.alone.countAlone()
			s.sends = s.sends.with(s.alone.number, s.alone)
			s.alone = nil
		}
		if q != nil {
			s.sends = s.sends.with(q.number, q)
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
	if s.sends.get(q.number) == q { // else the number is another's by now
		s.sends = s.sends.without(q.number)
	}
	c.replace(&s)
}

// replace makes s the scanner. The caller holds the guard's lock.
func (c *CQ) replace(s *scanner) {
	c.scan.Store(s)
	c.look(s.sends.len() > 0)
}
