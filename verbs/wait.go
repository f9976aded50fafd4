package verbs

import (
	"context"
	"iter"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// reqNotify has the device raise one event in the queue's channel for the next completion (ibv_req_notify_cq), or, with solicitedOnly, for
// the next one that was sent with IBV_SEND_SOLICITED or has failed. Completions that are in the queue already raise none. While somebody
// waits for any completion, any raises an event. It is for those that wait here: the channel's goroutine takes the events, so that nobody
// else gets to see them.
func (c *CQ) reqNotify(solicitedOnly bool) error {
	const verb = cverbs.VerbReqNotifyCQ
	if err := begin(verb, c.core()); err != nil {
		return err
	}
	defer end(c.core())
	e := c.events
	// One after the other: hardware may go by the last request, and forget an earlier one for any completion.
	e.arming.Lock()
	defer e.arming.Unlock()
	e.armed.Store(true)
	only := int32(0)
	if solicitedOnly && e.any == 0 {
		only = 1
	}
	if errno := cverbs.ReqNotifyCQ(c.raw, only); errno != 0 {
		return c.failed(verb, verb.Failed(errno))
	}
	return nil
}

// Wait is Poll that waits until there are completions, ctx is done, or the queue is closed. It does not hold a thread: it polls, arms the
// queue (ibv_req_notify_cq), polls again, for what has come before it was armed, and then waits for the event of its channel, which the
// queue has to have. Completions that are there are returned even if ctx is done. The error of ctx is returned as it is; the others are
// those of Poll, [ErrClosed], and EIO once the device is lost. wc must not be empty. A nil ctx is never done.
//
// Any number of goroutines may wait for a queue, each with its own ctx; which of them gets completions is not defined, but none sleeps
// while there are some.
func (c *CQ) Wait(ctx context.Context, wc []ibv.WC) (int, error) { return c.wait(ctx, wc, false) }

// WaitSolicited is Wait that only completions wake that were sent with IBV_SEND_SOLICITED, or have failed. Those that are in the queue
// when it looks are returned all the same, and any completion may wake it if somebody has waited for any before, since the queue may be armed for
// that still. Soft-RoCE does not wake it for a receive that was flushed.
func (c *CQ) WaitSolicited(ctx context.Context, wc []ibv.WC) (int, error) {
	return c.wait(ctx, wc, true)
}

func (c *CQ) wait(ctx context.Context, wc []ibv.WC, solicited bool) (int, error) {
	return c.waitBy(ctx, len(wc), solicited, func() (int, error) { return c.Poll(wc) })
}

// waitBy waits for what a way to poll the queue, with room for so many completions, finds or fails with.
func (c *CQ) waitBy(ctx context.Context, room int, solicited bool, poll func() (int, error)) (int, error) {
	if n, err := poll(); n > 0 || err != nil {
		return n, err
	}
	if err := c.cannotWait(room); err != nil {
		return 0, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c.events.join(solicited)
	defer c.events.quit(solicited)
	for {
		if c.events.armed.Load() {
			// Its event may be there since somebody has found completions before it was taken. Unread events would pile up.
			c.channel.events.drain()
		}
		armed := c.reqNotify(solicited)
		// The queue may be armed by now for what came before.
		if n, err := poll(); n > 0 || err != nil {
			return n, err
		}
		if armed != nil {
			return 0, armed
		}
		look, why := c.sleep(ctx)
		if look {
			if n, err := poll(); n > 0 || err != nil {
				return n, err
			}
		}
		if why != nil {
			return 0, why
		}
	}
}

// cannotWait refuses to wait for what can never come.
func (c *CQ) cannotWait(room int) error {
	switch {
	case room == 0:
		return refused(cverbs.VerbReqNotifyCQ, c.name, syscall.EINVAL, "no room for completions")
	case c.channel == nil:
		return refused(cverbs.VerbReqNotifyCQ, c.name, syscall.EINVAL, "the queue was made without a completion channel")
	}
	return nil
}

// sleep waits for the token, or for a reason to give up, which it returns, and whether to poll first. Whoever can leads the channel meanwhile.
func (c *CQ) sleep(ctx context.Context) (look bool, err error) {
	e, channel := c.events, c.channel.events
	select {
	case <-e.wake:
		return true, nil
	case <-channel.lead:
		if channel.leadFor(ctx, e) {
			return true, nil
		}
		return c.stirred(ctx)
	case <-ctx.Done():
		return false, ctx.Err()
	case <-e.closed:
	case <-channel.ended:
	case <-c.home.fatal:
	}
	return c.stirred(ctx)
}

// stirred says to poll if there is the token, or returns the reason to give up; nothing of both is false, nil.
func (c *CQ) stirred(ctx context.Context) (look bool, err error) {
	select {
	case <-c.events.wake:
		return true, nil
	default:
	}
	channel := c.channel.events
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case isClosed(c.events.closed):
		return false, c.closedError()
	case isClosed(channel.ended):
		return true, channel.err
	case isClosed(c.home.fatal):
		return true, refused(cverbs.VerbReqNotifyCQ, c.name, syscall.EIO, hintLost)
	}
	return false, nil
}

// allBatch is how many completions All takes at once.
const allBatch = 64

// All waits for completions, as Wait does, and yields them in batches of up to 64, until ctx is done, the queue is closed or polling fails:
// the last step then yields the error. Unlike Wait it looks at ctx first, so that it ends even if the queue is never empty. A batch is
// valid until the next step. Leaving the loop loses nothing: what was taken out of the queue has been yielded. The loop's body may
// close anything, the queue among them.
func (c *CQ) All(ctx context.Context) iter.Seq2[[]ibv.WC, error] { return all(ctx, c.Wait) }

// all yields what wait returns, batch by batch.
func all[T any](ctx context.Context, wait func(context.Context, []T) (int, error)) iter.Seq2[[]T, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	return func(yield func([]T, error) bool) {
		wc := make([]T, allBatch)
		for {
			n, err := 0, ctx.Err() // wait would go on while there are completions
			if err == nil {
				n, err = wait(ctx, wc)
			}
			if n > 0 && !yield(wc[:n:n], nil) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
