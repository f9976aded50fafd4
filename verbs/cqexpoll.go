package verbs

import (
	"errors"
	"math"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// Poll takes completions out of the queue in one batch (ibv_start_poll, ibv_next_poll, ibv_end_poll), len(wc) at most, in the order in which
// the device has put them there, fills wc with them from its beginning, and returns how many. It does not wait: 0 says that there are
// none. It is one call of C and makes no garbage. With an empty wc it calls nothing. A completion says by [WCEx.Err] whether its request
// has failed, which is no error of Poll's.
//
// # Errors
//
// If the batch fails after some completions they come together with the error: those in front are valid. Otherwise errors mean what they mean
// for [CQ.Poll], ErrCQOverrun among them. EBUSY: the queue is for a single thread and another goroutine polls it; or the device's clock is
// being set, for a moment, and nothing is lost (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK).
func (c *CQEx) Poll(wc []WCEx) (int, error) {
	if c == nil || c.cq == nil {
		return 0, c.closedError()
	}
	if c.single {
		return c.pollSingle(wc)
	}
	return c.poll(wc)
}

// pollSingle is Poll of a queue for a single thread.
func (c *CQEx) pollSingle(wc []WCEx) (int, error) {
	if !c.busy.TryLock() {
		return 0, refused(cverbs.VerbStartPoll, c.cq.name, syscall.EBUSY, "another goroutine polls it, and it was made for a single thread")
	}
	n, err := c.poll(wc)
	c.busy.Unlock()
	return n, err
}

func (c *CQEx) poll(wc []WCEx) (int, error) {
	q := c.cq
	if len(wc) > 0 && !q.over.Load() {
		var p cverbs.PollExWithin
		turn, s := q.now()
		p.Turnstile, p.Turn, p.WC, p.Fields, p.Entries = q.turnstile, turn, &wc[0].wc, c.reads, entriesEx(wc)
		n := p.Call()
		if !p.Shut() {
			n, err := p.Polled(n)
			if s != nil && n > 0 {
				s.retireEx(wc[:n], turn)
			}
			if err == nil && (n > 0 || !q.events.overrun.Load()) {
				return n, nil
			}
			if !q.enter() {
				return n, c.closedError()
			}
			return c.settle(wc, n, err)
		}
	}
	return c.pollBeside(wc)
}

// entriesEx is entries for completions of an extended queue.
func entriesEx(wc []WCEx) int32 { return int32(min(len(wc), math.MaxInt32)) }

// pollBeside is poll of those that wait for somebody who has the queue for himself.
func (c *CQEx) pollBeside(wc []WCEx) (int, error) {
	q := c.cq
	if !q.enter() {
		return 0, c.closedError()
	}
	switch {
	case len(wc) == 0:
		q.leave(0)
		return 0, nil
	case q.over.Load():
		q.leave(0)
		return 0, c.overrunError()
	}
	n, err := c.batch(wc)
	q.leave(n)
	if err == nil && (n > 0 || !q.events.overrun.Load()) {
		return n, nil
	}
	if !q.enter() {
		return n, c.closedError()
	}
	return c.settle(wc, n, err)
}

// batch polls, and tells the send queues. It is called within a call on the queue.
func (c *CQEx) batch(wc []WCEx) (int, error) {
	n, err := cverbs.PollCQEx(c.raw, c.reads, entriesEx(wc), &wc[0].wc)
	if s := c.cq.scan.Load(); s != nil && n > 0 {
		s.retireEx(wc[:n], held)
	}
	return n, err
}

// settle ends a call in which a batch of n completions has failed, or found nothing in a queue that has overrun. Completions may have come between
// polling and the news of the overrun, so it polls once more then. The n are accounted for.
func (c *CQEx) settle(wc []WCEx, n int, err error) (int, error) {
	q, more := c.cq, 0
	if err == nil {
		more, err = c.batch(wc)
		n = more
	}
	over := err == nil && n == 0
	if s := q.scan.Load(); s != nil && (over || err != nil && !errors.Is(err, syscall.EBUSY)) {
		s.lose()
	}
	if over {
		q.over.Store(true)
		err = c.overrunError()
	} else if err != nil {
		err = c.pollError(n, err)
	}
	q.leave(more)
	return n, err
}

// pollError is the error of a batch that has failed after n completions.
func (c *CQEx) pollError(n int, err error) error {
	verb, hint := cverbs.VerbStartPoll, "completions may have been lost"
	if n > 0 {
		verb = cverbs.VerbNextPoll
	}
	if errors.Is(err, syscall.EBUSY) {
		hint = "likely the device's clock is being set: poll again"
	}
	return hinted(c.cq.failed(verb, err), hint)
}

func (c *CQEx) overrunError() error {
	return &Error{Verb: cverbs.VerbStartPoll.String(), Object: c.cq.name, Err: ErrCQOverrun, Hint: "make it larger, or post less"}
}

func (c *CQEx) closedError() error {
	return &Error{Verb: cverbs.VerbStartPoll.String(), Object: c.core().String(), Err: ErrClosed}
}

// retireEx is retire for completions of an extended queue.
func (s *scanner) retireEx(wc []WCEx, turn uint64) {
	if s.sends.len() == 0 {
		return
	}
	for i := 0; i < len(wc); {
		i += s.retireRun(wc[i:], turn)
	}
}

// retireRun tells one send queue of the completions that are its, from the first on to that of another QP, and returns how many they are.
func (s *scanner) retireRun(wc []WCEx, turn uint64) int {
	number := wc[0].wc.QPNum
	q := s.sends.get(number).at(turn)
	ended, i := uint64(0), 0
	for ; i < len(wc) && wc[i].wc.QPNum == number; i++ {
		w := &wc[i].wc
		switch {
		case w.Status == ibv.IBV_WC_SUCCESS && w.Opcode&ibv.IBV_WC_RECV == 0:
			ended++
		case w.Status != ibv.IBV_WC_SUCCESS && q != nil:
			// Which queue's it was nobody knows, and one that was not signalled has a completion as well.
			q.broken.Store(true)
		}
	}
	if q != nil {
		q.done.Add(ended)
	}
	return i
}
