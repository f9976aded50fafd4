//go:build linux && cgo

package verbs

import (
	"context"
	"runtime"
	"testing"

	"github.com/goverbs/ibv"
)

// waiter waits for a queue, and tells how that ended.
func waiter(ctx context.Context, q *CQ) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := q.Wait(ctx, make([]ibv.WC, 1))
		ended <- err
	}()
	return ended
}

// leads waits until who waits for a queue leads its channel.
func leads(t testing.TB, q *CQ) {
	t.Helper()
	eventually(t, "leader", func() bool { return q.channel.events.leader.Load() == q.events })
}

// Whatever makes the leader leave, those that wait for other queues of the channel still get their events.
func TestTheNextOneLeads(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, push func(*CQ), q *CQ, cancel func()){
		"its event":   func(t *testing.T, push func(*CQ), q *CQ, cancel func()) { push(q) },
		"its context": func(t *testing.T, push func(*CQ), q *CQ, cancel func()) { cancel() },
		"its queue is closed": func(t *testing.T, push func(*CQ), q *CQ, cancel func()) {
			soon(t, "Close", func() { ok(t, q.Close()) })
		},
		"its queue has overrun": func(t *testing.T, push func(*CQ), q *CQ, cancel func()) {
			q.events.overrun.set()
			q.events.stir()
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, c := testDevice(t)
			first := testCQ(t, c, 16, true)
			second := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: first.channel})))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			leader := waiter(ctx, first)
			leads(t, first)
			follower := waiter(t.Context(), second)
			parked(t, d, second, 1, 2)
			leave(t, func(q *CQ) { push(t, d, q, 1) }, first, cancel)
			soon(t, "the leader", func() { <-leader })
			leads(t, second)
			push(t, d, second, 2)
			soon(t, "the follower", func() { ok(t, <-follower) })
		})
	}
}

// The end of a context that has led before is nothing to who leads now.
func TestALeadersContextIsItsOwn(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	ctx, cancel := context.WithCancel(t.Context())
	first := waiter(ctx, q)
	leads(t, q)
	push(t, d, q, 1)
	soon(t, "Wait", func() { ok(t, <-first) })
	second := waiter(context.Background(), q) // which cannot end, so that the first is still watched
	leads(t, q)
	cancel()
	other, stop := context.WithCancel(t.Context())
	third := waiter(other, q)
	parked(t, d, q, 2, 3)
	stop()
	soon(t, "Wait", func() {
		if err := <-third; err != context.Canceled {
			t.Error(err)
		}
	})
	push(t, d, q, 2)
	soon(t, "Wait", func() { ok(t, <-second) })
}

// An armed queue raises an event also if its completion has been polled before. Those are taken before there are many.
func TestUnreadEventsDoNotPileUp(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	wc := make([]ibv.WC, 1)
	const rounds = 200
	for i := range rounds {
		ended := waiter(t.Context(), q)
		leads(t, q)
		push(t, d, q, 1, 2) // one wakes, and one is for the next
		soon(t, "Wait", func() { ok(t, <-ended) })
		ok(t, q.reqNotify(false))
		push(t, d, q, 3)
		for range 2 {
			if n, err := q.Wait(t.Context(), wc); n != 1 || err != nil {
				t.Fatal(i, n, err)
			}
		}
	}
	taken := 0
	for q.channel.events.take() == 0 {
		taken++
	}
	if taken > 2 {
		t.Errorf("%d events were left after %d rounds", taken, rounds)
	}
}

// An event that nobody has taken holds up no destruction, and is not another queue's.
func TestCloseWithAnUnreadEvent(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	other := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: q.channel})))
	ok(t, q.reqNotify(false))
	push(t, d, q, 1)
	soon(t, "Close", func() { ok(t, q.Close()) })
	ended := waiter(t.Context(), other)
	leads(t, other)
	if n := calls(t, d, "ack_cq_events"); n != 0 {
		t.Errorf("%d events were taken", n)
	}
	push(t, d, other, 1)
	soon(t, "Wait", func() { ok(t, <-ended) })
}

// Waiting again and again with a context that may end makes no garbage.
func TestWaitAllocatesNothing(t *testing.T) {
	if instrumented {
		t.Skip("the instruments allocate")
	}
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked, done, wc := make(chan bool), make(chan bool), make([]ibv.WC, 1)
	go func() {
		for range asked {
			if n, err := q.Wait(ctx, wc); n != 1 || err != nil {
				t.Error(n, err)
			}
			done <- true
		}
	}()
	defer close(asked)
	one := ibv.WC{}
	if n := testing.AllocsPerRun(100, func() {
		asked <- true
		for q.channel.events.leader.Load() == nil {
			runtime.Gosched()
		}
		d.Complete(q.raw, &one, false)
		<-done
	}); n >= 1 {
		t.Errorf("%v allocations a wait", n)
	}
}
