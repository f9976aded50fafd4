package verbs

import "github.com/goverbs/ibv"

// ringSends are the send queues whose completions come through a ring.
type ringSends = byNumber[ringSend]

// A ringSend is a send queue that learns how many of its requests have ended when the ring gives their completions out.
type ringSend struct {
	q    *sendQueue
	t    *tallied // of this life of q
	cq   uintptr  // the number of its CQ
	from uint64   // the entry of the ring from which on completions are its own: those before are an earlier life's, or an earlier QP's of its number
}

// change puts what f makes of them in the place of those that there are.
func (s *ringState) change(f func(*ringSends) *ringSends) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sends.Store(f(s.sends.Load()))
}

// serve tells of a send queue that will complete into one of the ring's CQs, or does so from now on anew, since it went to RESET. What it had before is in the
// ring by then, or gone.
func (r *Ring) serve(c *CQ, q *sendQueue) {
	if q == nil {
		return
	}
	r.state.poller.Flush()
	from := r.ring.Produced()
	r.state.change(func(m *ringSends) *ringSends {
		return m.with(q.number, ringSend{q, q.tallied.Load(), c.number, from})
	})
}

// dismiss undoes serve for a send queue that is gone.
func (r *Ring) dismiss(q *sendQueue) {
	r.state.change(func(m *ringSends) *ringSends {
		if m.get(q.number).q != q { // the number is another's by now
			return m
		}
		return m.without(q.number)
	})
}

// restart tells the ring that a send queue's QP went to RESET, and its count begins anew.
func (c *CQ) restart(q *sendQueue) {
	if c.ring != nil {
		c.ring.serve(c, q)
	}
}

// lose has the send queues of a CQ give up counting: see scanner.lose.
func (s *ringState) lose(cq uint64) {
	for e := range s.sends.Load().all() {
		if uint64(e.cq) == cq {
			e.t.broken.Store(true)
		}
	}
}

// count tells the send queues of completions that are given out, of which the first is the ring's entry at.
func (s *ringState) count(wc []ibv.WC, at uint64) {
	if m := s.sends.Load(); m.len() > 0 {
		scanRing(m, wc, at)
	}
}

// scanRing is scanner.scan, but for what is not the queue's own.
func scanRing(m *ringSends, wc []ibv.WC, at uint64) {
	var e ringSend
	var number uint32
	n := uint64(0) // completions of e.q that it has not been told of
	for i := range wc {
		w := &wc[i]
		ok := w.Status == ibv.IBV_WC_SUCCESS
		if ok && w.Opcode&ibv.IBV_WC_RECV != 0 {
			continue
		}
		if e.q == nil || number != w.QPNum {
			if n > 0 {
				e.t.done.Add(n)
			}
			n, number = 0, w.QPNum
			e = m.get(number)
		}
		switch {
		case e.q == nil || at+uint64(i) < e.from:
		case ok:
			n++
		default:
			e.t.broken.Store(true)
		}
	}
	if n > 0 {
		e.t.done.Add(n)
	}
}
