//go:build linux && cgo

package verbs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// What was asked for is the least that there is, and what there is can be read.
func TestQPSizes(t *testing.T) {
	for _, exact := range []bool{false, true} {
		d, c := testDeviceWith(t, softdev.Config{Exact: exact}, OpenAttr{})
		p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
		q := p.qp(t, QPAttr{MaxSendWR: 100, MaxRecvWR: 33, MaxRecvSGE: 5, MaxInlineData: 60})
		want := ibv.QPCap{MaxSendWR: 128, MaxRecvWR: 64, MaxSendSGE: 4, MaxRecvSGE: 8, MaxInlineData: q.Cap().MaxInlineData}
		if exact {
			want = ibv.QPCap{MaxSendWR: 100, MaxRecvWR: 33, MaxSendSGE: 1, MaxRecvSGE: 5, MaxInlineData: 60}
		}
		got := q.Cap()
		if got.MaxRecvSGE < 5 || got.MaxInlineData < 60 {
			t.Errorf("%+v", got)
		}
		want.MaxRecvSGE = got.MaxRecvSGE
		if got != want {
			t.Errorf("exact %v: %+v, want %+v", exact, got, want)
		}
		_, init, err := q.Query(ibv.IBV_QP_CAP)
		if err != nil || init.Cap != got || init.QPType != ibv.IBV_QPT_RC || init.SQSigAll != 0 {
			t.Errorf("%+v, %v", init, err)
		}
		if q.State() != ibv.IBV_QPS_RESET || q.Num() == 0 || q.Num() > max24 || q.PD() != p.pd || q.SendCQ() == nil || q.Raw().QPNum != q.Num() ||
			!strings.Contains(q.String(), fmt.Sprintf("%06x on softdev0", q.Num())) {
			t.Errorf("%v", q)
		}
	}
}

// Completions land in the CQ that was named for their side, and nowhere else.
func TestCompletionsLandInTheirCQ(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	ok(t, p.b.Recv(RecvWR{WRID: 2}))
	ok(t, p.a.Send(SendWR{WRID: 1, Opcode: ibv.IBV_WR_SEND, Flags: signaled}))
	poll(t, p.a.RecvCQ(), 0)
	poll(t, p.b.SendCQ(), 0)
	one(t, p.a.SendCQ(), 1, ibv.IBV_WC_SUCCESS)
	one(t, p.b.RecvCQ(), 2, ibv.IBV_WC_SUCCESS)
}

// What cannot be is refused before the device sees it, or with the limit that it has.
func TestCreateQPRefuses(t *testing.T) {
	d, c := testDevice(t)
	_, c2 := testDevice(t)
	pd, cq := closing(t, must(c.AllocPD())), testCQ(t, c, 16, false)
	foreign := testCQ(t, c2, 16, false)
	good := QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4}
	for _, c := range []struct {
		change func(a *QPAttr)
		asked  bool
		texts  []string
	}{
		{func(a *QPAttr) { a.SendCQ = nil }, false, []string{"QPAttr.SendCQ is nil"}},
		{func(a *QPAttr) { a.RecvCQ = nil }, false, []string{"QPAttr.RecvCQ is nil"}},
		{func(a *QPAttr) { a.SendCQ = foreign }, false, []string{"another context"}},
		{func(a *QPAttr) { a.RecvCQ = foreign }, false, []string{"another context"}},
		{func(a *QPAttr) { a.MaxSendWR = -1 }, false, []string{"QPAttr.MaxSendWR is -1"}},
		{func(a *QPAttr) { a.MaxRecvWR = math.MaxUint32 + 1 }, false, []string{"QPAttr.MaxRecvWR is 4294967296"}},
		{func(a *QPAttr) { a.MaxSendSGE = -5 }, false, []string{"QPAttr.MaxSendSGE"}},
		{func(a *QPAttr) { a.MaxRecvSGE = math.MaxInt }, false, []string{"QPAttr.MaxRecvSGE"}},
		{func(a *QPAttr) { a.MaxInlineData = -1 }, false, []string{"QPAttr.MaxInlineData"}},
		{func(a *QPAttr) { a.MaxSendWR, a.MaxRecvSGE = 16385, 17 }, true, []string{"QPAttr.MaxSendWR 16385", "max_qp_wr 16384", "QPAttr.MaxRecvSGE 17", "max_sge 16"}},
		{func(a *QPAttr) { a.MaxInlineData = 4096 }, true, []string{"likely QPAttr.MaxInlineData 4096"}},
	} {
		a := good
		c.change(&a)
		before, n := d.Objects(), calls(t, d, "create_qp")
		_, err := pd.CreateQP(a)
		wantError(t, err, "ibv_create_qp", pd.String(), syscall.EINVAL, c.texts...)
		if asked := calls(t, d, "create_qp") != n; asked != c.asked {
			t.Errorf("%v: asked the device: %v", err, asked)
		}
		if d.Objects() != before {
			t.Errorf("%v left %v", err, d.Objects())
		}
	}
}

// Each errno value that creating may fail with arrives, nothing is left, and the next attempt works.
func TestCreateQPFails(t *testing.T) {
	d, c := testDevice(t)
	pd, cq := closing(t, must(c.AllocPD())), testCQ(t, c, 16, false)
	before := d.Objects()
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPERM, 0} {
		ok(t, d.Fail("create_qp", softdev.Fault{Errno: errno, NoErrno: errno == 0}))
		_, err := pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4})
		wantError(t, err, "ibv_create_qp", pd.String(), errno)
		if errors.Is(err, ErrNotSupported) != (errno == syscall.EOPNOTSUPP || errno == syscall.ENOSYS) {
			t.Errorf("%v", err)
		}
		if d.Objects() != before {
			t.Errorf("%v left %v", err, d.Objects())
		}
	}
	ok(t, must(pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4})).Close())
}

// A destroy that fails leaves the QP as it was, with what is posted to it, and closing it again works.
func TestDestroyQPFails(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	before := p.d.Objects()
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.EINVAL, syscall.EIO} {
		ok(t, p.d.Fail("destroy_qp", softdev.Fault{Errno: errno}))
		wantError(t, p.a.Close(), "ibv_destroy_qp", p.a.String(), errno)
		ok(t, p.a.Send(SendWR{WRID: 9, Flags: signaled}))
		one(t, p.a.SendCQ(), 9, ibv.IBV_WC_SUCCESS)
		if p.d.Objects() != before {
			t.Errorf("%v", p.d.Objects())
		}
	}
	for _, o := range []interface{ Close() error }{p.pd, p.a.SendCQ(), p.a.RecvCQ()} {
		err := o.Close()
		if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), p.a.String()) {
			t.Errorf("%v, want EBUSY and the QP's name", err)
		}
	}
}

// Methods of a QP that is closed, nil or zero answer ErrClosed, or what means nothing.
func TestClosedQP(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	ok(t, p.a.Close())
	ok(t, p.a.Close())
	r, rr := must(NewSendRequests(1, 0, 0)), must(NewRecvRequests(1, 0))
	for _, q := range []*QP{p.a, nil, {}} {
		_, _, err := q.Query(0)
		wantClosed(t, err)
		wantClosed(t, q.Modify(&ibv.QPAttr{}, 0))
		wantClosed(t, q.Modify(nil, 0))
		wantClosed(t, q.Send(SendWR{}))
		wantClosed(t, q.Recv(RecvWR{}))
		_, err = q.PostSend(r)
		wantClosed(t, err)
		_, err = q.PostRecv(rr)
		wantClosed(t, err)
		_, err = q.Endpoint()
		wantClosed(t, err)
		wantClosed(t, q.Init(ConnectAttr{}))
		wantClosed(t, q.Connect(Endpoint{}, ConnectAttr{}))
		if q.Num() != 0 || q.State() != ibv.IBV_QPS_UNKNOWN || q.Raw() != nil {
			t.Errorf("%v", q)
		}
		ok(t, q.Close())
		_, _, _, _ = q.PD(), q.SendCQ(), q.RecvCQ(), q.Cap()
	}
	_, err := (*PD)(nil).CreateQP(QPAttr{SendCQ: p.b.SendCQ(), RecvCQ: p.b.RecvCQ()})
	wantClosed(t, err)
	_, err = p.pd.CreateQP(QPAttr{SendCQ: &CQ{}, RecvCQ: p.b.RecvCQ()})
	wantClosed(t, err)
	_, err = (*PD)(nil).CreateRSSQP(RSSAttr{Table: &RWQIndTable{}})
	wantClosed(t, err)
}

// Closing a QP drops what was not polled, and the CQ goes on serving others.
func TestClosePurgesCompletions(t *testing.T) {
	d, c := testDevice(t)
	cq := testCQ(t, c, 64, false)
	p := newPair(t, d, c, QPAttr{SendCQ: cq, RecvCQ: cq}, ConnectAttr{})
	ok(t, p.b.Recv(RecvWR{WRID: 2}))
	ok(t, p.a.Send(SendWR{WRID: 1, Opcode: ibv.IBV_WR_SEND, Flags: signaled}))
	ok(t, p.a.Close())
	one(t, cq, 2, ibv.IBV_WC_SUCCESS)
}

// When the device is lost what is posted fails, and everything can still be closed.
func TestQueuesOfALostDevice(t *testing.T) {
	d := must(softdev.New(softdev.Config{}))
	c := must(AdoptDevice(d.Raw(), "test", nil).Open())
	pd, cq := must(c.AllocPD()), must(c.CreateCQ(CQAttr{CQE: 64}))
	q := must(pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4}))
	w := must(c.CreateWQ(WQAttr{PD: pd, CQ: cq, MaxWR: 4}))
	ok(t, w.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
	ok(t, q.Init(ConnectAttr{}))
	table := must(c.CreateRWQIndTable(w))
	d.Lose()
	eventually(t, "loss", c.Lost)
	wantError(t, q.Recv(RecvWR{}), "ibv_post_recv", q.String(), syscall.EIO)
	wantError(t, w.Recv(RecvWR{}), "ibv_post_wq_recv", w.String(), syscall.EIO)
	wantError(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_ERR}, ibv.IBV_QP_STATE), "ibv_modify_qp", q.String(), syscall.EIO)
	for _, o := range []interface{ Close() error }{table, w, q, cq, pd, c} {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	wantClosed(t, q.Recv(RecvWR{}))
	wantClosed(t, w.Recv(RecvWR{}))
	ok(t, d.Close())
}

// Somebody who waits for completions keeps no QP from being closed, or reset.
func TestCloseQPBesideWait(t *testing.T) {
	d, c := testDevice(t)
	cq := testCQ(t, c, 64, true)
	p := newPair(t, d, c, QPAttr{SendCQ: cq, RecvCQ: cq}, ConnectAttr{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := cq.Wait(ctx, make([]ibv.WC, 1))
		done <- err
	}()
	soon(t, "reset", func() { ok(t, p.b.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE)) })
	soon(t, "Close", func() { ok(t, p.a.Close()) })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Queues whose handles are lost are reported: nothing inside points to a handle.
func TestLostQueuesAreReported(t *testing.T) {
	d := must(softdev.New(softdev.Config{}))
	leaks := make(chan Leak, 8)
	c := must(AdoptDevice(d.Raw(), "test", nil).OpenWith(OpenAttr{OnLeak: func(l Leak) { leaks <- l }}))
	pd, cq := must(c.AllocPD()), must(c.CreateCQ(CQAttr{CQE: 16}))
	want := map[string]bool{}
	func() {
		for range 2 { // the second has the CQ scanned
			q := must(pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4}))
			want[q.String()] = true
		}
		want[must(c.CreateWQ(WQAttr{PD: pd, CQ: cq, MaxWR: 4})).String()] = true
	}()
	for deadline := time.Now().Add(10 * time.Second); len(want) > 0 && time.Now().Before(deadline); {
		runtime.GC()
		select {
		case l := <-leaks:
			if !want[l.Object] {
				t.Errorf("%s is reported", l.Object)
			}
			delete(want, l.Object)
		case <-time.After(time.Millisecond):
		}
	}
	if len(want) > 0 {
		t.Errorf("not reported: %v", want)
	}
	wantError(t, cq.Close(), "ibv_destroy_cq", cq.String(), syscall.EBUSY, "nobody can close")
	runtime.KeepAlive(pd)
	runtime.KeepAlive(c)
}
