package verbs

import (
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A CompChannel is a completion channel: through it the device tells that there are completions in the CQs that were made with it, so that
// [CQ.Wait] needs no thread. Many CQs may share one. All methods may be called by several goroutines at once.
//
// Of those that wait for its CQs one takes the events (ibv_get_cq_event), for the others as well, acknowledges them (ibv_ack_cq_events),
// and wakes those whom they are for. A channel's only CQ is polled first, and its event taken later: a channel for each CQ wakes up sooner.
// Nobody else should read from its descriptor, which does not block.
type CompChannel struct {
	*object
	raw    *ibv.CompChannel
	ctx    *Context
	events *channelEvents
}

// A channelEvents is what a channel's CQs, and those that wait for them, know of it. It does not point to any handle.
type channelEvents struct {
	home   *home
	name   string
	ended  chan struct{} // closed when no more events can be taken, for the reason err
	err    error
	served atomic.Int32 // how many queues has
	leadership

	mu     sync.Mutex            // the following
	queues map[uintptr]*cqEvents // by the number that each CQ has as its cq_context
	last   uintptr
}

// CreateCompChannel makes a completion channel (ibv_create_comp_channel).
func (c *Context) CreateCompChannel() (*CompChannel, error) {
	const verb = cverbs.VerbCreateCompChannel
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	raw, err := cverbs.CreateCompChannel(c.raw)
	if err != nil {
		return nil, c.failed(verb, err)
	}
	e := &channelEvents{home: c.home, name: c.home.name("channel"), ended: make(chan struct{}), queues: make(map[uintptr]*cqEvents)}
	if err := e.open(raw); err != nil {
		_ = cverbs.DestroyCompChannel(raw)
		return nil, hinted(c.failed(verb, err), "its events cannot be read")
	}
	o := newObject(c.home, e.name, c.object)
	return track(&CompChannel{object: o, raw: raw, ctx: c, events: e}, o), nil
}

func (c *CompChannel) core() *object {
	if c == nil {
		return nil
	}
	return c.object
}

// String returns the channel's name: "channel 1 on mlx5_0".
func (c *CompChannel) String() string { return c.core().String() }

// Context returns the context that the channel was made from.
func (c *CompChannel) Context() *Context {
	if c == nil {
		return nil
	}
	return c.ctx
}

// Raw returns the C object, which is valid until Close, or nil if the channel is closed.
func (c *CompChannel) Raw() *ibv.CompChannel {
	if !c.core().enter() {
		return nil
	}
	defer c.leave(0)
	return c.raw
}

// Close destroys the channel (ibv_destroy_comp_channel), after the calls under way. While CQs that use it are open it fails with EBUSY and
// names them, or some of many. Closing it again does nothing.
func (c *CompChannel) Close() error {
	return c.core().close(cverbs.VerbDestroyCompChannel, func() error {
		// The last leader may be on its way out: its CQ is closed.
		<-c.events.lead
		err := cverbs.DestroyCompChannel(c.raw)
		if err != nil && !c.home.gone(err) {
			c.events.lead <- struct{}{}
			return err
		}
		c.events.shut()
		return err
	})
}

// end says why there will be no more events, to those that wait, too.
func (e *channelEvents) end(err error) {
	e.err = e.home.failed(cverbs.VerbGetCQEvent, e.name, err)
	close(e.ended)
}

// take takes one event. Its CQ exists until the event is acknowledged. It is the leader's to call.
func (e *channelEvents) take() syscall.Errno {
	if errno := cverbs.TakeCQEvent(e.raw, &e.cq, &e.number); errno != 0 {
		return errno
	}
	e.mu.Lock()
	q := e.queues[e.number]
	e.mu.Unlock()
	if q == nil || !q.taken(e.cq) {
		// Somebody else's, made with Raw.
		cverbs.AckCQEvents(e.cq, 1)
	}
	return 0
}

// add gives a CQ that is about to be made its number, by which its events find it. Unlike its address, it is never another's.
func (e *channelEvents) add(q *cqEvents) uintptr {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	e.queues[e.last] = q
	e.served.Store(int32(len(e.queues)))
	return e.last
}

func (e *channelEvents) remove(number uintptr) {
	e.mu.Lock()
	delete(e.queues, number)
	e.served.Store(int32(len(e.queues)))
	e.mu.Unlock()
}
