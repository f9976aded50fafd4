package verbs

import (
	"context"
	"iter"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/ring"
)

// Empty reports that Next would return neither completions nor an error, and has no batch to give back: what a loop spins on. It is not even a call.
func (r *Ring) Empty() bool { return r != nil && r.ring != nil && r.ring.Quiet() }

// Next gives the last batch back to the thread, and returns the next one: completions that are in the ring, in the order in which each CQ had them. It
// does not wait: nil says that there are none. The batch is the ring's own memory, where the device's driver has written it: it is valid, and may be
// written to, until the next call of Next or Wait, the next step of All, or Release. Nothing is copied, and no call of C is made unless there is an error to be told. There may be more behind a batch.
//
// Whose completions they are their QPNum tells, unless WRID does.
//
// # Errors
//
// They are [CQ.Poll]'s, and come behind the completions that the CQ gave before. A CQ that has failed otherwise than by an overrun is polled again once that was
// told. After an overrun ErrCQOverrun is what an empty ring answers, as long as the CQ is open, even if other CQs are well: their completions are
// given out all the same. Errors of arming (ibv_req_notify_cq) and of taking events (ibv_get_cq_event) are the thread's, from when it goes to sleep.
func (r *Ring) Next() ([]ibv.WC, error) {
	if r.Empty() {
		return nil, nil
	}
	return r.next()
}

func (r *Ring) next() ([]ibv.WC, error) {
	if r == nil || r.ring == nil {
		return nil, r.closedError()
	}
	for {
		news := r.ring.News()
		stopped := r.ring.Unheard(news) && r.state.poller.Stopped()
		if wc := r.ring.Next(); wc != nil {
			r.state.count(wc, r.ring.Taken()-uint64(len(wc)))
			return wc, nil
		}
		switch {
		case stopped:
			return r.late()
		case !r.ring.Unheard(news):
			return nil, nil
		}
		switch n := r.state.poller.News(); n.Kind {
		case ring.None:
			r.ring.Heard(news)
			return nil, nil
		case ring.Later: // behind completions that have come since
		default:
			return nil, r.state.error(n)
		}
	}
}

// late is what next ends with once the thread has ended, and the ring is empty.
func (r *Ring) late() ([]ibv.WC, error) {
	wc := r.ring.Late()
	if len(wc) == 0 {
		return nil, r.closedError()
	}
	r.state.count(wc, r.ring.Taken())
	return wc, nil
}

// Release gives the last batch back to the thread, which may then write to it. Next and Wait do so as well.
func (r *Ring) Release() {
	if r != nil && r.ring != nil {
		r.ring.Release()
	}
}

// Wait is Next that waits until there are completions, ctx is done, or the ring is closed. It does not hold a thread of Go's. Completions that are
// there are returned even if ctx is done. The error of ctx is returned as it is; the others are those of Next, ErrClosed, and EIO once the device is lost. A nil ctx is
// never done. Waiting makes no garbage as long as it is by the same context.
func (r *Ring) Wait(ctx context.Context) ([]ibv.WC, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		if wc, err := r.Next(); wc != nil || err != nil {
			return wc, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.home.lost.Load() {
			return r.lastly()
		}
		r.state.poller.Park(ctx)
	}
}

// lastly is Next on a device that is lost, after what it has flushed.
func (r *Ring) lastly() ([]ibv.WC, error) {
	r.state.poller.Flush()
	if wc, err := r.Next(); wc != nil || err != nil {
		return wc, err
	}
	return nil, refused(cverbs.VerbReqNotifyCQ, r.name, syscall.EIO, hintLost)
}

// All waits for completions, as Wait does, and yields them in batches, as Next returns them, until ctx is done, the ring is closed or polling
// fails: the last step then yields the error. Unlike Wait it looks at ctx first, so that it ends even if the ring is never empty. A batch is valid until the next step. Leaving
// the loop loses nothing.
func (r *Ring) All(ctx context.Context) iter.Seq2[[]ibv.WC, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	return func(yield func([]ibv.WC, error) bool) {
		for {
			var wc []ibv.WC
			err := ctx.Err()
			if err == nil {
				wc, err = r.Wait(ctx)
			}
			if !yield(wc, err) || err != nil {
				return
			}
		}
	}
}

func (r *Ring) closedError() error {
	return &Error{Verb: cverbs.VerbPollCQ.String(), Object: r.core().String(), Err: ErrClosed}
}
