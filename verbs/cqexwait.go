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
	if c == nil || c.cq == nil {
		return 0, c.closedError()
	}
	return c.cq.waitBy(ctx, len(wc), solicited, func() (int, error) { return c.Poll(wc) })
}

// All is [CQ.All] for an extended queue. If a batch fails after some completions they are yielded first.
func (c *CQEx) All(ctx context.Context) iter.Seq2[[]WCEx, error] { return all(ctx, c.Wait) }
