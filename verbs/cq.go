package verbs

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"syscall"
	"unsafe"
	"weak"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A CQ is a completion queue. All methods may be called by several goroutines at once, Close among them: each completion goes to one of those
// that poll.
type CQ struct {
	*object
	raw     *ibv.CQ
	ctx     *Context
	channel *CompChannel // nil if it has none
	ring    *Ring        // whose thread polls it; nil if none does
	number  uintptr      // in the channel or the ring
	cqe     int
	events  *cqEvents
	over    atomic.Bool             // it is not to be polled: it has overrun, and been emptied since, or is a ring's; see Poll
	scan    atomic.Pointer[scanner] // who wants to see what was polled; nil: nobody
}

// CQAttr says what a completion queue is to be like.
type CQAttr struct {
	// How many completions it has to hold, 1 at least. The device may make it larger, and tells by [CQ.CQE]. A queue that is too small for the
	// requests that complete into it overruns, which loses completions.
	CQE int
	// The completion channel that [CQ.Wait] uses; nil for a queue that is only polled.
	Channel *CompChannel
	// Which of the device's completion vectors, numbered from 0, events come through; [Context.NumCompVectors] tells how many there are.
	CompVector int
}

// CreateCQ makes a completion queue (ibv_create_cq).
func (c *Context) CreateCQ(attr CQAttr) (*CQ, error) { return c.createPlainCQ(attr, nil) }

// createPlainCQ makes a queue by ibv_create_cq, which the ring's thread polls if there is a ring.
func (c *Context) createPlainCQ(attr CQAttr, r *Ring) (*CQ, error) {
	return c.createCQ(cverbs.VerbCreateCQ, attr, r, func(number uintptr, channel *ibv.CompChannel) (*ibv.CQ, error) {
		return cverbs.CreateCQ(c.raw, int32(attr.CQE), number, channel, int32(attr.CompVector))
	})
}

// createCQ makes a queue's handle. make is called within calls on all that the queue needs, with its number in the channel.
func (c *Context) createCQ(verb cverbs.Verb, attr CQAttr, r *Ring, make func(number uintptr, channel *ibv.CompChannel) (*ibv.CQ, error)) (*CQ, error) {
	objects := []*object{c.core()}
	if attr.Channel != nil {
		objects = append(objects, attr.Channel.core())
	}
	if r != nil {
		objects = append(objects, r.object)
	}
	if err := begin(verb, objects...); err != nil {
		return nil, err
	}
	defer end(objects...)
	if err := sameHome(verb, objects[0], objects...); err != nil {
		return nil, err
	}
	switch {
	case attr.CQE < 1 || attr.CQE > math.MaxInt32:
		return nil, refused(verb, c.name, syscall.EINVAL, c.cqHint(fmt.Sprintf("CQE %d", attr.CQE)))
	case attr.CompVector < 0 || attr.CompVector > math.MaxInt32:
		return nil, refused(verb, c.name, syscall.EINVAL, c.cqHint(fmt.Sprintf("CompVector %d", attr.CompVector)))
	case r != nil && attr.Channel != nil:
		return nil, refused(verb, c.name, syscall.EINVAL, "CQAttr.Channel is not nil: a ring has a channel of its own")
	}
	q := &CQ{ctx: c, channel: attr.Channel, ring: r, events: newCQEvents()}
	channel := q.list()
	raw, err := make(q.number, channel)
	if err != nil {
		q.unlist()
		hint := ""
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOMEM) {
			hint = c.cqHint(fmt.Sprintf("CQE %d, CompVector %d", attr.CQE, attr.CompVector))
		}
		return nil, hinted(c.failed(verb, err), hint)
	}
	q.raw, q.cqe = raw, int(raw.CQE)
	q.events.created(raw)
	q.object = newObject(c.home, c.home.name("cq"), objects...)
	q.turnstile = cverbs.NewTurnstile(unsafe.Pointer(raw))
	track(q, q.object)
	if r != nil {
		if err := q.join(); err != nil {
			return nil, err
		}
	}
	c.async.note(addressOf(raw), target{object: q.object, cq: weak.Make(q), events: q.events})
	return q, nil
}

// cqHint tells the device's limits beside what was asked for.
func (c *Context) cqHint(asked string) string {
	if attr, err := c.queryDevice(); err == nil {
		return fmt.Sprintf("%s; the device has max_cqe %d and %d completion vectors", asked, attr.MaxCQE, c.vectors)
	}
	return asked
}

func (c *CQ) core() *object {
	if c == nil {
		return nil
	}
	return c.object
}

// String returns the queue's name: "cq 3 on mlx5_0".
func (c *CQ) String() string { return c.core().String() }

// Context returns the context that the queue was made from.
func (c *CQ) Context() *Context {
	if c == nil {
		return nil
	}
	return c.ctx
}

// Channel returns the completion channel, nil if there is none.
func (c *CQ) Channel() *CompChannel {
	if c == nil {
		return nil
	}
	return c.channel
}

// CQE returns how many completions the queue holds, which is at least what was asked for; also after Close.
func (c *CQ) CQE() int {
	if c == nil {
		return 0
	}
	return c.cqe
}

// Raw returns the C object, which is valid until Close, or nil if the queue is closed.
func (c *CQ) Raw() *ibv.CQ {
	if !c.core().enter() {
		return nil
	}
	defer c.leave(0)
	return c.raw
}

// Close destroys the queue (ibv_destroy_cq), after the calls under way; completions in it are lost. Those that wait for completions wake
// with ErrClosed. Events that were not acknowledged yet are. While queue pairs or work queues that use it are open it fails with EBUSY
// and names them, or some of many. Closing it again does nothing.
func (c *CQ) Close() error {
	return c.core().close(cverbs.VerbDestroyCQ, func() error {
		e := c.events
		// Destroying waits until all events that were taken are acknowledged. The readers go on meanwhile.
		e.setClosing(true)
		if c.ring != nil {
			c.ring.state.letGo(c)
		}
		err := cverbs.DestroyCQ(c.raw)
		if err != nil && !c.home.gone(err) {
			e.setClosing(false)
			if c.ring != nil {
				_ = c.ring.state.take(c)
			}
			return err
		}
		c.unlist()
		c.ctx.async.forget(addressOf(c.raw), c.object)
		close(e.closed)
		e.nudge()
		return err
	})
}

// list gives the queue its number, and returns the channel that it is to have.
func (c *CQ) list() *ibv.CompChannel {
	switch {
	case c.ring != nil:
		c.number = uintptr(c.ring.state.number())
		return c.ring.state.channel
	case c.channel != nil:
		c.events.channel = c.channel.events
		c.number = c.channel.events.add(c.events)
		return c.channel.raw
	}
	return nil
}

// unlist has the channel forget the queue.
func (c *CQ) unlist() {
	if c.channel != nil {
		c.channel.events.remove(c.number)
	}
}
