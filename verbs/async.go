package verbs

import (
	"context"
	"iter"

	"github.com/goverbs/ibv/internal/cverbs"
)

// wait waits for the next event.
func (a *asyncReader) wait(ctx context.Context) (AsyncEvent, error) {
	for {
		ended := isClosed(a.ended) // what was taken before comes first
		switch err := ctx.Err(); {
		case isClosed(a.closed):
			return AsyncEvent{}, &Error{Verb: cverbs.VerbGetAsyncEvent.String(), Object: a.home.device, Err: ErrClosed}
		case err != nil:
			a.signal() // it may have been meant for this one
			return AsyncEvent{}, err
		}
		if p, ok := a.next(); ok {
			return AsyncEvent{p.typ, p.about.cq.Value(), p.about.qp.Value(), p.about.wq.Value(), p.port, p.name, p.count}, nil
		}
		if ended {
			return AsyncEvent{}, a.err
		}
		select {
		case <-a.ended:
		case <-a.closed:
		case <-ctx.Done():
		case <-a.wake:
		}
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// AsyncEvents waits for the context's asynchronous events and yields them in the order in which they came, until the context is closed
// or ctx is done: the last step then yields an error, [ErrClosed] or what ctx.Err returns. If no more events can be read, since the
// device is gone, that error is the last. A nil ctx is never done.
//
// Events are read and acknowledged (ibv_ack_async_event) from the time that the context is opened, whether or not somebody asks for
// them, so none keeps Close waiting, and the loop's body may close anything, the event's object and the context among them. Those that
// nobody has taken yet wait: equal ones, of the same type and about the same object, as one event with a count. Events about an object
// are dropped when it is closed.
//
// Several goroutines may range over a context's events at the same time; each event goes to one of them. Leaving the loop loses nothing.
func (c *Context) AsyncEvents(ctx context.Context) iter.Seq2[AsyncEvent, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	return func(yield func(AsyncEvent, error) bool) {
		if c == nil || c.async == nil {
			yield(AsyncEvent{}, &Error{Verb: cverbs.VerbGetAsyncEvent.String(), Object: c.core().String(), Err: ErrClosed})
			return
		}
		for {
			e, err := c.async.wait(ctx)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
