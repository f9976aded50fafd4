//go:build linux && cgo

package verbs

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/softdev"
)

// More inline bytes than the queue has room for are refused without the device.
func TestDirectPostOfTooManyInlineBytes(t *testing.T) {
	p := testPair(t, QPAttr{MaxInlineData: 16}, ConnectAttr{})
	s := testDirectSend(t, p.a, DirectAttr{})
	r := must(NewSendRequests(1, 0, 1<<10))
	ok(t, r.SetInline(0, make([]byte, 1<<10)))
	want := must(p.a.PostSend(must(NewSendRequests(1, 0, 0))))
	s.gate.See()
	if n, err := s.Post(must(NewSendRequests(1, 0, 0))); n != want || err != nil {
		t.Fatal(n, err)
	}
	before := calls(t, p.d, "post_send")
	n, err := s.Post(r)
	wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL, "1024 bytes of inline data")
	if n != 0 || calls(t, p.d, "post_send") != before {
		t.Error(n)
	}
}

// A queue has one direct poster at a time. A CQ may have several.
func TestOneDirectPosterAtATime(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	s, r := testDirectSend(t, p.a, DirectAttr{}), testDirectRecv(t, p.a, DirectAttr{})
	_, err := p.a.DirectSend(DirectAttr{})
	wantError(t, err, "ibv_post_send", p.a.name, syscall.EBUSY, "direct handle already")
	_, err = p.a.DirectRecv(DirectAttr{})
	wantError(t, err, "ibv_post_recv", p.a.name, syscall.EBUSY, "direct handle already")
	ok(t, s.Close())
	ok(t, r.Close())
	testDirectSend(t, p.a, DirectAttr{})
	testDirectRecv(t, p.a, DirectAttr{})
	testDirectCQ(t, p.a.SendCQ(), DirectAttr{})
	testDirectCQ(t, p.a.SendCQ(), DirectAttr{})
}

// Sends that are built are built for a direct handle, too, which is none then.
func TestDirectSendOfBuiltRequests(t *testing.T) {
	p := testPair(t, QPAttr{SendOps: ibv.IBV_QP_EX_WITH_RDMA_WRITE}, ConnectAttr{})
	s := closing(t, must(p.a.DirectSend(DirectAttr{})))
	if why := s.Reason(); why != "its requests are built: see QPAttr.SendOps" {
		t.Error(why)
	}
	r := must(NewSendRequests(1, 1, 0))
	for range 2 {
		ok(t, r.Set(0, SendWR{Opcode: ibv.IBV_WR_SEND, Flags: signaled}))
		n, err := s.Post(r)
		wantError(t, err, "ibv_wr_complete", p.a.String(), syscall.EOPNOTSUPP, "request 0 is IBV_WR_SEND")
		ok(t, r.Set(0, p.writeTo(1, 8, 0)))
		if m, err := s.Post(r); n != 0 || m != 1 || err != nil {
			t.Error(n, m, err)
		}
		one(t, p.a.SendCQ(), 1, ibv.IBV_WC_SUCCESS)
	}
	if n := calls(t, p.d, "post_send"); n != 0 {
		t.Errorf("%d calls of post_send", n)
	}
}

// What PostSend and PostRecv refuse, and what the device does, comes out the same.
func TestDirectPostFails(t *testing.T) {
	see := func(g *direct.Gate) {
		if g != nil { // there is none under the sanitizers
			g.See()
		}
	}
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	pd := closing(t, must(c.AllocPD()))
	p := &pair{d: d, c: c, pd: pd}
	attr := QPAttr{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1}
	p.a, p.b = p.qp(t, attr), p.qp(t, attr)
	for _, how := range []DirectAttr{{}, {Check: true}} {
		s, r := must(p.a.DirectSend(how)), must(p.a.DirectRecv(how))
		send, recv := must(NewSendRequests(6, 2, 0)), must(NewRecvRequests(6, 2))
		same := func(what string, direct, plain func() (int, error)) (int, error) {
			t.Helper()
			n, err := direct()
			m, want := plain()
			if n != m || fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("%s: %d, %v; want %d, %v", what, n, err, m, want)
			}
			return n, err
		}
		// Others have posted meanwhile, of which the handles would know only when they are asked once more.
		sends := func(what string) (int, error) {
			t.Helper()
			see(s.gate)
			return same(what, func() (int, error) { return s.Post(send) }, func() (int, error) { return p.a.PostSend(send) })
		}
		recvs := func(what string) (int, error) {
			t.Helper()
			see(r.gate)
			return same(what, func() (int, error) { return r.Post(recv) }, func() (int, error) { return p.a.PostRecv(recv) })
		}
		wantErrno := func(err error, errno syscall.Errno) {
			t.Helper()
			if !errors.Is(err, errno) {
				t.Errorf("%v, want %v", err, errno)
			}
		}
		ok(t, send.SetLen(1))
		ok(t, recv.SetLen(1))
		asked := calls(t, d, "post_send") + calls(t, d, "post_recv")
		_, err := sends("in RESET")
		wantErrno(err, syscall.EINVAL)
		_, err = recvs("in RESET")
		wantErrno(err, syscall.EINVAL)
		if n := calls(t, d, "post_send") + calls(t, d, "post_recv") - asked; n != 0 {
			t.Errorf("the device was asked %d times in RESET", n)
		}
		p.connect(t, ConnectAttr{})
		none, nobody := send, recv
		send, recv = nil, nil
		_, err = sends("nil")
		wantErrno(err, syscall.EINVAL)
		_, err = recvs("nil")
		wantErrno(err, syscall.EINVAL)
		send, recv = none, nobody
		ok(t, send.SetLen(0))
		ok(t, recv.SetLen(0))
		_, err = sends("none")
		ok(t, err)
		_, err = recvs("none")
		ok(t, err)
		ok(t, send.SetLen(2))
		ok(t, recv.SetLen(2))
		ok(t, send.Set(1, SendWR{SGList: make([]ibv.SGE, 2)}))
		ok(t, recv.Set(1, RecvWR{SGList: make([]ibv.SGE, 2)}))
		_, err = sends("too many elements")
		wantErrno(err, syscall.EINVAL)
		_, err = recvs("too many elements")
		wantErrno(err, syscall.EINVAL)
		ok(t, send.Set(1, SendWR{}))
		ok(t, recv.Set(1, RecvWR{}))
		for _, f := range []softdev.Fault{{Errno: syscall.ENOMEM}, {Value: -22, Times: 2}, {Value: 5000, Times: 2}} {
			f.Times = 2
			ok(t, d.Fail("post_send", f))
			ok(t, d.Fail("post_recv", f))
			if _, err = sends("device"); err == nil {
				t.Error("no error")
			}
			if _, err = recvs("device"); err == nil {
				t.Error("no error")
			}
		}
		// The device has refused the first request, an unknown opcode the second.
		ok(t, send.Set(1, SendWR{Opcode: 99}))
		if n, err := s.Post(send); n != 1 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("an unknown opcode: %d, %v", n, err)
		}
		ok(t, send.Set(1, SendWR{}))
		ok(t, send.SetLen(6))
		if n, err := s.Post(send); n != 3 || !errors.Is(err, ErrQueueFull) {
			t.Errorf("with room for 3: %d, %v", n, err)
		}
		before := calls(t, d, "post_send")
		if n, err := s.Post(send); n != 0 || !errors.Is(err, ErrQueueFull) || calls(t, d, "post_send") != before {
			t.Errorf("with no room: %d, %v", n, err)
		}
		ok(t, recv.SetLen(6))
		if n, err := r.Post(recv); n != 4 || !errors.Is(err, ErrQueueFull) {
			t.Errorf("six receives: %d, %v", n, err)
		}
		ok(t, s.Close())
		ok(t, r.Close())
		for _, q := range []*QP{p.a, p.b} {
			ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
		}
	}
}

// The device's errors for a single request, which goes the shortest way, are told once, as PostSend tells them, and change nothing.
func TestDirectPostOfOneFails(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	attr := QPAttr{MaxSendWR: 16, MaxSendSGE: 1}
	p.a, p.b = p.qp(t, attr), p.qp(t, attr)
	p.connect(t, ConnectAttr{})
	s, r := testDirectSend(t, p.a, DirectAttr{}), must(NewSendRequests(1, 1, 0))
	ok(t, r.Signal(0, true))
	post := func(f softdev.Fault) {
		t.Helper()
		posted, signalled := s.sq.Posted, s.sq.Signalled
		f.Times = 2
		ok(t, d.Fail("post_send", f))
		asked := calls(t, d, "post_send")
		s.gate.See()
		n, err := s.Post(r)
		if busy := !s.gate.Enter(); busy {
			t.Error("the queue is shut")
		}
		s.gate.Leave()
		m, want := p.a.PostSend(r)
		if n != 0 || m != 0 || want == nil || fmt.Sprint(err) != fmt.Sprint(want) || calls(t, d, "post_send")-asked != 2 {
			t.Errorf("%+v: %d, %v; want %d, %v", f, n, err, m, want)
		}
		if s.sq.Posted != posted || s.sq.Signalled != signalled || s.poster.Result() != 0 || s.poster.Bad() != nil {
			t.Errorf("%+v: %d posted, want %d; %d signalled, want %d; or a failure was told but once more", f, s.sq.Posted, posted, s.sq.Signalled, signalled)
		}
	}
	must(s.Post(r)) // which shows that it fits
	for _, f := range []softdev.Fault{{Errno: syscall.ENOMEM}, {Errno: syscall.EINVAL}, {Value: -22}, {Value: 5000}} {
		post(f)
		s.gate.See()
		if n, err := s.Post(r); n != 1 || err != nil {
			t.Errorf("after %+v: %d, %v", f, n, err)
		}
	}
	// A success that names a refused request.
	if !s.gate.Enter() {
		t.Fatal("the gate is shut")
	}
	n, err := s.posted(r, 0, r.At(0))
	wantError(t, err, "ibv_post_send", p.a.String(), 0, "only a part")
	if n != 0 || s.sq.Posted != 5 {
		t.Errorf("%d, of %d posted", n, s.sq.Posted)
	}
}

func TestDirectPostsMakeNoGarbage(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 8}, ConnectAttr{})
	send, recv, cq := testDirectSend(t, p.a, DirectAttr{}), testDirectRecv(t, p.b, DirectAttr{}), testDirectCQ(t, p.a.SendCQ(), DirectAttr{})
	other := testDirectCQ(t, p.b.RecvCQ(), DirectAttr{})
	out, in := must(NewSendRequests(2, 0, 0)), must(NewRecvRequests(2, 0))
	for i := range 2 {
		ok(t, out.Set(i, SendWR{Opcode: ibv.IBV_WR_SEND, Flags: signaled}))
	}
	wc := make([]ibv.WC, 4)
	if n := testing.AllocsPerRun(500, func() {
		for _, f := range []func() (int, error){
			func() (int, error) { return recv.Post(in) },
			func() (int, error) { return send.Post(out) },
			func() (int, error) { return cq.Poll(wc) },
			func() (int, error) { return other.Poll(wc) },
		} {
			if n, err := f(); n != 2 || err != nil {
				t.Fatal(n, err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
