package verbs

import (
	"math"
	"runtime"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// Poll takes completions out of the queue (ibv_poll_cq), len(wc) at most, in the order in which the device has put them there, fills wc
// with them from its beginning, and returns how many. It does not wait: 0 says that there are none. It is one call of C and makes no
// garbage; a larger wc costs less for each completion. With an empty wc it calls nothing. What is behind the last completion in wc is
// not to be relied on.
//
// A completion says by [ibv.WC.Err] whether its request has failed, which is no error of Poll's.
//
// # Errors
//
// After an error the device may have taken completions out of the queue that nobody will see: then the queue pairs that use it had
// better be closed. A queue that had no room for a completion has lost it (IBV_EVENT_CQ_ERR): what is in the queue comes first, then
// [ErrCQOverrun], and then only that, without asking the device again.
func (c *CQ) Poll(wc []ibv.WC) (int, error) {
	if c != nil && c.object != nil && len(wc) > 0 && !c.over.Load() {
		turn, s := c.now()
		p := cverbs.PollWithin{Turnstile: c.turnstile, Turn: turn, WC: &wc[0], Entries: int(entries(wc))}
		n := int(p.Call())
		switch {
		case 0 < n && n <= len(wc):
			if s != nil {
				s.retire(wc[:n], turn)
			}
			return n, nil
		case p.Shut():
		case n == 0 && !c.events.overrun.Load():
			return 0, nil
		default:
			return c.pollFailed(wc, n)
		}
	}
	return c.pollBeside(wc)
}

// pollFailed ends a poll that has returned n, which is no number of completions, or 0 while the queue may have overrun.
func (c *CQ) pollFailed(wc []ibv.WC, n int) (int, error) {
	_, err := cverbs.Polled(n, entries(wc))
	if !c.enter() {
		return 0, c.closedError()
	}
	return c.pollAgain(wc, err)
}

// pollBeside is Poll of those that wait for somebody who has the queue for himself.
func (c *CQ) pollBeside(wc []ibv.WC) (int, error) {
	if !c.core().enter() {
		return 0, c.closedError()
	}
	if len(wc) == 0 || c.over.Load() {
		return c.pollNothing(wc)
	}
	n, err := cverbs.PollCQ(c.raw, entries(wc), &wc[0])
	if n == 0 && (err != nil || c.events.overrun.Load()) {
		return c.pollAgain(wc, err)
	}
	if s := c.scan.Load(); s != nil && n > 0 {
		s.retire(wc[:n], held)
	}
	c.leave(n)
	return n, nil
}

// DefaultSpin is how long [CQ.PollSpin] polls if it is given no time; MaxSpin is the most.
const (
	DefaultSpin = 10 * time.Microsecond
	MaxSpin     = time.Millisecond
)

// PollSpin is Poll, repeated while there are no completions, until budget has passed: DefaultSpin if that is 0, and MaxSpin at most. It
// polls once if budget is negative. All of that is one call of C. The goroutine keeps its thread busy all the time, and on a
// machine whose processors all have something to do the thread may lose its own for much longer than budget, so it is
// for completions that are expected within microseconds. [CQ.Wait] is for others. If it finds nothing it lets other goroutines
// run before it returns. Close waits for it.
func (c *CQ) PollSpin(wc []ibv.WC, budget time.Duration) (int, error) {
	if !c.core().enter() {
		return 0, c.closedError()
	}
	if len(wc) == 0 || c.over.Load() {
		return c.pollNothing(wc)
	}
	n, err := cverbs.SpinCQ(c.raw, entries(wc), &wc[0], spinTime(budget))
	if n == 0 && (err != nil || c.events.overrun.Load()) {
		return c.pollAgain(wc, err)
	}
	if s := c.scan.Load(); s != nil && n > 0 {
		s.retire(wc[:n], held)
	}
	c.leave(n)
	if n == 0 {
		// Go's scheduler takes the processor from a goroutine that is in C at the end of 10 ms, and looks after it every 20 µs
		// from then on. One that yields is left alone, and keeps nobody waiting.
		runtime.Gosched()
	}
	return n, nil
}

// spinTime is a budget in nanoseconds.
func spinTime(budget time.Duration) uint64 {
	if budget == 0 {
		budget = DefaultSpin
	}
	return uint64(min(max(budget, 0), MaxSpin))
}

// entries is how many completions to ask for: C's int may be shorter than wc.
func entries(wc []ibv.WC) int32 { return int32(min(len(wc), math.MaxInt32)) }

// pollNothing ends a call that does not poll.
func (c *CQ) pollNothing(wc []ibv.WC) (int, error) {
	over := c.over.Load()
	c.leave(0)
	switch {
	case len(wc) == 0 || !over:
		return 0, nil
	case c.ring != nil:
		return 0, c.polledByRing()
	}
	return 0, overrunError(c.name)
}

// pollAgain ends a call that has found nothing, since polling failed or, perhaps, since the queue has overrun and is empty. Completions may
// have come between polling and the news of the overrun, so this polls once more.
func (c *CQ) pollAgain(wc []ibv.WC, err error) (int, error) {
	n := 0
	if err == nil {
		n, err = cverbs.PollCQ(c.raw, entries(wc), &wc[0])
	}
	s := c.scan.Load()
	switch {
	case n > 0 && s != nil:
		s.retire(wc[:n], held)
	case n == 0 && s != nil:
		s.lose()
	}
	if n == 0 && err == nil {
		c.over.Store(true)
		err = overrunError(c.name)
	} else if err != nil {
		err = hinted(c.failed(cverbs.VerbPollCQ, err), hintPollFailed)
	}
	c.leave(n)
	return n, err
}

// hintPollFailed is the hint of polling that has failed.
const hintPollFailed = "completions may have been lost"

func overrunError(cq string) error {
	return &Error{Verb: cverbs.VerbPollCQ.String(), Object: cq, Err: ErrCQOverrun, Hint: "make it larger, or post less"}
}

func (c *CQ) closedError() error {
	return &Error{Verb: cverbs.VerbPollCQ.String(), Object: c.core().String(), Err: ErrClosed}
}
