package verbs

import (
	"sync"
	"sync/atomic"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A cqEvents is what the readers of events know of a CQ. It does not point to the handle.
type cqEvents struct {
	channel *channelEvents // nil if the CQ has none
	wake    chan struct{}  // room for one token: there may be completions, and one of those that wait should look
	closed  chan struct{}  // closed with the CQ
	overrun mark           // IBV_EVENT_CQ_ERR has come
	overran func()         // tells a ring of that; nil if there is none
	armed   atomic.Bool    // so that an event may be there, or come

	arming sync.Mutex // held while the CQ is armed; the following
	all    int        // goroutines that wait, and of these
	any    int        // those that wait for any completion

	mu      sync.Mutex // the following
	raw     *ibv.CQ    // once it is there
	unacked uint32     // events taken, and not acknowledged yet
	closing bool       // acknowledge at once, since destroying the CQ waits for it
}

// A mark is something that happens once. Direct gates look at its word.
type mark struct{ happened uint32 }

func (m *mark) set()          { atomic.StoreUint32(&m.happened, 1) }
func (m *mark) Load() bool    { return atomic.LoadUint32(&m.happened) != 0 }
func (m *mark) word() *uint32 { return &m.happened }

// ackBatch is how many events are acknowledged at once: each time, the library takes a lock.
const ackBatch = 64

func newCQEvents() *cqEvents {
	return &cqEvents{wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// taken notes an event, and wakes somebody; it reports false if it is not this CQ's. Once it is acknowledged the CQ may be gone.
func (e *cqEvents) taken(raw *ibv.CQ) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.raw != raw {
		return false
	}
	e.armed.Store(false)
	e.unacked++
	if e.closing || e.unacked >= ackBatch {
		e.ack()
	}
	e.signal()
	return true
}

// ack acknowledges what was taken. The caller holds mu.
func (e *cqEvents) ack() {
	if e.unacked > 0 {
		cverbs.AckCQEvents(e.raw, e.unacked)
		e.unacked = 0
	}
}

// created tells of the C object, before anybody can have armed it.
func (e *cqEvents) created(raw *ibv.CQ) {
	e.mu.Lock()
	e.raw = raw
	e.mu.Unlock()
}

// setClosing has events acknowledged at once, those among them that have been taken already, or in batches again.
func (e *cqEvents) setClosing(closing bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing = closing; closing {
		e.ack()
	}
}

// signal puts the token there, if it is not there. Who leads the channel does not see it: that is what stir is for.
func (e *cqEvents) signal() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// stir is signal for everybody but the channel's leader.
func (e *cqEvents) stir() {
	e.signal()
	e.nudge()
}

// nudge has the channel's leader look around, if it waits for this CQ.
func (e *cqEvents) nudge() {
	if e.channel != nil && e.channel.leader.Load() == e {
		e.channel.interrupt()
	}
}

// join counts a goroutine that waits, before it arms the CQ.
func (e *cqEvents) join(solicited bool) {
	e.arming.Lock()
	defer e.arming.Unlock()
	e.all++
	if !solicited {
		e.any++
	}
}

// quit undoes join, and passes the token on: one event may stand for more completions than one goroutine has taken, or the token may have
// been meant for somebody else.
func (e *cqEvents) quit(solicited bool) {
	e.arming.Lock()
	defer e.arming.Unlock()
	e.all--
	if !solicited {
		e.any--
	}
	if e.all > 0 {
		e.stir()
	}
}
