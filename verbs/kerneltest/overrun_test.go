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
func TestOverrun(t *testing.T) {
	const n = 200
	a, b := connected(t, setup{cqe: 4, channels: true, qp: verbs.QPAttr{MaxSendWR: n + 1}})
	wr := verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), SGList: a.part(0, 8), Flags: ibv.IBV_SEND_SIGNALED}
	a.mr.Bytes()[0] = 1
	for wr.WRID = range uint64(n) {
		ok(t, a.qp.Send(wr))
	}
	wr.Flags, wr.RemoteAddr = 0, b.mr.Addr()+8
	ok(t, a.qp.Send(wr))
	if e := event(t, a.scq.Context(), ibv.IBV_EVENT_CQ_ERR); e.CQ != a.scq || e.Count < 1 {
		t.Errorf("%v is about %v, want %v", e, e.CQ, a.scq)
	}
	if which() != hardware { // where the QPs may go down with the queue
		for end := time.Now().Add(patience); b.mr.Bytes()[8] != 1; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the writes do not go on")
			}
		}
	}
	polled, err := 0, error(nil)
	for wc := make([]ibv.WC, 64); err == nil && polled < n; {
		var k int
		k, err = a.scq.Poll(wc)
		for i := range k {
			if wc[i].Err() == nil && wc[i].WRID != uint64(polled+i) {
				t.Errorf("number %d comes in place %d", wc[i].WRID, polled+i)
			}
		}
		polled += k
	}
	if !errors.Is(err, verbs.ErrCQOverrun) || polled == 0 || polled >= n {
		t.Errorf("%d completions of %d, and then %v; want ErrCQOverrun", polled, n, err)
	}
	wc := make([]ibv.WC, 1)
	for range 3 {
		if k, err := a.scq.Poll(wc); k != 0 || !errors.Is(err, verbs.ErrCQOverrun) {
			t.Errorf("%d, %v; want ErrCQOverrun", k, err)
		}
	}
	if k, err := a.scq.Wait(within(t, patience), wc); k != 0 || !errors.Is(err, verbs.ErrCQOverrun) {
		t.Errorf("waiting gives %d, %v; want ErrCQOverrun", k, err)
	}
}
