//go:build linux && cgo

package kerneltest

import (
	"errors"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// event waits for an asynchronous event of a type, and drops others.
func event(t testing.TB, c *verbs.Context, want ibv.EventType) verbs.AsyncEvent {
	t.Helper()
	for e, err := range c.AsyncEvents(within(t, patience)) {
		ok(t, err)
		if e.Type == want {
			return e
		}
		t.Log("dropped:", e)
	}
	panic("unreachable")
}

// A CQ that had no room tells it by an event for each completion that is lost, so that there may be many; polling gives what is there, and then
// ErrCQOverrun for good. Closing everything afterwards succeeds, as the events are acknowledged.
func tierOverrun(t *testing.T, p *polled) {
	const n = 200
	wr := writing(p.a, p.b)
	wr.Flags = ibv.IBV_SEND_SIGNALED
	p.a.mr.Bytes()[0] = 1
	for wr.WRID = range uint64(n) {
		ok(t, p.a.qp.Send(wr))
	}
	if which() == hardware { // where the QPs may go down with the queue
		time.Sleep(time.Second)
	} else {
		p.written(t)
	}
	if e := event(t, p.q.Context(), ibv.IBV_EVENT_CQ_ERR); e.CQ != p.q || e.Count < 1 {
		t.Errorf("%v is about %v, want %v", e, e.CQ, p.q)
	}
	came, err := 0, error(nil)
	for wc := make([]ibv.WC, 64); err == nil && came < n; {
		var k int
		k, err = p.poll(wc)
		for i := range k {
			if wc[i].Err() == nil && wc[i].WRID != uint64(came+i) {
				t.Errorf("number %d comes in place %d", wc[i].WRID, came+i)
			}
		}
		came += k
	}
	if !errors.Is(err, verbs.ErrCQOverrun) || came == 0 || came >= n {
		t.Errorf("%d completions of %d, and then %v; want ErrCQOverrun", came, n, err)
	}
	wc := make([]ibv.WC, 1)
	for range 3 {
		if k, err := p.poll(wc); k != 0 || !errors.Is(err, verbs.ErrCQOverrun) {
			t.Errorf("%d, %v; want ErrCQOverrun", k, err)
		}
	}
	if k, err := p.q.Wait(within(t, patience), wc); k != 0 || !errors.Is(err, verbs.ErrCQOverrun) {
		t.Errorf("waiting gives %d, %v; want ErrCQOverrun", k, err)
	}
}
