//go:build linux && cgo

package verbs

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// asleep wakes the ring's thread, and waits until it has gone to sleep again.
func asleep(t testing.TB, r *Ring) {
	t.Helper()
	sleeps := r.Stats().Sleeps
	r.state.poller.Flush()
	eventually(t, "sleep of the thread", func() bool { return r.Stats().Sleeps > sleeps })
}

// The thread sleeps on its channel, and completions wake it, and who waits, each time.
func TestRingSleepsAndWakes(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 16, Spin: time.Microsecond}, 16, 16)
	// On a busy machine who waits often comes too late to be woken.
	rounds := uint64(0)
	for late := time.Now().Add(20 * time.Second); rounds < 200 || r.Stats().Wakes < 50 && time.Now().Before(late); rounds++ {
		i, got := rounds, make(chan []ibv.WC, 1)
		go func() {
			wc, err := ringTake(t, r, 1)
			if err != nil {
				t.Error(err)
			}
			got <- wc
		}()
		if i%2 == 0 {
			asleep(t, r)
		}
		push(t, d, cqs[i%2], i)
		if wc := <-got; len(wc) != 1 || wc[0].WRID != i {
			t.Fatalf("%v, want number %d", ids(wc), i)
		}
	}
	if s := r.Stats(); s.Taken != rounds || s.Sleeps < 100 || s.Wakes < 50 {
		t.Errorf("%+v after %d rounds", s, rounds)
	}
	if n := calls(t, d, "get_cq_event"); n < 100 {
		t.Errorf("%d events were taken", n)
	}
}

// A thread that is not to sleep has no channel, and arms nothing.
func TestRingWithoutSleep(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 16, Spin: -1}, 16)
	if o := d.Objects(); o.CompChannels != 0 {
		t.Error(o)
	}
	for i := range uint64(100) {
		push(t, d, cqs[0], i)
		must(ringTake(t, r, 1))
	}
	if s := r.Stats(); s.Sleeps != 0 || calls(t, d, "req_notify_cq") != 0 {
		t.Errorf("%+v, armed %d times", s, calls(t, d, "req_notify_cq"))
	}
}

// A context ends a wait, also one that has been used before, and the next one is not touched by it.
func TestRingWaitEndsWithItsContext(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 16}, 16)
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		push(t, d, cqs[0], 1)
		r.state.poller.Flush()
		if wc, err := r.Wait(ctx); len(wc) != 1 || err != nil {
			t.Fatal(wc, err)
		}
		for range 2 {
			if wc, err := r.Wait(ctx); wc != nil || err != context.DeadlineExceeded {
				t.Fatal(wc, err)
			}
		}
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if wc, err := r.Wait(ctx); wc != nil || err != context.Canceled {
			t.Fatal(wc, err)
		}
		push(t, d, cqs[0], 2)
		r.state.poller.Flush()
		if wc, err := r.Wait(ctx); len(wc) != 1 || err != nil { // though the context is done
			t.Fatal(wc, err)
		}
	}
	n := 0
	push(t, d, cqs[0], 3, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for wc, err := range r.All(ctx) {
		if n += len(wc); n >= 2 {
			cancel()
		}
		if err != nil && err != context.Canceled {
			t.Error(err)
		}
	}
	if n != 2 {
		t.Errorf("%d completions", n)
	}
}

// Close wakes who waits; what is in the ring comes first.
func TestRingCloseWakes(t *testing.T) {
	for range 50 {
		d, c := testDevice(t)
		r := must(c.CreateRing(RingAttr{Entries: 16}))
		q := must(r.CreateCQ(CQAttr{CQE: 16}))
		push(t, d, q, 1, 2, 3)
		must(ringTake(t, r, 1))
		done := make(chan int, 1)
		go func() {
			n := 0
			for wc, err := range r.All(context.Background()) {
				n += len(wc)
				if err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			}
			done <- n
		}()
		push(t, d, q, 4, 5)
		ok(t, q.Close())
		ok(t, r.Close())
		soon(t, "wait", func() { <-done })
		if s := r.Stats(); s.Taken != 5 {
			t.Errorf("%+v, want 5 taken", s)
		}
		_, err := r.Next()
		wantClosed(t, err)
		var none context.Context
		_, err = r.Wait(none)
		wantClosed(t, err)
	}
}

// Closing a CQ, and then the ring, loses nothing that the CQ held.
func TestRingCloseLosesNothing(t *testing.T) {
	for _, attr := range []RingAttr{{Entries: 1024, Spin: -1}, {Entries: 1024, Spin: time.Nanosecond}, {Entries: 1024, Spin: time.Second}, {Entries: 1}, {Entries: 64, Spin: -1}} {
		d, c := testDevice(t)
		r := must(c.CreateRing(attr))
		a, b := must(r.CreateCQ(CQAttr{CQE: 256})), must(r.CreateCQ(CQAttr{CQE: 256}))
		for i := range uint64(100) {
			push(t, d, a, i)
			push(t, d, b, 100+i)
		}
		ok(t, a.Close())
		ok(t, b.Close())
		ok(t, r.Close())
		var next [2]uint64
		for range 1024 {
			wc, err := r.Next()
			if err != nil {
				wantClosed(t, err)
				break
			}
			for i := range wc {
				q := wc[i].WRID / 100
				if wc[i].WRID != 100*q+next[q] {
					t.Fatalf("number %d in place %d", wc[i].WRID, next[q])
				}
				next[q]++
			}
		}
		if next != [2]uint64{100, 100} {
			t.Errorf("%v completions, want 100 each", next)
		}
	}
}

// CQs come and go while others have traffic, the thread sleeps now and then, and Stats and Close are called.
func TestRingCQsComeAndGo(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 1 << 18, Spin: 20 * time.Microsecond}, 256) // never full
	const n = 3000
	var wg sync.WaitGroup
	stop := make(chan struct{})
	extra := uint64(0)
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			q, err := r.CreateCQ(CQAttr{CQE: 8})
			if err != nil {
				t.Error(err)
				return
			}
			push(t, d, q, 1<<32, 1<<32, 1<<32)
			extra += 3
			_ = r.Stats()
			if err := r.Close(); !errors.Is(err, syscall.EBUSY) {
				t.Error(err)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
			runtime.Gosched()
		}
	})
	seen, others := uint64(0), uint64(0)
	count := func(wc []ibv.WC) {
		for i := range wc {
			switch wc[i].WRID {
			case 1 << 32:
				others++
			case seen:
				seen++
			default:
				t.Fatalf("number %d in place %d", wc[i].WRID, seen)
			}
		}
	}
	for i := range uint64(n) {
		push(t, d, cqs[0], i)
		if i%100 == 99 {
			for seen <= i {
				wc, err := ringTake(t, r, 1)
				ok(t, err)
				count(wc)
			}
		}
		if i%500 == 0 {
			time.Sleep(200 * time.Microsecond)
		}
	}
	close(stop)
	wg.Wait()
	r.state.poller.Flush()
	for {
		wc, err := r.Next()
		ok(t, err)
		if wc == nil {
			break
		}
		count(wc)
	}
	if seen != n || others != extra {
		t.Errorf("%d of %d, and %d of %d", seen, n, others, extra)
	}
}

// A watchedContext counts who wants to be told of its end.
type watchedContext struct {
	context.Context
	watchers atomic.Int64
}

func (c *watchedContext) Value(any) any { return nil } // else package context knows a shorter way

func (c *watchedContext) AfterFunc(f func()) func() bool {
	c.watchers.Add(1)
	stop := context.AfterFunc(c.Context, f)
	return func() bool {
		stopped := stop()
		if stopped {
			c.watchers.Add(-1)
		}
		return stopped
	}
}

// A context that outlives a ring keeps nothing of it, whether the consumer has heard of the end or not.
func TestRingLeavesContextsAlone(t *testing.T) {
	d, c := testDevice(t)
	for _, hears := range []bool{false, true} {
		ctx := &watchedContext{Context: t.Context()}
		r := must(c.CreateRing(RingAttr{Entries: 4}))
		q := must(r.CreateCQ(CQAttr{CQE: 1}))
		time.AfterFunc(5*time.Millisecond, func() { push(t, d, q, 1) })
		must(r.Wait(ctx))
		if n := ctx.watchers.Load(); n != 1 {
			t.Fatalf("%d watch while it is open", n)
		}
		ok(t, q.Close())
		if hears {
			time.AfterFunc(5*time.Millisecond, func() { ok(t, r.Close()) })
			_, err := r.Wait(ctx)
			wantClosed(t, err)
		}
		ok(t, r.Close())
		eventually(t, "end", func() bool { return ctx.watchers.Load() == 0 })
		r.state.poller.Park(ctx)
		if n := ctx.watchers.Load(); n != 0 {
			t.Errorf("%d watch a ring that is closed", n)
		}
	}
}

// Threads, descriptors and goroutines are not left behind.
func TestRingLeavesNothingBehind(t *testing.T) {
	d, err := softdev.New(softdev.Config{})
	ok(t, err)
	c := must(AdoptDevice(d.Raw(), "test", nil).Open())
	round := func() {
		r := must(c.CreateRing(RingAttr{Entries: 4}))
		q := must(r.CreateCQ(CQAttr{CQE: 1}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, _ = r.Wait(ctx)
		cancel()
		ok(t, q.Close())
		ok(t, r.Close())
	}
	round()
	fds, threads := entriesOf("/proc/self/fd"), entriesOf("/proc/self/task")
	for range 50 {
		round()
	}
	if n := entriesOf("/proc/self/fd"); n > fds {
		t.Errorf("%d descriptors, at first %d", n, fds)
	}
	if n := entriesOf("/proc/self/task"); n > threads+10 { // Go may have started some
		t.Errorf("%d threads, at first %d", n, threads)
	}
	ok(t, c.Close())
	if o := d.Objects(); o.Total() != 0 {
		t.Error(o)
	}
	ok(t, d.Close())
}

// A ring whose handle is lost is reported, keeps its thread, and keeps the context open.
func TestRingLeak(t *testing.T) {
	d, err := softdev.New(softdev.Config{})
	ok(t, err)
	leaks := make(chan Leak, 4)
	c := must(AdoptDevice(d.Raw(), "test", nil).OpenWith(OpenAttr{OnLeak: func(l Leak) { leaks <- l }}))
	func() { must(must(c.CreateRing(RingAttr{Entries: 4})).CreateCQ(CQAttr{CQE: 1})) }()
	seen := map[string]bool{}
	for len(seen) < 2 {
		runtime.GC()
		select {
		case l := <-leaks:
			seen[l.Object] = true
		case <-time.After(10 * time.Millisecond):
		}
	}
	if !seen["ring 1 on softdev0"] || !seen["cq 1 on softdev0"] {
		t.Error(seen)
	}
	wantError(t, c.Close(), "ibv_close_device", "softdev0", syscall.EBUSY, "ring 1 on softdev0, which nobody can close any more")
	// The thread and the device stay: there is nobody to end them.
	if o := d.Objects(); o != (softdev.Objects{Contexts: 1, CompChannels: 1, CQs: 1}) {
		t.Error(o)
	}
}
