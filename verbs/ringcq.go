package verbs

import (
	"syscall"

	"github.com/goverbs/ibv/internal/cverbs"
)

// CreateCQ makes a completion queue (ibv_create_cq) whose completions the thread puts into the ring. Poll, PollSpin, Wait, WaitSolicited and All of it are refused with
// EINVAL: [Ring.Next] has what they would. attr.Channel has to be nil.
func (r *Ring) CreateCQ(attr CQAttr) (*CQ, error) {
	if r.core() == nil {
		return nil, &Error{Verb: cverbs.VerbCreateCQ.String(), Object: r.core().String(), Err: ErrClosed}
	}
	return r.ctx.createPlainCQ(attr, r)
}

// join has the ring's thread poll the queue, which has just been made. If it cannot the queue is destroyed.
func (c *CQ) join() error {
	state, number := c.ring.state, uint64(c.number)
	c.over.Store(true)
	c.events.overran = func() { state.poller.Overran(number) }
	err := state.take(c)
	if err != nil {
		err = hinted(c.ctx.failed(cverbs.VerbCreateCQ, err), "no memory for the ring's thread")
		_ = c.Close()
	}
	return err
}

// Ring returns the ring whose thread polls the queue, nil if there is none.
func (c *CQ) Ring() *Ring {
	if c == nil {
		return nil
	}
	return c.ring
}

// polledByRing is what polling a ring's queue fails with.
func (c *CQ) polledByRing() error {
	return refused(cverbs.VerbPollCQ, c.name, syscall.EINVAL, c.ring.name+" polls it, and has its completions")
}
