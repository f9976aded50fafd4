//go:build linux && cgo

package verbs

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// ringError waits for an error, before which n completions have to come.
func ringError(t *testing.T, r *Ring, n int) error {
	t.Helper()
	wc, err := ringTake(t, r, n+1)
	if len(wc) != n {
		t.Errorf("%d completions before %v, want %d", len(wc), err, n)
	}
	return err
}

// What polling returns reaches the consumer once, behind the completions before it, and the queue is polled again. It is what CQ.Poll would have said.
func TestRingPollFails(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 64}, 64, 64)
	d2, c2 := testDevice(t)
	other := testCQ(t, c2, 4, false)
	for _, fault := range []softdev.Fault{{Errno: syscall.ENOMEM}, faultOf(-1), faultOf(-5000), faultOf(70)} {
		asleep(t, r)
		push(t, d, cqs[0], 1, 2)
		if wc, err := ringTake(t, r, 2); len(wc) != 2 || err != nil {
			t.Fatal(ids(wc), err)
		}
		asleep(t, r)
		ok(t, d.Fail("poll_cq", fault))
		push(t, d, cqs[1], 3)
		got, err := ringTake(t, r, 2) // the completion comes first if the other queue has failed
		ok(t, d2.Fail("poll_cq", fault))
		_, want := other.Poll(make([]ibv.WC, 64))
		var e, w *Error
		if !errors.As(err, &e) || !errors.As(want, &w) || e.Verb != w.Verb || e.Errno != w.Errno || e.Hint != w.Hint || e.cause() != w.cause() ||
			e.Object != cqs[0].String() && e.Object != cqs[1].String() {
			t.Errorf("%v; polling says %v", err, want)
		}
		rest, err := ringTake(t, r, 1-len(got))
		if got = append(got, rest...); len(got) != 1 || got[0].WRID != 3 || err != nil {
			t.Error(ids(got), err)
		}
	}
}

// A queue that cannot be armed is told of by who waits, and polled on.
func TestRingArmingFails(t *testing.T) {
	d, c := testDevice(t)
	r := closing(t, must(c.CreateRing(RingAttr{Entries: 64})))
	ok(t, d.Fail("req_notify_cq", softdev.Fault{Errno: syscall.EIO, Value: -int(syscall.EIO)}))
	q := closing(t, must(r.CreateCQ(CQAttr{CQE: 64})))
	wantError(t, ringError(t, r, 0), "ibv_req_notify_cq", q.String(), syscall.EIO)
	push(t, d, q, 1)
	if wc, err := ringTake(t, r, 1); len(wc) != 1 || err != nil {
		t.Error(ids(wc), err)
	}
}

// A channel that cannot be read costs the thread its sleep, and nothing else.
func TestRingEventsFail(t *testing.T) {
	d, c := testDevice(t)
	r := closing(t, must(c.CreateRing(RingAttr{Entries: 64})))
	ok(t, d.Fail("get_cq_event", softdev.Fault{Errno: syscall.EBADF}))
	q := closing(t, must(r.CreateCQ(CQAttr{CQE: 64})))
	wantError(t, ringError(t, r, 0), "ibv_get_cq_event", r.String(), syscall.EBADF, "does not sleep any more")
	sleeps := r.Stats().Sleeps
	for i := range uint64(10) {
		time.Sleep(time.Millisecond)
		push(t, d, q, i)
		if wc, err := ringTake(t, r, 1); len(wc) != 1 || err != nil {
			t.Fatal(ids(wc), err)
		}
	}
	if n := r.Stats().Sleeps; n != sleeps {
		t.Errorf("it has slept %d times since", n-sleeps)
	}
}

// An overrun comes behind what the queue held, and stays; other queues go on, until that one is closed.
func TestRingOverrun(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	r := closing(t, must(c.CreateRing(RingAttr{Entries: 2})))
	bad, good := must(r.CreateCQ(CQAttr{CQE: 4})), closing(t, must(r.CreateCQ(CQAttr{CQE: 64})))
	pd := closing(t, must(c.AllocPD()))
	qp := must(pd.CreateQP(QPAttr{SendCQ: bad, RecvCQ: good, MaxSendWR: 1, MaxRecvWR: 1}))
	push(t, d, bad, 0, 1)
	eventually(t, "full ring", func() bool { return r.Stats().Stalls > 0 && r.Stats().Taken == 2 })
	push(t, d, bad, 2, 3, 4, 5)
	if err := d.Complete(bad.raw, &ibv.WC{}, false); !errors.Is(err, syscall.EOVERFLOW) {
		t.Fatal(err)
	}
	eventually(t, "event", func() bool { return bad.events.overrun.Load() })
	for i, n := range []int{6, 0, 0} {
		err := ringError(t, r, n)
		wantError(t, err, "ibv_poll_cq", bad.String(), 0, "make it larger")
		if !errors.Is(err, ErrCQOverrun) {
			t.Errorf("time %d: %v", i, err)
		}
	}
	push(t, d, good, 7)
	r.state.poller.Flush()
	if wc, err := r.Next(); len(wc) != 1 || wc[0].WRID != 7 || err != nil {
		t.Error(ids(wc), err)
	}
	if _, err := r.Next(); !errors.Is(err, ErrCQOverrun) {
		t.Error(err)
	}
	if !qp.sq.tallied.Load().broken.Load() {
		t.Error("the send queue goes on to count on completions that are lost")
	}
	ok(t, qp.Close())
	ok(t, d.Fail("destroy_cq", softdev.Fault{Errno: syscall.EINVAL}))
	wantError(t, bad.Close(), "ibv_destroy_cq", bad.String(), syscall.EINVAL)
	r.state.poller.Flush()
	if err := ringError(t, r, 0); !errors.Is(err, ErrCQOverrun) {
		t.Errorf("after it could not be closed: %v", err)
	}
	ok(t, bad.Close())
	if wc, err := r.Next(); wc != nil || err != nil {
		t.Error(ids(wc), err)
	}
	push(t, d, good, 8)
	if wc, err := ringTake(t, r, 1); len(wc) != 1 || err != nil {
		t.Error(ids(wc), err)
	}
}

// An overrun, which is told again and again, keeps nobody from hearing of another CQ's failure, whichever of them came first.
func TestRingOverrunBesideAFailure(t *testing.T) {
	for lost := range 2 {
		d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
		r, cqs := testRing(t, c, RingAttr{Entries: 1}, 1)
		r.state.poller.Flush() // the thread has the two in this order
		cqs = append(cqs, closing(t, must(r.CreateCQ(CQAttr{CQE: 1}))))
		push(t, d, cqs[lost], 0)
		eventually(t, "full ring", func() bool { return r.Stats().Taken == 1 })
		push(t, d, cqs[lost], 1)
		if err := d.Complete(cqs[lost].raw, &ibv.WC{}, false); !errors.Is(err, syscall.EOVERFLOW) {
			t.Fatal(err)
		}
		if err := ringError(t, r, 2); !errors.Is(err, ErrCQOverrun) {
			t.Fatal(err)
		}
		ok(t, d.Fail("poll_cq", softdev.Fault{Errno: syscall.EIO}))
		r.state.poller.Flush()
		wantError(t, ringError(t, r, 0), "ibv_poll_cq", cqs[1-lost].String(), syscall.EIO, hintPollFailed)
		if err := ringError(t, r, 0); !errors.Is(err, ErrCQOverrun) {
			t.Error(err)
		}
	}
}

// Those that wait on a device that is lost get what it has flushed, and then EIO. Everything can be closed.
func TestRingDeviceLost(t *testing.T) {
	for _, spin := range []time.Duration{-1, time.Nanosecond, 0} {
		d, err := softdev.New(softdev.Config{})
		ok(t, err)
		c := must(AdoptDevice(d.Raw(), "test", nil).Open())
		r := must(c.CreateRing(RingAttr{Entries: 64, Spin: spin}))
		q := must(r.CreateCQ(CQAttr{CQE: 64}))
		pd := must(c.AllocPD())
		qp := must(pd.CreateQP(QPAttr{SendCQ: q, RecvCQ: q, MaxSendWR: 4, MaxRecvWR: 4}))
		ok(t, qp.Connect(must(qp.Endpoint()), ConnectAttr{}))
		ok(t, qp.Recv(RecvWR{WRID: 5}))
		result := make(chan error, 1)
		go func() {
			flushed := 0
			for wc, err := range r.All(t.Context()) {
				if flushed += len(wc); err != nil {
					if flushed != 1 {
						t.Errorf("%d completions before %v, want the receive's", flushed, err)
					}
					result <- err
				}
			}
		}()
		time.Sleep(time.Millisecond)
		d.Lose()
		soon(t, "wait", func() {
			err := <-result
			if strings.Contains(err.Error(), "cq 1") { // it could not be armed, perhaps before the event came
				wantError(t, err, "ibv_req_notify_cq", q.String(), syscall.EIO)
			} else {
				wantError(t, err, "ibv_req_notify_cq", r.String(), syscall.EIO, hintLost)
			}
		})
		eventually(t, "loss", c.Lost)
		for _, o := range []interface{ Close() error }{qp, pd, q, r, c} {
			ok(t, o.Close())
		}
		if o := d.Objects(); o.Total() != 0 {
			t.Error(o)
		}
		ok(t, d.Close())
	}
}

// The loss of the device itself wakes who waits, though no CQ has anything.
func TestRingWithoutCQsDeviceLost(t *testing.T) {
	d, err := softdev.New(softdev.Config{})
	ok(t, err)
	c := must(AdoptDevice(d.Raw(), "test", nil).Open())
	r := must(c.CreateRing(RingAttr{Entries: 1}))
	time.AfterFunc(10*time.Millisecond, d.Lose)
	soon(t, "wait", func() {
		_, err := r.Wait(t.Context())
		wantError(t, err, "ibv_req_notify_cq", r.String(), syscall.EIO, hintLost)
	})
	ok(t, r.Close())
	ok(t, c.Close())
	ok(t, d.Close())
}

// A CQ that cannot be destroyed stays in the ring.
func TestRingCQDestroyFails(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 64}, 64)
	ok(t, d.Fail("destroy_cq", softdev.Fault{Errno: syscall.EINVAL}))
	wantError(t, cqs[0].Close(), "ibv_destroy_cq", cqs[0].String(), syscall.EINVAL)
	asleep(t, r)
	push(t, d, cqs[0], 1)
	if wc, err := ringTake(t, r, 1); len(wc) != 1 || err != nil {
		t.Error(ids(wc), err)
	}
	// So does a ring.
	other := must(c.CreateRing(RingAttr{Entries: 1}))
	ok(t, d.Fail("destroy_comp_channel", softdev.Fault{Errno: syscall.EINVAL}))
	wantError(t, other.Close(), "ibv_destroy_comp_channel", other.String(), syscall.EINVAL)
	q := must(other.CreateCQ(CQAttr{CQE: 1}))
	push(t, d, q, 1)
	if wc, err := ringTake(t, other, 1); len(wc) != 1 || err != nil {
		t.Error(ids(wc), err)
	}
	ok(t, q.Close())
	ok(t, other.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := other.Wait(ctx)
	wantClosed(t, err)
}
