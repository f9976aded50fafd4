//go:build linux && cgo

package softdev

import (
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// nonblocking makes taking a context's events fail where it would wait.
func nonblocking(t *testing.T, c *ibv.Context) {
	t.Helper()
	wantNil(t, syscall.SetNonblock(int(c.AsyncFD), true))
}

// Each open context gets a port's event.
func TestPortEvents(t *testing.T) {
	d, c := open(t, Config{})
	other := must(cverbs.OpenDevice(d.Raw()))(t)
	nonblocking(t, c)
	nonblocking(t, other)
	d.SetPort(false)
	d.SetPort(true)
	wantNil(t, d.RaisePort(ibv.IBV_EVENT_GID_CHANGE, 1))
	for _, kind := range []ibv.EventType{ibv.IBV_EVENT_CQ_ERR, ibv.IBV_EVENT_QP_FATAL, ibv.IBV_EVENT_WQ_FATAL, ibv.IBV_EVENT_SRQ_ERR, 999} {
		if err := d.RaisePort(kind, 1); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v raised for a port: %v", kind, err)
		}
	}
	for _, c := range []*ibv.Context{c, other} {
		var e ibv.AsyncEvent
		for _, want := range []ibv.EventType{ibv.IBV_EVENT_PORT_ERR, ibv.IBV_EVENT_PORT_ACTIVE, ibv.IBV_EVENT_GID_CHANGE} {
			if err := cverbs.GetAsyncEvent(c, &e); err != nil || e.EventType != want || e.Element.PortNum() != 1 {
				t.Errorf("%+v, %v, want %v of port 1", e, err, want)
			}
		}
		wantErrno(t, cverbs.GetAsyncEvent(c, &e), "ibv_get_async_event", syscall.EAGAIN)
	}
	wantNil(t, cverbs.CloseDevice(other))
}

func TestRaise(t *testing.T) {
	d, c := open(t, Config{})
	nonblocking(t, c)
	q := cq(t, c, 1, nil)
	wantNil(t, d.RaiseCQ(q, ibv.IBV_EVENT_CQ_ERR))
	var e ibv.AsyncEvent
	if err := cverbs.GetAsyncEvent(c, &e); err != nil || e.EventType != ibv.IBV_EVENT_CQ_ERR || e.Element.CQ() != pointer(q) {
		t.Errorf("%+v, %v", e, err)
	}
	cverbs.AckAsyncEvent(&e)
	for _, kind := range []ibv.EventType{ibv.IBV_EVENT_QP_FATAL, ibv.IBV_EVENT_WQ_FATAL, ibv.IBV_EVENT_PORT_ERR, ibv.IBV_EVENT_SRQ_ERR} {
		if err := d.RaiseCQ(q, kind); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v raised for a CQ: %v", kind, err)
		}
	}
	wantErrno(t, cverbs.GetAsyncEvent(c, &e), "ibv_get_async_event", syscall.EAGAIN)
	if n, err := d.Calls("ack_async_event"); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// Destroying a queue waits until the events that were taken are acknowledged, of both kinds; what nobody took is forgotten.
func TestDestroyWaits(t *testing.T) {
	d, c := open(t, Config{})
	ch := channel(t, c)
	q := must(cverbs.CreateCQ(c, 4, 0, ch, 0))(t)
	for range 3 {
		if errno := cverbs.ReqNotifyCQ(q, 0); errno != 0 {
			t.Error(errno)
		}
		wantNil(t, d.Complete(q, &ibv.WC{}, false))
		wantNil(t, d.RaiseCQ(q, ibv.IBV_EVENT_CQ_ERR))
	}
	var got *ibv.CQ
	var word uintptr
	wantNil(t, cverbs.GetCQEvent(ch, &got, &word))
	wantNil(t, cverbs.GetCQEvent(ch, &got, &word))
	var e ibv.AsyncEvent
	wantNil(t, cverbs.GetAsyncEvent(c, &e))
	var destroyed atomic.Bool
	done := make(chan error)
	go func() {
		err := cverbs.DestroyCQ(q)
		destroyed.Store(true)
		done <- err
	}()
	for _, ack := range []func(){func() { cverbs.AckCQEvents(q, 1) }, func() { cverbs.AckAsyncEvent(&e) }, func() { cverbs.AckCQEvents(q, 1) }} {
		time.Sleep(10 * time.Millisecond)
		if destroyed.Load() {
			t.Fatal("destroyed with unacknowledged events")
		}
		ack()
	}
	within(t, func() { wantNil(t, <-done) })
	nonblocking(t, c)
	wantNoEvent(t, ch)
	wantErrno(t, cverbs.GetAsyncEvent(c, &e), "ibv_get_async_event", syscall.EAGAIN)
}

// Without O_NONBLOCK, taking an event waits for it.
func TestGetWaits(t *testing.T) {
	d, c := open(t, Config{})
	ch := channel(t, c)
	wantNil(t, syscall.SetNonblock(int(ch.FD), false))
	q := cq(t, c, 4, ch)
	if errno := cverbs.ReqNotifyCQ(q, 0); errno != 0 {
		t.Error(errno)
	}
	taken := make(chan struct{})
	go func() {
		wantEvent(t, ch, q)
		var e ibv.AsyncEvent
		wantNil(t, cverbs.GetAsyncEvent(c, &e))
		close(taken)
	}()
	time.Sleep(10 * time.Millisecond)
	wantNil(t, d.Complete(q, &ibv.WC{}, false))
	time.Sleep(10 * time.Millisecond)
	select {
	case <-taken:
		t.Error("an asynchronous event that nobody raised")
	default:
	}
	d.SetPort(true)
	within(t, func() { <-taken })
}
