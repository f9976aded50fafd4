//go:build linux && cgo

package softdev

import (
	"errors"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

func TestCreateCQ(t *testing.T) {
	d, c := open(t, Config{MaxCQE: 1000})
	for asked, want := range map[int32]int32{1: 1, 3: 4, 100: 128, 512: 512, 900: 1000, 1000: 1000} {
		q := must(cverbs.CreateCQ(c, asked, 5, nil, 0))(t)
		if q.CQE != want || q.Context != c || q.Channel != nil || q.CQContext != 5 {
			t.Errorf("%d entries: %+v", asked, *q)
		}
		wantNil(t, cverbs.DestroyCQ(q))
	}
	_, exact := open(t, Config{Exact: true})
	if q := cq(t, exact, 100, nil); q.CQE != 100 {
		t.Errorf("%d entries, want 100", q.CQE)
	}
	for _, cqe := range []int32{0, -1, 1001} {
		_, err := cverbs.CreateCQ(c, cqe, 0, nil, 0)
		wantErrno(t, err, "ibv_create_cq", syscall.EINVAL)
	}
	for _, vector := range []int32{-1, c.NumCompVectors} {
		_, err := cverbs.CreateCQ(c, 1, 0, nil, vector)
		wantErrno(t, err, "ibv_create_cq", syscall.EINVAL)
	}
	_, err := cverbs.CreateCQ(c, 1, 0, channel(t, exact), 0)
	wantErrno(t, err, "ibv_create_cq", syscall.EINVAL)
	if o := d.Objects(); o != (Objects{Contexts: 1}) {
		t.Errorf("%v", o)
	}
}

// Completions come as they are put in, in order. What does not fit is lost and reported, and the queue works on.
func TestOverrun(t *testing.T) {
	d, c := open(t, Config{Exact: true})
	q := cq(t, c, 3, nil)
	put := func(id uint64) error {
		return d.Complete(q, &ibv.WC{WRID: id, Status: ibv.IBV_WC_GENERAL_ERR, VendorErr: 9, ByteLen: 77, QPNum: 3}, false)
	}
	for id := range uint64(3) {
		wantNil(t, put(id))
	}
	for range 2 {
		if err := put(99); !errors.Is(err, syscall.EOVERFLOW) {
			t.Errorf("%v, want EOVERFLOW", err)
		}
	}
	for range 2 {
		var e ibv.AsyncEvent
		wantNil(t, cverbs.GetAsyncEvent(c, &e))
		if e.EventType != ibv.IBV_EVENT_CQ_ERR || e.Element.CQ() != pointer(q) {
			t.Errorf("%+v", e)
		}
		cverbs.AckAsyncEvent(&e)
	}
	if wc := poll(t, q, 2); len(wc) != 2 || wc[0].WRID != 0 || wc[1].WRID != 1 || wc[1].ByteLen != 77 || wc[1].VendorErr != 9 || wc[1].QPNum != 3 {
		t.Errorf("%+v", wc)
	}
	wantNil(t, put(3))
	if wc := poll(t, q, 8); len(wc) != 2 || wc[0].WRID != 2 || wc[1].WRID != 3 {
		t.Errorf("%+v", wc)
	}
	var wc ibv.WC
	if n, err := cverbs.PollCQ(q, 0, &wc); n != 0 || err != nil {
		t.Error(n, err)
	}
	_, err := cverbs.PollCQ(q, -1, &wc)
	wantErrno(t, err, "ibv_poll_cq", syscall.EINVAL)
}

// Arming gives one event, for what comes after it.
func TestNotify(t *testing.T) {
	d, c := open(t, Config{})
	ch := channel(t, c)
	q := must(cverbs.CreateCQ(c, 64, 0xc0ffee, ch, 0))(t)
	if q.Channel != ch || ch.Context != c {
		t.Errorf("%+v, %+v", *q, *ch)
	}
	wantErrno(t, cverbs.DestroyCompChannel(ch), "ibv_destroy_comp_channel", syscall.EBUSY)
	put := func(status ibv.WCStatus, solicited bool) {
		t.Helper()
		wantNil(t, d.Complete(q, &ibv.WC{Status: status}, solicited))
	}
	arm := func(solicitedOnly int32) {
		t.Helper()
		if errno := cverbs.ReqNotifyCQ(q, solicitedOnly); errno != 0 {
			t.Error(errno)
		}
	}
	put(0, false)
	wantNoEvent(t, ch) // not armed
	arm(0)
	wantNoEvent(t, ch) // what was there does not count
	put(0, false)
	put(0, false)
	wantEvent(t, ch, q)
	wantNoEvent(t, ch) // one for each arming
	arm(1)
	put(0, false)
	wantNoEvent(t, ch)
	put(0, true)
	wantEvent(t, ch, q)
	arm(1)
	put(ibv.IBV_WC_WR_FLUSH_ERR, false)
	wantEvent(t, ch, q)
	arm(0)
	arm(1) // asks for more, not for less
	put(0, false)
	wantEvent(t, ch, q)
	arm(0)
	put(0, false)
	wantNil(t, cverbs.DestroyCQ(q)) // with an event that nobody took
	wantNoEvent(t, ch)
}

// A device may go by the last request, and forget that any completion was asked for.
func TestLastNotify(t *testing.T) {
	d, c := open(t, Config{LastNotify: true})
	ch := channel(t, c)
	q := must(cverbs.CreateCQ(c, 64, 0xc0ffee, ch, 0))(t)
	defer func() { wantNil(t, cverbs.DestroyCQ(q)) }()
	for _, only := range []int32{0, 1} {
		if errno := cverbs.ReqNotifyCQ(q, only); errno != 0 {
			t.Error(errno)
		}
	}
	wantNil(t, d.Complete(q, &ibv.WC{}, false))
	wantNoEvent(t, ch)
	if errno := cverbs.ReqNotifyCQ(q, 0); errno != 0 {
		t.Error(errno)
	}
	wantNil(t, d.Complete(q, &ibv.WC{}, false))
	wantEvent(t, ch, q)
}

// Two queues share a channel; their events come in order, and one queue's go with it.
func TestSharedChannel(t *testing.T) {
	d, c := open(t, Config{})
	ch := channel(t, c)
	a, b := must(cverbs.CreateCQ(c, 4, 0xc0ffee, ch, 0))(t), cq(t, c, 4, ch)
	for _, q := range []*ibv.CQ{a, b, a, b} {
		if errno := cverbs.ReqNotifyCQ(q, 0); errno != 0 {
			t.Error(errno)
		}
		wantNil(t, d.Complete(q, &ibv.WC{}, false))
	}
	wantEvent(t, ch, a)
	wantNil(t, cverbs.DestroyCQ(a))
	wantEvent(t, ch, b)
	wantEvent(t, ch, b)
	wantNoEvent(t, ch)
}
