package verbs

import (
	"context"
	"iter"
)

// Wait is [CQ.Wait] for an extended queue: Poll that waits until there are completions, ctx is done, or the queue is closed.
func (c *CQEx) Wait(ctx context.Context, wc []WCEx) (int, error) { return c.wait(ctx, wc, false) }

// WaitSolicited is [CQ.WaitSolicited] for an extended queue.
func (c *CQEx) WaitSolicited(ctx context.Context, wc []WCEx) (int, error) {
	return c.wait(ctx, wc, true)
}

func (c *CQEx) wait(ctx context.Context, wc []WCEx, solicited bool) (int, error) {
	if n, err := c.Poll(wc); n > 0 || err != nil {
		return n, err
	}
	q := c.cq
	if err := q.cannotWait(len(wc)); err != nil {
		return 0, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	q.events.join(solicited)
	defer q.events.quit(solicited)
	for {
		if q.events.armed.Load() {
			q.channel.events.drain() // as CQ.Wait does
		}
		armed := q.reqNotify(solicited)
		// The queue may be armed by now for what came before.
		if n, err := c.Poll(wc); n > 0 || err != nil {
			return n, err
		}
		if armed != nil {
			return 0, armed
		}
		look, why := q.sleep(ctx)
		if look {
			if n, err := c.Poll(wc); n > 0 || err != nil {
				return n, err
			}
		}
		if why != nil {
			return 0, why
		}
	}
}

// All is [CQ.All] for an extended queue. If a batch fails after some completions they are yielded first.
func (c *CQEx) All(ctx context.Context) iter.Seq2[[]WCEx, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	return func(yield func([]WCEx, error) bool) {
		wc := make([]WCEx, allBatch)
		for {
			n, err := 0, ctx.Err() // Wait would go on while there are completions
			if err == nil {
				n, err = c.Wait(ctx, wc)
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
