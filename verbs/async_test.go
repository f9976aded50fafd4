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

// nextEvent takes one event.
func nextEvent(t testing.TB, c *Context) AsyncEvent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for e, err := range c.AsyncEvents(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	panic("not reached")
}

// The event is acknowledged before the loop's body runs, which may close the very object.
func TestAsyncEventOfAQueue(t *testing.T) {
	d, c := testDevice(t)
	q := must(c.CreateCQ(CQAttr{CQE: 16}))
	other := testCQ(t, c, 16, false)
	d.RaiseCQ(q.raw, ibv.IBV_EVENT_CQ_ERR)
	for e, err := range c.AsyncEvents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type != ibv.IBV_EVENT_CQ_ERR || e.CQ != q || e.QP != nil || e.WQ != nil || e.Port != 0 || e.Object != q.name || e.Count != 1 {
			t.Errorf("%+v", e)
		}
		if n := calls(t, d, "ack_async_event"); n != 1 {
			t.Errorf("acknowledged %d times", n)
		}
		soon(t, "Close", func() {
			if err := e.CQ.Close(); err != nil {
				t.Error(err)
			}
		})
		break
	}
	if _, err := other.Poll(make([]ibv.WC, 1)); err != nil {
		t.Errorf("the other queue has not overrun: %v", err)
	}
}

func TestAsyncEventsOfPortsAndDevice(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Name: "sd5"}, OpenAttr{})
	for _, typ := range []ibv.EventType{
		ibv.IBV_EVENT_PORT_ACTIVE, ibv.IBV_EVENT_PORT_ERR, ibv.IBV_EVENT_LID_CHANGE, ibv.IBV_EVENT_PKEY_CHANGE, ibv.IBV_EVENT_SM_CHANGE,
		ibv.IBV_EVENT_CLIENT_REREGISTER, ibv.IBV_EVENT_GID_CHANGE,
	} {
		if err := d.RaisePort(typ, 3); err != nil {
			t.Fatal(err)
		}
		want := AsyncEvent{Type: typ, Port: 3, Object: "port 3 of sd5", Count: 1}
		if e := nextEvent(t, c); e != want {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
	if c.Lost() {
		t.Error("lost without an event that says so")
	}
	d.RaisePort(ibv.IBV_EVENT_DEVICE_FATAL, 0)
	if e := nextEvent(t, c); e != (AsyncEvent{Type: ibv.IBV_EVENT_DEVICE_FATAL, Object: "sd5", Count: 1}) || !c.Lost() {
		t.Errorf("%+v, lost %v", e, c.Lost())
	}
}

// Every kind of event is about what ibv_get_async_event(3) says it is about; one that nobody knows is about nothing.
func TestSubjects(t *testing.T) {
	want := map[ibv.EventType]subject{
		0: aboutCQ, 1: aboutQP, 2: aboutQP, 3: aboutQP, 4: aboutQP, 5: aboutQP, 6: aboutQP, 7: aboutQP, 8: aboutDevice, 9: aboutPort, 10: aboutPort,
		11: aboutPort, 12: aboutPort, 13: aboutPort, 14: aboutSRQ, 15: aboutSRQ, 16: aboutQP, 17: aboutPort, 18: aboutPort, 19: aboutWQ,
		20: aboutDevice, 21: aboutDevice, 999: aboutDevice,
	}
	for typ, w := range want {
		if got := subjectOf(typ); got != w {
			t.Errorf("%v is about %v, want %v", typ, got, w)
		}
		var e ibv.AsyncEvent
		e.EventType = typ
		e.Element.SetCQ(0x1234567890)
		if at, object := address(&e), w != aboutDevice && w != aboutPort; (at == 0x1234567890) != object || (at != 0) != object {
			t.Errorf("%v: address %#x", typ, at)
		}
	}
}

// However many come, what waits is bounded.
func TestAsyncEventsThatNobodyTakesAreCounted(t *testing.T) {
	d, c := testDevice(t)
	a, b := testCQ(t, c, 16, false), testCQ(t, c, 16, false)
	for range 1000 {
		d.RaiseCQ(a.raw, ibv.IBV_EVENT_CQ_ERR)
		d.RaiseCQ(b.raw, ibv.IBV_EVENT_CQ_ERR)
		d.SetPort(false)
		d.SetPort(true)
	}
	eventually(t, "events", func() bool {
		c.async.mu.Lock()
		defer c.async.mu.Unlock()
		n := 0
		for _, p := range c.async.queue {
			n += p.count
		}
		return n == 4000
	})
	for _, want := range []AsyncEvent{
		{Type: ibv.IBV_EVENT_CQ_ERR, CQ: a, Object: a.name, Count: 1000},
		{Type: ibv.IBV_EVENT_CQ_ERR, CQ: b, Object: b.name, Count: 1000},
		{Type: ibv.IBV_EVENT_PORT_ERR, Port: 1, Object: "port 1 of softdev0", Count: 1000},
		{Type: ibv.IBV_EVENT_PORT_ACTIVE, Port: 1, Object: "port 1 of softdev0", Count: 1000},
	} {
		if e := nextEvent(t, c); e != want {
			t.Errorf("%v, want %v", e, want)
		}
	}
	if s := (AsyncEvent{}).String(); s != "no event" {
		t.Error(s)
	}
	if s := (AsyncEvent{Type: ibv.IBV_EVENT_PORT_ERR, Object: "port 1 of sd", Count: 2}).String(); s != "IBV_EVENT_PORT_ERR on port 1 of sd, 2 times" {
		t.Error(s)
	}
}

func TestEventsOfClosedObjectsAreDropped(t *testing.T) {
	d, c := testDevice(t)
	gone, stays := must(c.CreateCQ(CQAttr{CQE: 16})), testCQ(t, c, 16, false)
	for range 100 {
		d.RaiseCQ(gone.raw, ibv.IBV_EVENT_CQ_ERR)
	}
	soon(t, "Close of a queue with events", func() {
		if err := gone.Close(); err != nil {
			t.Error(err)
		}
	})
	// Another queue is likely to be where that one was.
	next := testCQ(t, c, 16, false)
	d.RaiseCQ(stays.raw, ibv.IBV_EVENT_CQ_ERR)
	if e := nextEvent(t, c); e.CQ != stays {
		t.Errorf("%v", e)
	}
	if next.events.overrun.Load() {
		t.Error("a new queue got the events of an old one")
	}
}

func TestEachEventGoesToOneLoop(t *testing.T) {
	d, c := testDevice(t)
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	got := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for e, err := range c.AsyncEvents(ctx) {
				if err != nil {
					if err != context.Canceled {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				got += e.Count
				mu.Unlock()
			}
		})
	}
	const n = 500
	for i := range n {
		d.RaisePort([]ibv.EventType{ibv.IBV_EVENT_LID_CHANGE, ibv.IBV_EVENT_GID_CHANGE}[i%2], uint8(i%5))
	}
	eventually(t, "every event", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return got == n
	})
	time.Sleep(time.Millisecond)
	cancel()
	soon(t, "the loops", wg.Wait)
	if got != n {
		t.Errorf("%d events, want %d", got, n)
	}
}

// A loop that ends with its ctx must not take the wake-up of another with it: the first one to wait gets it, and finds its ctx done.
func TestEndingOneLoopLosesNoEvent(t *testing.T) {
	_, c := testDevice(t)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		var got atomic.Int32
		for _, ctx := range []context.Context{ctx, t.Context()} {
			wg.Go(func() {
				for _, err := range c.AsyncEvents(ctx) {
					if err == nil {
						got.Add(1)
					}
					break
				}
			})
			time.Sleep(time.Millisecond)
		}
		c.async.put(pending{typ: ibv.IBV_EVENT_LID_CHANGE, port: 1, count: 1}, 0)
		cancel()
		if err := ctx.Err(); err == nil {
			t.Error("not canceled")
		}
		// If the first one was quick enough it has the event, and the second one gets another.
		time.Sleep(time.Millisecond)
		if !c.async.wakeable() {
			c.async.put(pending{typ: ibv.IBV_EVENT_LID_CHANGE, port: 1, count: 1}, 0)
		}
		soon(t, "the second loop", wg.Wait)
		if got.Load() < 1 {
			t.Error("no event")
		}
		for c.async.wakeable() {
			c.async.next()
		}
	}
}

// One wake-up may stand for several events, and each of those that wait gets one.
func TestLoopsWakeEachOther(t *testing.T) {
	_, c := testDevice(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for e, err := range c.AsyncEvents(t.Context()) {
				if e.Count != 1 || err != nil {
					t.Errorf("%v, %v", e, err)
				}
				break
			}
		})
	}
	time.Sleep(5 * time.Millisecond)
	c.async.mu.Lock()
	for i := range 3 {
		c.async.queue = append(c.async.queue, pending{port: i, count: 1})
	}
	c.async.mu.Unlock()
	c.async.signal()
	soon(t, "every loop", wg.Wait)
}

// The reader may have looked an event's object up just before that was closed.
func TestEventThatComesTooLate(t *testing.T) {
	_, c := testDevice(t)
	q := must(c.CreateCQ(CQAttr{CQE: 16}))
	at, about := addressOf(q.raw), target{object: q.object}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	c.async.put(pending{typ: ibv.IBV_EVENT_CQ_ERR, about: about, count: 1}, at)
	c.async.note(at, target{object: c.object}) // another is there now
	c.async.put(pending{typ: ibv.IBV_EVENT_CQ_ERR, about: about, count: 1}, at)
	if c.async.wakeable() {
		t.Error("an event of a closed queue")
	}
	c.async.forget(at, q.object)
	if c.async.targets[at].object != c.object {
		t.Error("another object was forgotten")
	}
	c.async.forget(at, c.object)
}

// wakeable reports whether there are events.
func (a *asyncReader) wakeable() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.queue) > 0
}

func TestCloseEndsTheLoops(t *testing.T) {
	_, c := testDevice(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			n := 0
			for _, err := range c.AsyncEvents(t.Context()) {
				n++
				wantClosed(t, err)
			}
			if n != 1 {
				t.Errorf("%d steps", n)
			}
		})
	}
	time.Sleep(5 * time.Millisecond)
	soon(t, "Close", func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	soon(t, "the loops", wg.Wait)
}

func TestTheLoopMayCloseItsContext(t *testing.T) {
	d, c := testDevice(t)
	d.SetPort(false)
	soon(t, "the loop", func() {
		var last error
		for e, err := range c.AsyncEvents(t.Context()) {
			if last = err; err == nil && e.Type == ibv.IBV_EVENT_PORT_ERR {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		wantClosed(t, last)
	})
}

func TestLoopEndsWithItsContext(t *testing.T) {
	_, c := testDevice(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	n := 0
	for _, err := range c.AsyncEvents(ctx) {
		if n++; err != context.DeadlineExceeded {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d steps", n)
	}
}

// A failing close leaves a context that works.
func TestFailedCloseOfAContext(t *testing.T) {
	d, c := testDevice(t)
	d.Fail("close_device", softdev.Fault{Errno: syscall.EBUSY})
	wantError(t, c.Close(), "ibv_close_device", "softdev0", syscall.EBUSY)
	d.SetPort(false)
	if e := nextEvent(t, c); e.Type != ibv.IBV_EVENT_PORT_ERR {
		t.Error(e)
	}
}

func TestLoopEndsIfEventsCannotBeRead(t *testing.T) {
	d, c := testDevice(t)
	d.SetPort(false)
	if e := nextEvent(t, c); e.Type != ibv.IBV_EVENT_PORT_ERR {
		t.Error(e)
	}
	d.Fail("get_async_event", softdev.Fault{Errno: syscall.ENODEV})
	d.SetPort(true)
	for e, err := range c.AsyncEvents(t.Context()) {
		if err == nil {
			t.Fatal(e)
		}
		wantError(t, err, "ibv_get_async_event", "softdev0", syscall.ENODEV)
	}
}

// An event does not bring a handle back that nobody has any more, and waiting events keep none.
func TestEventOfALostHandle(t *testing.T) {
	leaks := make(chan Leak, 10)
	d, c := testDeviceWith(t, softdev.Config{}, OpenAttr{OnLeak: func(l Leak) { leaks <- l }})
	q := must(c.CreateCQ(CQAttr{CQE: 16}))
	o, raw := q.object, q.raw
	d.RaiseCQ(raw, ibv.IBV_EVENT_CQ_ERR)
	eventually(t, "the event", c.async.wakeable)
	runtime.KeepAlive(q)
	q = nil
	l := collect(t, leaks)
	if l.Object != o.name {
		t.Errorf("%+v", l)
	}
	if e := nextEvent(t, c); e.CQ != nil || e.Object != o.name {
		t.Errorf("%+v", e)
	}
	d.RaiseCQ(raw, ibv.IBV_EVENT_CQ_ERR)
	if e := nextEvent(t, c); e.CQ != nil || e.Object != o.name {
		t.Errorf("%+v", e)
	}
	// Nobody can close it any more; the test closes what is left of it.
	again := &CQ{object: o, raw: raw, ctx: c, events: newCQEvents()}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// collect waits for a leak to be reported.
func collect(t testing.TB, leaks chan Leak) Leak {
	t.Helper()
	for range 100 {
		runtime.GC()
		select {
		case l := <-leaks:
			return l
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatal("no leak is reported")
	return Leak{}
}

// After the device is gone, everything can be closed: destroys answer EIO, and closing the context frees what is left.
func TestLostDevice(t *testing.T) {
	d, err := softdev.New(softdev.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := must(AdoptDevice(d.Raw(), "test", nil).Open())
	pd := must(c.AllocPD())
	mr := must(pd.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE))
	channel := must(c.CreateCompChannel())
	q := must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel}))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			_, err := q.Wait(t.Context(), make([]ibv.WC, 1))
			wantError(t, err, "ibv_req_notify_cq", q.name, syscall.EIO)
		})
	}
	parked(t, d, q, 2, 2)
	d.Lose()
	soon(t, "Wait", wg.Wait)
	if e := nextEvent(t, c); e.Type != ibv.IBV_EVENT_DEVICE_FATAL || !c.Lost() {
		t.Error(e)
	}
	if _, err := c.AllocPD(); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	wantError(t, channel.Close(), "ibv_destroy_comp_channel", channel.name, syscall.EBUSY, q.name)
	for _, o := range []interface{ Close() error }{mr, pd, q, channel, c} {
		soon(t, "Close", func() {
			if err := o.Close(); err != nil {
				t.Errorf("%v: %v", o, err)
			}
		})
	}
	if left := d.Objects(); left.Total() != 0 {
		t.Error(left)
	}
	// What the destroys have left was freed with the context.
	if o := d.Orphans(); o.PDs != 1 || o.MRs != 1 || o.CQs != 1 || o.CompChannels != 1 {
		t.Error(o)
	}
}
