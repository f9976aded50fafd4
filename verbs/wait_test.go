//go:build linux && cgo

package verbs

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/softdev"
)

// waiting is how many goroutines wait for a queue.
func waiting(q *CQ) int {
	q.events.arming.Lock()
	defer q.events.arming.Unlock()
	return q.events.all
}

// parked waits until so many goroutines wait for a queue, and have armed it.
func parked(t testing.TB, d *softdev.Device, q *CQ, n, armed int) {
	t.Helper()
	eventually(t, "waiting", func() bool { return waiting(q) == n && calls(t, d, "req_notify_cq") >= armed })
	time.Sleep(2 * time.Millisecond) // between the second poll and the select there is nothing to be seen
}

// Waiting while completions are there already must not hang: no event comes for them.
func TestWaitReturnsWhatIsThere(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	push(t, d, q, 1, 2, 3)
	wc := make([]ibv.WC, 2)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, want := range [][]uint64{{1, 2}, {3}} {
		if n, err := q.Wait(canceled, wc); err != nil || !slices.Equal(ids(wc[:n]), want) {
			t.Errorf("%v, %v, want %v", ids(wc[:n]), err, want)
		}
	}
	if n := calls(t, d, "req_notify_cq"); n != 0 {
		t.Errorf("armed %d times though completions were there", n)
	}
	if n, err := q.Wait(canceled, wc); n != 0 || err != context.Canceled {
		t.Errorf("%d, %v, want the error of ctx itself", n, err)
	}
}

func TestWaitWakesOnAnEvent(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	for i := range uint64(20) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			wc := make([]ibv.WC, 4)
			if n, err := q.Wait(t.Context(), wc); n != 1 || err != nil || wc[0].WRID != i {
				t.Errorf("%d, %v", n, err)
			}
		}()
		parked(t, d, q, 1, int(i)+1)
		push(t, d, q, i)
		soon(t, "Wait", func() { <-done })
	}
}

// What comes before the queue is armed raises no event: the poll after arming finds it.
func TestWaitPollsAgainAfterArming(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	d.Fail("req_notify_cq", softdev.Fault{Delay: 50 * time.Millisecond})
	go func() {
		for n := uint64(0); n == 0; n, _ = d.Calls("req_notify_cq") { // which then waits
			time.Sleep(time.Millisecond)
		}
		d.Complete(q.raw, &ibv.WC{WRID: 9}, false)
	}()
	soon(t, "Wait", func() {
		wc := make([]ibv.WC, 4)
		if n, err := q.Wait(t.Context(), wc); n != 1 || err != nil || wc[0].WRID != 9 {
			t.Errorf("%d, %v", n, err)
		}
	})
	if n := calls(t, d, "req_notify_cq"); n != 1 {
		t.Errorf("armed %d times", n)
	}
}

func TestWaitRefuses(t *testing.T) {
	d, c := testDevice(t)
	none, q := testCQ(t, c, 16, false), testCQ(t, c, 16, true)
	_, err := none.Wait(t.Context(), make([]ibv.WC, 1))
	wantError(t, err, "ibv_req_notify_cq", none.name, syscall.EINVAL, "without a completion channel")
	_, err = q.Wait(t.Context(), nil)
	wantError(t, err, "ibv_req_notify_cq", q.name, syscall.EINVAL, "no room")
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOMEM} {
		d.Fail("req_notify_cq", softdev.Fault{Errno: errno})
		_, err = q.Wait(t.Context(), make([]ibv.WC, 1))
		wantError(t, err, "ibv_req_notify_cq", q.name, errno)
		d.Fail("req_notify_cq", softdev.Fault{Errno: errno})
		_, err = q.WaitSolicited(t.Context(), make([]ibv.WC, 1))
		wantError(t, err, "ibv_req_notify_cq", q.name, errno)
	}
}

// Two CQs share a channel; each goroutine has its own context, and ending one wakes nobody else.
func TestWaitersOnDifferentContexts(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	a := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
	b := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
	type result struct {
		n   int
		err error
	}
	wait := func(ctx context.Context, q *CQ) chan result {
		r := make(chan result, 1)
		go func() {
			n, err := q.Wait(ctx, make([]ibv.WC, 4))
			r <- result{n, err}
		}()
		return r
	}
	get := func(r chan result) result {
		t.Helper()
		select {
		case v := <-r:
			return v
		case <-time.After(10 * time.Second):
			t.Fatal("Wait does not end")
			return result{}
		}
	}
	ctx1, cancel1 := context.WithCancel(t.Context())
	ctx2, cancel2 := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel1()
	defer cancel2()
	w1, w2, w3 := wait(ctx1, a), wait(ctx2, a), wait(t.Context(), b)
	if r := get(w2); r.n != 0 || r.err != context.DeadlineExceeded {
		t.Errorf("%+v", r)
	}
	parked(t, d, a, 1, 3)
	cancel1()
	if r := get(w1); r.n != 0 || r.err != context.Canceled {
		t.Errorf("%+v", r)
	}
	select {
	case r := <-w3:
		t.Errorf("%+v though nothing has happened to the other queue", r)
	default:
	}
	push(t, d, b, 1, 2)
	if r := get(w3); r.n < 1 || r.err != nil {
		t.Errorf("%+v", r)
	}
}

// One event may stand for several completions; no goroutine sleeps while there are some.
func TestWaitersShareCompletions(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, true)
	for range 20 {
		const n = 8
		var wg sync.WaitGroup
		var got atomic.Int32
		before := calls(t, d, "req_notify_cq")
		for i := range n {
			wg.Go(func() {
				wait := q.Wait
				if i%4 == 3 {
					wait = q.WaitSolicited // somebody waits for any, so any will do
				}
				k, err := wait(t.Context(), make([]ibv.WC, 1))
				if k != 1 || err != nil {
					t.Errorf("%d, %v", k, err)
				}
				got.Add(1)
			})
		}
		parked(t, d, q, n, before+n)
		push(t, d, q, make([]uint64, n)...)
		eventually(t, "completion for all but those that wait for solicited ones alone", func() bool { return got.Load() >= n-2 })
		d.Complete(q.raw, &ibv.WC{}, true)
		d.Complete(q.raw, &ibv.WC{}, true)
		soon(t, "Wait", wg.Wait)
		for waiting(q) > 0 {
			time.Sleep(time.Millisecond)
		}
		for k := 1; k > 0; {
			k, _ = q.Poll(make([]ibv.WC, 64))
		}
	}
}

func TestWaitSolicited(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	for name, wake := range map[string]func() error{
		"solicited": func() error { return d.Complete(q.raw, &ibv.WC{WRID: 2}, true) },
		"failed":    func() error { return d.Complete(q.raw, &ibv.WC{WRID: 2, Status: ibv.IBV_WC_WR_FLUSH_ERR}, false) },
	} {
		done := make(chan struct{})
		before := calls(t, d, "req_notify_cq")
		go func() {
			defer close(done)
			wc := make([]ibv.WC, 4)
			if n, err := q.WaitSolicited(t.Context(), wc); err != nil || !slices.Equal(ids(wc[:n]), []uint64{1, 2}) {
				t.Errorf("%s: %v, %v", name, ids(wc[:n]), err)
			}
		}()
		parked(t, d, q, 1, before+1)
		push(t, d, q, 1)
		select {
		case <-done:
			t.Fatalf("%s: woken by what was not solicited", name)
		case <-time.After(20 * time.Millisecond):
		}
		if err := wake(); err != nil {
			t.Fatal(err)
		}
		soon(t, "WaitSolicited", func() { <-done })
	}
}

// One that waits for solicited completions must not have the device forget that another one waits for any, whether it arms once or again.
func TestSolicitedDoesNotWeakenAny(t *testing.T) {
	for name, again := range map[string]bool{"once": false, "again": true} {
		t.Run(name, func(t *testing.T) { testSolicitedDoesNotWeakenAny(t, again) })
	}
}

func testSolicitedDoesNotWeakenAny(t *testing.T, again bool) {
	d, c := testDeviceWith(t, softdev.Config{LastNotify: true}, OpenAttr{})
	q := testCQ(t, c, 16, true)
	any, solicited := make(chan error, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, err := q.Wait(ctx, make([]ibv.WC, 1)); any <- err }()
	parked(t, d, q, 1, 1)
	go func() { _, err := q.WaitSolicited(ctx, make([]ibv.WC, 1)); solicited <- err }()
	parked(t, d, q, 2, 2)
	if again {
		q.events.stir() // one of them looks, finds nothing, and arms again
		eventually(t, "arming", func() bool { return calls(t, d, "req_notify_cq") >= 3 })
	}
	ok(t, q.reqNotify(true)) // as does the program itself
	push(t, d, q, 1)
	select {
	case err := <-any:
		if err != nil {
			t.Error(err)
		}
	case err := <-solicited:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody was woken")
	}
	cancel()
}

func TestCloseWakesWhoWaits(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			wait := q.Wait
			if i%2 == 1 {
				wait = q.WaitSolicited
			}
			_, err := wait(t.Context(), make([]ibv.WC, 1))
			wantClosed(t, err)
		})
	}
	parked(t, d, q, 4, 4)
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	soon(t, "Wait", wg.Wait)
	_, err := q.Wait(t.Context(), make([]ibv.WC, 1))
	wantClosed(t, err)
}

func TestAllYieldsBatchesAndLeavingLosesNothing(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 256, true)
	want := make([]uint64, 150)
	for i := range want {
		want[i] = uint64(i)
	}
	push(t, d, q, want...)
	var got []uint64
	for len(got) < len(want) {
		for wc, err := range q.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if len(wc) > 64 || len(wc) == 0 {
				t.Errorf("a batch of %d", len(wc))
			}
			got = append(got, ids(wc)...)
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// A queue that is never empty does not keep the loop from ending, and what is in it stays there.
func TestAllEndsThoughThereAreCompletions(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	push(t, d, q, 0)
	n, last := uint64(0), error(nil)
	for wc, err := range q.All(ctx) {
		if last = err; err != nil || n == 10 {
			break
		}
		if n += uint64(len(wc)); n == 3 {
			cancel()
		}
		push(t, d, q, n)
	}
	if n != 3 || last != context.Canceled {
		t.Errorf("%d completions, then %v", n, last)
	}
	one(t, q, 3, ibv.IBV_WC_SUCCESS)
	// A nil context is never done.
	push(t, d, q, 9)
	var never context.Context
	for wc, err := range q.All(never) {
		if err != nil || len(wc) != 1 || wc[0].WRID != 9 {
			t.Errorf("%+v, %v", wc, err)
		}
		break
	}
}

func TestAllEndsWithTheError(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	all := func(ctx context.Context) (batches int, errs []error) {
		for wc, err := range q.All(ctx) {
			if err == nil {
				batches++
			} else if errs = append(errs, err); wc != nil {
				t.Errorf("completions beside %v", err)
			}
		}
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	push(t, d, q, 1)
	if n, errs := all(ctx); n != 1 || len(errs) != 1 || errs[0] != context.DeadlineExceeded {
		t.Errorf("%d batches, then %v", n, errs)
	}
	d.Fail("poll_cq", softdev.Fault{Errno: syscall.EFAULT})
	n, errs := all(t.Context())
	if n != 0 || len(errs) != 1 {
		t.Fatalf("%d batches, then %v", n, errs)
	}
	wantError(t, errs[0], "ibv_poll_cq", q.name, syscall.EFAULT, "may have been lost")
	// The body closes the queue.
	push(t, d, q, 2)
	var last error
	for wc, err := range q.All(t.Context()) {
		if last = err; err == nil && len(wc) == 1 {
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	wantClosed(t, last)
}

// Acknowledging each event is slow, and not doing it has destroy wait for ever.
func TestEventsAreAcknowledgedInBatchesAndAtClose(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	wc := make([]ibv.WC, 4)
	event := func(i int) {
		if err := q.reqNotify(false); err != nil {
			t.Fatal(err)
		}
		push(t, d, q, uint64(i))
		q.channel.events.drain()
		<-q.events.wake
		if n, err := q.Poll(wc); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	for i := range 64*2 + 10 {
		event(i)
	}
	if n := calls(t, d, "ack_cq_events"); n != 2 {
		t.Errorf("%d calls acknowledge 138 events, want 2", n)
	}
	soon(t, "Close", func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	if n := calls(t, d, "ack_cq_events"); n != 3 {
		t.Errorf("%d calls after Close, want 3", n)
	}
}

// An event that is taken while the queue is being destroyed is acknowledged at once: destroying waits for it.
func TestCloseAcknowledgesWhatComesMeanwhile(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	leader := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: q.channel})))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := leader.Wait(ctx, make([]ibv.WC, 1)); left <- err }()
	parked(t, d, leader, 1, 1)
	if err := q.reqNotify(false); err != nil {
		t.Fatal(err)
	}
	d.Fail("destroy_cq", softdev.Fault{Delay: 500 * time.Millisecond})
	go func() {
		for n, _ := d.Calls("destroy_cq"); n == 0; n, _ = d.Calls("destroy_cq") {
			time.Sleep(time.Millisecond)
		}
		d.Complete(q.raw, &ibv.WC{}, false) // the queue is there until the delay is over
	}()
	soon(t, "Close", func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	if n := calls(t, d, "ack_cq_events"); n != 1 {
		t.Errorf("acknowledged %d times", n)
	}
	cancel()
	soon(t, "Wait", func() {
		if err := <-left; err != context.Canceled {
			t.Error(err)
		}
	})
}

// Who leads the channel may be about to acknowledge some while the queue is closed, and new ones may come meanwhile.
func TestCloseBesideEvents(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	for range 200 {
		q := must(c.CreateCQ(CQAttr{CQE: 64, Channel: channel}))
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range 20 {
				if q.reqNotify(i%2 == 0) != nil {
					return
				}
				if !q.enter() { // C must not see a queue that is gone
					return
				}
				d.Complete(q.raw, &ibv.WC{}, true)
				q.leave(0)
			}
		})
		wg.Go(func() {
			for {
				if _, err := q.Wait(t.Context(), make([]ibv.WC, 2)); err != nil {
					wantClosed(t, err)
					return
				}
			}
		})
		wg.Go(func() {
			for {
				if _, err := q.PollSpin(make([]ibv.WC, 2), 0); err != nil {
					wantClosed(t, err)
					return
				}
			}
		})
		time.Sleep(100 * time.Microsecond)
		var closers sync.WaitGroup
		for range 2 {
			closers.Go(func() {
				if err := q.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		soon(t, "Close", closers.Wait)
		soon(t, "Wait", wg.Wait)
	}
}

// A destroy that fails leaves a queue that works, with its channel.
func TestFailedCloseOfAQueue(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	d.Fail("destroy_cq", softdev.Fault{Errno: syscall.EBUSY})
	wantError(t, q.Close(), "ibv_destroy_cq", q.name, syscall.EBUSY)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if n, err := q.Wait(t.Context(), make([]ibv.WC, 1)); n != 1 || err != nil {
			t.Error(n, err)
		}
	}()
	parked(t, d, q, 1, 1)
	push(t, d, q, 1)
	soon(t, "Wait", func() { <-done })
	if n := d.Objects(); n.CQs != 1 {
		t.Errorf("%v", n)
	}
}

func TestFailedCloseOfAChannel(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.EIO} { // EIO of a device that is not lost
		d.Fail("destroy_comp_channel", softdev.Fault{Errno: errno})
		wantError(t, channel.Close(), "ibv_destroy_comp_channel", channel.name, errno)
	}
	q := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
	wantError(t, channel.Close(), "ibv_destroy_comp_channel", channel.name, syscall.EBUSY, q.name)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if n, err := q.Wait(t.Context(), make([]ibv.WC, 1)); n != 1 || err != nil {
			t.Error(n, err)
		}
	}()
	parked(t, d, q, 1, 1)
	push(t, d, q, 1)
	soon(t, "Wait", func() { <-done })
}

// Events of a queue that somebody has made on the channel by other means are acknowledged, or that queue could never be destroyed.
func TestChannelServesForeignQueues(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	own := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
	for i, cookie := range []uintptr{own.number, 0, 12345} { // the first is that of another
		raw := must(cverbs.CreateCQ(c.Raw(), 16, cookie, channel.Raw(), 0))
		if errno := cverbs.ReqNotifyCQ(raw, 0); errno != 0 {
			t.Fatal(errno)
		}
		if err := d.Complete(raw, &ibv.WC{}, false); err != nil {
			t.Fatal(err)
		}
		channel.events.drain()
		if n := calls(t, d, "ack_cq_events"); n != i+1 {
			t.Errorf("%d events are acknowledged, want %d", n, i+1)
		}
		soon(t, "ibv_destroy_cq", func() {
			if err := cverbs.DestroyCQ(raw); err != nil {
				t.Error(err)
			}
		})
	}
	if len(own.events.wake) != 0 {
		t.Error("the event has woken another queue")
	}
}

// If a channel's events can no longer be taken, nobody waits for one.
func TestWaitEndsWithTheChannel(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	d.Fail("get_cq_event", softdev.Fault{Errno: syscall.EINTR})
	d.Fail("get_cq_event", softdev.Fault{Errno: syscall.EIO})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := q.Wait(t.Context(), make([]ibv.WC, 1))
		if err == nil { // the completion that has woken the reader
			_, err = q.Wait(t.Context(), make([]ibv.WC, 1))
		}
		wantError(t, err, "ibv_get_cq_event", q.channel.name, syscall.EIO)
	}()
	// The reader is at the faults already, or will be when it is woken.
	for waiting(q) == 0 && !isClosed(q.channel.events.ended) {
		time.Sleep(time.Millisecond)
	}
	push(t, d, q, 1)
	soon(t, "Wait", func() { <-done })
}

// What is in the queue when the channel's events end comes before their error.
func TestCompletionsComeBeforeTheChannelsError(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	wc, waited := make([]ibv.WC, 4), make(chan error)
	n := 0
	go func() {
		var err error
		n, err = q.Wait(t.Context(), wc)
		waited <- err
	}()
	parked(t, d, q, 1, 1)
	ok(t, d.Fail("get_cq_event", softdev.Fault{Errno: syscall.EIO}))
	push(t, d, q, 7) // whose event cannot be taken
	soon(t, "Wait", func() {
		if err := <-waited; err != nil || !slices.Equal(ids(wc[:n]), []uint64{7}) {
			t.Errorf("%v, %v", ids(wc[:n]), err)
		}
	})
	_, err := q.Wait(t.Context(), wc)
	wantError(t, err, "ibv_get_cq_event", q.Channel().String(), syscall.EIO)
}

func TestWakingMakesNoGarbage(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	d, c := testDevice(t)
	q := testCQ(t, c, 16, true)
	wc, sent := make([]ibv.WC, 4), &ibv.WC{}
	again := make(chan struct{})
	defer close(again)
	go func() {
		for range again {
			for waiting(q) == 0 {
				time.Sleep(50 * time.Microsecond)
			}
			time.Sleep(500 * time.Microsecond)
			d.Complete(q.raw, sent, false)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	completing := testing.AllocsPerRun(100, func() {
		d.Complete(q.raw, sent, false)
		if n, err := q.Poll(wc); n != 1 || err != nil {
			t.Error(n, err)
		}
	})
	before := calls(t, d, "get_cq_event")
	n := testing.AllocsPerRun(100, func() {
		again <- struct{}{}
		if n, err := q.Wait(ctx, wc); n != 1 || err != nil {
			t.Error(n, err)
		}
	})
	if n > completing {
		t.Errorf("%v allocations, of which the device makes %v", n, completing)
	}
	if events := calls(t, d, "get_cq_event") - before; events < 50 {
		t.Errorf("only %d calls for events: it did not park", events)
	}
}
