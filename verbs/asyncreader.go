package verbs

import (
	"fmt"
	"sync"
	"syscall"
	"weak"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A target is an object that events may be about. It does not keep the handle: that is looked for when somebody takes the event.
type target struct {
	object *object
	cq     weak.Pointer[CQ]
	qp     weak.Pointer[QP]
	wq     weak.Pointer[WQ]
	events *cqEvents // of a CQ
}

// An asyncReader takes a context's asynchronous events, from open to Close, so that none keeps an object from being destroyed. It
// does not point to the context's handle, or to any other.
type asyncReader struct {
	home    *home
	raw     *ibv.Context
	adopted bool // another provider's
	reader  *eventReader
	event   ibv.AsyncEvent // the goroutine's

	wake   chan struct{} // room for one: there are events, and somebody may be waiting
	closed chan struct{} // closed with the context
	ended  chan struct{} // closed when no more events can be taken, for the reason err
	err    error

	mu      sync.Mutex // the following
	targets map[uintptr]target
	queue   []pending
}

// A pending event waits until somebody takes it. There is at most one of each kind and object, so their number is bounded.
type pending struct {
	typ   ibv.EventType
	about target // without object: a port, the device, or an object without a handle
	port  int
	name  string
	count int
}

func newAsyncReader(h *home, raw *ibv.Context, adopted bool) (*asyncReader, error) {
	a := &asyncReader{
		home: h, raw: raw, adopted: adopted, targets: make(map[uintptr]target),
		wake: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	return a, a.start()
}

// start begins to read, or begins again after stop.
func (a *asyncReader) start() error {
	r, err := readEvents(a.raw.AsyncFD, a.home.device+" events", a.take, a.end)
	if err == nil {
		a.reader = r // else the one that has stopped, if there is one
	}
	return err
}

// restart is for a context that could not be closed.
func (a *asyncReader) restart() {
	if isClosed(a.ended) {
		return
	}
	if err := a.start(); err != nil {
		a.end(err)
	}
}

// end says why there will be no more events.
func (a *asyncReader) end(err error) {
	a.err = a.home.failed(cverbs.VerbGetAsyncEvent, a.home.device, err)
	close(a.ended)
}

// take takes one event: it is copied, its object looked up, acknowledged, and only then given to whoever wants it, so that this
// may close the object. The object exists until the event is acknowledged.
func (a *asyncReader) take() syscall.Errno {
	if errno := cverbs.TakeAsyncEvent(a.raw, &a.event); errno != 0 {
		return errno
	}
	typ, at, port := a.event.EventType, address(&a.event), 0
	if subjectOf(typ) == aboutPort {
		port = int(a.event.Element.PortNum())
	}
	a.mu.Lock()
	t := a.targets[at]
	a.mu.Unlock()
	if at != 0 || !a.adopted {
		// An event that is about no object does not tell whose it is, and acknowledging one does nothing: that of another provider
		// would go to the library.
		cverbs.AckAsyncEvent(&a.event)
	}
	if typ == ibv.IBV_EVENT_DEVICE_FATAL {
		a.home.lose()
		a.nudge()
	}
	if typ == ibv.IBV_EVENT_CQ_ERR && t.events != nil {
		t.events.overrun.set()
		t.events.stir()
		if t.events.overran != nil {
			t.events.overran()
		}
	}
	a.put(pending{typ, t, port, a.name(typ, t, port), 1}, at)
	return 0
}

// nudge has those that wait for completions look around.
func (a *asyncReader) nudge() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.targets {
		if t.events != nil {
			t.events.nudge()
		}
	}
}

// name names what an event is about.
func (a *asyncReader) name(typ ibv.EventType, t target, port int) string {
	switch about := subjectOf(typ); {
	case t.object != nil:
		return t.object.name
	case about == aboutPort:
		return fmt.Sprintf("port %d of %s", port, a.home.device)
	case about == aboutDevice:
		return a.home.device
	case about == aboutSRQ:
		return "srq of " + a.home.device
	}
	return "unknown object of " + a.home.device
}

// put queues an event, or counts it if there is one of its kind. By now its object may be closed, and another be where it was: then
// nobody wants to know any more.
func (a *asyncReader) put(p pending, at uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.about.object != nil && a.targets[at].object != p.about.object {
		return
	}
	for i := range a.queue {
		q := &a.queue[i]
		if q.typ == p.typ && q.about.object == p.about.object && q.port == p.port {
			q.count++
			return
		}
	}
	a.queue = append(a.queue, p)
	a.signal()
}

// signal wakes one of those that wait for events.
func (a *asyncReader) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// next takes the oldest event, and wakes the next one that waits if there are more.
func (a *asyncReader) next() (pending, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		return pending{}, false
	}
	p := a.queue[0]
	a.queue = append(a.queue[:0], a.queue[1:]...)
	if len(a.queue) > 0 {
		a.signal()
	}
	return p, true
}

// note has events about the C object at an address find t. Nobody can have used the object yet.
func (a *asyncReader) note(at uintptr, t target) {
	a.mu.Lock()
	a.targets[at] = t
	a.mu.Unlock()
}

// forget undoes note for an object that is closed, and drops its events. There may be another object at the address by now.
func (a *asyncReader) forget(at uintptr, o *object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.targets[at].object == o {
		delete(a.targets, at)
	}
	kept := a.queue[:0]
	for _, p := range a.queue {
		if p.about.object != o {
			kept = append(kept, p)
		}
	}
	clear(a.queue[len(kept):])
	a.queue = kept
}
