//go:build linux && cgo

package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/softdev"
)

// testDirectCQ makes a handle that is direct, and is closed when the test ends.
func testDirectCQ(t testing.TB, q *CQ, attr DirectAttr) *DirectCQ {
	t.Helper()
	return needsDirect(t, closing(t, must(q.Direct(attr))))
}

func testDirectSend(t testing.TB, q *QP, attr DirectAttr) *DirectSend {
	t.Helper()
	return needsDirect(t, closing(t, must(q.DirectSend(attr))))
}

func testDirectRecv(t testing.TB, q *QP, attr DirectAttr) *DirectRecv {
	t.Helper()
	return needsDirect(t, closing(t, must(q.DirectRecv(attr))))
}

// needsDirect skips tests where there are no direct calls at all. On the software device there is no other reason for a handle not to be direct.
func needsDirect[H interface{ Reason() string }](t testing.TB, h H) H {
	t.Helper()
	if why := direct.Available(); why != "" {
		t.Skip(why)
	}
	if why := h.Reason(); why != "" {
		t.Fatal(why)
	}
	return h
}

// Whether a handle is direct, and why not.
func TestDirectReason(t *testing.T) {
	if why := direct.Available(); why != "" {
		t.Skip(why)
	}
	p := testPair(t, QPAttr{}, ConnectAttr{})
	for _, c := range []struct {
		variable string
		attr     DirectAttr
		want     string
	}{
		{"", DirectAttr{}, ""},
		{"", DirectAttr{Check: true}, ""},
		{"check", DirectAttr{}, ""},
		{"", DirectAttr{Off: true}, "DirectAttr.Off"},
		{"off", DirectAttr{Check: true}, "IBV_DIRECT=off"},
		{"on", DirectAttr{}, "IBV_DIRECT=on, which is neither off nor check"},
	} {
		t.Setenv("IBV_DIRECT", c.variable)
		poll, send, recv := must(p.a.SendCQ().Direct(c.attr)), must(p.a.DirectSend(c.attr)), must(p.a.DirectRecv(c.attr))
		for _, why := range []string{poll.Reason(), send.Reason(), recv.Reason()} {
			if !strings.HasPrefix(why, c.want) || (why == "") != (c.want == "") {
				t.Errorf("%+v: %q", c, why)
			}
		}
		// What has a gate goes through it without another look.
		fast := c.want == "" && !c.attr.Check && c.variable != "check"
		if polls, posts := poll.poller != (direct.Poller{}), send.poster != (direct.Poster{}); polls != fast || posts != fast || (recv.fast != nil) != fast {
			t.Errorf("%+v: polls %v, sends %v, receives %v; want %v", c, polls, posts, recv.fast != nil, fast)
		}
		ok(t, poll.Close())
		ok(t, send.Close())
		ok(t, recv.Close())
	}
}

// Nil, zero and closed handles say so, and can be closed.
func TestDirectHandlesThatAreNone(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	wc, send, recv := make([]ibv.WC, 1), must(NewSendRequests(1, 0, 0)), must(NewRecvRequests(1, 0))
	for _, attr := range []DirectAttr{{}, {Check: true}, {Off: true}} {
		cq, s, r := must(p.a.SendCQ().Direct(attr)), must(p.a.DirectSend(attr)), must(p.a.DirectRecv(attr))
		for range 2 {
			ok(t, cq.Close())
			ok(t, s.Close())
			ok(t, r.Close())
		}
		for _, cq := range []*DirectCQ{nil, {}, cq} {
			_, err := cq.Poll(wc)
			wantClosed(t, err)
		}
		for _, s := range []*DirectSend{nil, {}, s} {
			_, err := s.Post(send)
			wantClosed(t, err)
		}
		for _, r := range []*DirectRecv{nil, {}, r} {
			_, err := r.Post(recv)
			wantClosed(t, err)
		}
	}
	ok(t, (*DirectCQ)(nil).Close())
	ok(t, (*DirectSend)(nil).Close())
	ok(t, (*DirectRecv)(nil).Close())
	ok(t, new(DirectCQ).Close())
	if why := (*DirectCQ)(nil).Reason() + (*DirectSend)(nil).Reason() + (*DirectRecv)(nil).Reason(); why != "" {
		t.Error(why)
	}
	for _, f := range []func() error{
		func() error { _, err := (*CQ)(nil).Direct(DirectAttr{}); return err },
		func() error { _, err := new(CQ).Direct(DirectAttr{}); return err },
		func() error { _, err := (*QP)(nil).DirectSend(DirectAttr{}); return err },
		func() error { _, err := new(QP).DirectRecv(DirectAttr{}); return err },
	} {
		wantClosed(t, f())
	}
}

// After somebody has had a queue for himself, one call goes by cgo, and the next ones are direct again.
func TestDirectAgain(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	cq, s, r := testDirectCQ(t, p.a.SendCQ(), DirectAttr{}), testDirectSend(t, p.a, DirectAttr{}), testDirectRecv(t, p.a, DirectAttr{})
	for range 3 {
		p.a.lockQueues()
		p.a.unlockQueues()
		for direct := range 2 {
			must(s.Post(must(NewSendRequests(1, 0, 0))))
			must(r.Post(must(NewRecvRequests(1, 0))))
			must(cq.Poll(make([]ibv.WC, 1)))
			for _, h := range []*directHandle{&cq.directHandle, &s.directHandle, &r.directHandle} {
				if !h.gate.Enter() {
					t.Fatalf("call %d is not direct", direct+1)
				}
				h.gate.Leave()
			}
		}
	}
}

// A second queue pair that a CQ gets has those who poll it directly look at completions, from then on.
func TestDirectCQGetsASecondQueue(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 4}, ConnectAttr{})
	cq := testDirectCQ(t, p.a.SendCQ(), DirectAttr{})
	fill := func() {
		t.Helper()
		for n := range p.a.Cap().MaxSendWR {
			if err := p.a.Send(p.writeTo(uint64(n), 8, 0)); err != nil {
				t.Fatal(n, err)
			}
		}
	}
	take := func() {
		t.Helper()
		if n, err := cq.Poll(make([]ibv.WC, 64)); n != int(p.a.Cap().MaxSendWR) || err != nil {
			t.Fatal(n, err)
		}
	}
	fill()
	take()
	p.qp(t, QPAttr{SendCQ: p.a.SendCQ()})
	for range 3 { // the first poll goes by cgo
		fill()
		take()
	}
	fill()
	if err := p.a.Send(p.writeTo(9, 8, 0)); !errors.Is(err, ErrQueueFull) {
		t.Error(err)
	}
}

// Without memory for a stack there is an error, which names the queue, and nothing is left behind.
func TestDirectWithoutMemory(t *testing.T) {
	if why := direct.Available(); why != "" {
		t.Skip(why)
	}
	p := testPair(t, QPAttr{}, ConnectAttr{})
	var all syscall.Rlimit
	ok(t, syscall.Getrlimit(syscall.RLIMIT_AS, &all))
	ok(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 1 << 20, Max: all.Max}))
	if m, err := syscall.Mmap(-1, 0, 1<<20, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON); err == nil {
		ok(t, syscall.Munmap(m))
		ok(t, syscall.Setrlimit(syscall.RLIMIT_AS, &all))
		t.Skip("the limit is not kept: so it is with qemu's user emulation")
	}
	cq, err := p.a.SendCQ().Direct(DirectAttr{})
	s, errSend := p.a.DirectSend(DirectAttr{})
	r, errRecv := p.a.DirectRecv(DirectAttr{})
	ok(t, syscall.Setrlimit(syscall.RLIMIT_AS, &all))
	if cq != nil || s != nil || r != nil {
		t.Error(cq, s, r)
	}
	wantError(t, err, "ibv_poll_cq", p.a.SendCQ().String(), syscall.ENOMEM, "no memory for a stack")
	wantError(t, errSend, "ibv_post_send", p.a.String(), syscall.ENOMEM, "no memory for a stack")
	wantError(t, errRecv, "ibv_post_recv", p.a.String(), syscall.ENOMEM, "no memory for a stack")
	testDirectSend(t, p.a, DirectAttr{})
	testDirectRecv(t, p.a, DirectAttr{})
}

// Messages go through direct handles, in chains, beside others that go by cgo.
func TestDirectTraffic(t *testing.T) {
	for _, attr := range []DirectAttr{{}, {Check: true}, {Off: true}} {
		p := testPair(t, QPAttr{MaxInlineData: 16}, ConnectAttr{})
		send, recv := closing(t, must(p.a.DirectSend(attr))), closing(t, must(p.b.DirectRecv(attr)))
		sent, received := closing(t, must(p.a.SendCQ().Direct(attr))), closing(t, must(p.b.RecvCQ().Direct(attr)))
		out, in := must(NewSendRequests(4, 1, 16)), must(NewRecvRequests(4, 1))
		wc := make([]ibv.WC, 8)
		for round := range 300 {
			n := 1 + round%4
			ok(t, out.SetLen(n))
			ok(t, in.SetLen(n))
			for i := range n {
				id := uint64(round*10 + i)
				ok(t, in.Set(i, RecvWR{WRID: id, SGList: sge(p.mrb, i*64, 64)}))
				ok(t, out.Set(i, SendWR{WRID: id, Opcode: ibv.IBV_WR_SEND, Flags: signaled, Inline: fmt.Appendf(nil, "message %d", id)}))
			}
			post := recv.Post
			if round%7 == 0 {
				post = p.b.PostRecv
			}
			if got, err := post(in); got != n || err != nil {
				t.Fatal(got, err)
			}
			postSend := send.Post
			if round%5 == 0 {
				postSend = p.a.PostSend
			}
			if got, err := postSend(out); got != n || err != nil {
				t.Fatal(got, err)
			}
			for _, poll := range []*DirectCQ{sent, received} {
				if got, err := poll.Poll(wc); got != n || err != nil {
					t.Fatal(got, err)
				}
				for i := range n {
					if wc[i].Err() != nil || wc[i].WRID != uint64(round*10+i) {
						t.Fatal(round, i, wc[i].WRID, wc[i].Err())
					}
				}
			}
			for i := range n {
				if want := fmt.Sprintf("message %d", round*10+i); string(p.mrb.Bytes()[i*64:][:len(want)]) != want {
					t.Fatalf("%q, want %q", p.mrb.Bytes()[i*64:][:len(want)], want)
				}
			}
		}
	}
}

// A handle of which two goroutines make use at once is an error, if it is checked.
func TestDirectCheck(t *testing.T) {
	d, c := testDevice(t)
	p := newPair(t, d, c, QPAttr{}, ConnectAttr{})
	cq, s, r := testDirectCQ(t, p.a.SendCQ(), DirectAttr{Check: true}), testDirectSend(t, p.a, DirectAttr{Check: true}), testDirectRecv(t, p.a, DirectAttr{Check: true})
	send, recv := must(NewSendRequests(1, 0, 0)), must(NewRecvRequests(1, 0))
	for verb, c := range map[string]struct {
		handle *directHandle
		call   func() error
	}{
		"poll_cq":   {&cq.directHandle, func() error { _, err := cq.Poll(make([]ibv.WC, 1)); return err }},
		"post_send": {&s.directHandle, func() error { _, err := s.Post(send); return err }},
		"post_recv": {&r.directHandle, func() error { _, err := r.Post(recv); return err }},
	} {
		call := c.call
		ok(t, d.Fail(verb, softdev.Fault{Delay: 200 * time.Millisecond}))
		before := calls(t, d, verb)
		first := make(chan error)
		go func() { first <- call() }()
		eventually(t, "first call", c.handle.inside.Load)
		name := p.a.name
		if verb == "poll_cq" {
			name = p.a.SendCQ().name
		}
		wantError(t, call(), "ibv_"+verb, name, syscall.EBUSY, "another goroutine")
		ok(t, <-first)
		ok(t, call())
		if calls(t, d, verb) == before {
			t.Error("nothing was called")
		}
	}
}

// Closing and resetting queues beside those who use them directly is a clear error for these, and they go on when it is over.
func TestDirectBesideCloseAndReset(t *testing.T) {
	d, c := testDevice(t)
	for range 20 {
		p := &pair{d: d, c: c, pd: must(c.AllocPD())}
		scq, rcq := must(c.CreateCQ(CQAttr{CQE: 64})), must(c.CreateCQ(CQAttr{CQE: 64}))
		attr := QPAttr{SendCQ: scq, RecvCQ: rcq, MaxSendWR: 8, MaxRecvWR: 8}
		p.a, p.b = must(p.pd.CreateQP(attr)), must(p.pd.CreateQP(attr))
		p.connect(t, ConnectAttr{})
		poll, send := closing(t, must(scq.Direct(DirectAttr{}))), closing(t, must(p.a.DirectSend(DirectAttr{})))
		recv := closing(t, must(p.a.DirectRecv(DirectAttr{})))
		var wg sync.WaitGroup
		var polled, posted, received atomic.Int64
		until := func(n *atomic.Int64, f func() error, allowed ...error) {
			wg.Go(func() {
				for {
					err := f()
					if errors.Is(err, ErrClosed) {
						return
					}
					known := err == nil
					for _, a := range allowed {
						known = known || errors.Is(err, a)
					}
					if !known {
						t.Error(err)
						return
					}
					n.Add(1)
				}
			})
		}
		wc, out, in := make([]ibv.WC, 4), must(NewSendRequests(2, 0, 0)), must(NewRecvRequests(1, 0))
		ok(t, out.Signal(1, true))
		until(&polled, func() error { _, err := poll.Poll(wc); return err })
		until(&posted, func() error { _, err := send.Post(out); return err }, ErrQueueFull, syscall.EINVAL) // in RESET
		until(&received, func() error { _, err := recv.Post(in); return err }, ErrQueueFull, syscall.EINVAL)
		for range 5 {
			for _, q := range []*QP{p.a, p.b} {
				ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
			}
			p.connect(t, ConnectAttr{})
			polls, sends, recvs := polled.Load(), posted.Load(), received.Load()
			eventually(t, "polls and posts after a RESET", func() bool {
				return polled.Load() > polls && posted.Load() > sends && received.Load() > recvs
			})
		}
		soon(t, "closing", func() {
			ok(t, p.a.Close())
			ok(t, p.b.Close())
			ok(t, scq.Close())
			ok(t, rcq.Close())
		})
		soon(t, "the users", wg.Wait)
		ok(t, p.pd.Close())
	}
}

// A handle that is closed beside its user, and its queue goes on.
func TestDirectHandleClosedBesideItsUser(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	for range 50 {
		d := testDirectCQ(t, q, DirectAttr{})
		polling, ended := make(chan struct{}), make(chan error)
		go func() {
			wc := make([]ibv.WC, 1)
			_, err := d.Poll(wc)
			close(polling)
			for err == nil {
				_, err = d.Poll(wc)
			}
			ended <- err
		}()
		<-polling
		ok(t, d.Close())
		wantClosed(t, <-ended)
	}
	if _, err := q.Poll(make([]ibv.WC, 1)); err != nil {
		t.Error(err)
	}
	if n := len(q.gates); n != 0 {
		t.Errorf("%d gates are left", n)
	}
	if n := len(*q.tallies.Load()); n != 1 {
		t.Errorf("%d tallies, want one that is used again", n)
	}
}

// Handles that are lost give back what they have, and are no leak of the queue's.
func TestDirectHandlesLost(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	testDirectCQ(t, p.a.SendCQ(), DirectAttr{}).Close()
	func() {
		for range 10 {
			must(p.a.SendCQ().Direct(DirectAttr{}))
		}
		must(p.a.DirectSend(DirectAttr{}))
		must(p.a.DirectRecv(DirectAttr{}))
	}()
	eventually(t, "an end of the handles", func() bool {
		runtime.GC()
		cq := p.a.SendCQ()
		cq.lock()
		gates := len(cq.gates)
		cq.unlock(false)
		p.a.sq.mu.Lock()
		send := p.a.sq.mu.gate
		p.a.sq.mu.Unlock()
		p.a.rq.mu.Lock()
		recv := p.a.rq.mu.gate
		p.a.rq.mu.Unlock()
		return gates == 0 && send == nil && recv == nil
	})
	testDirectSend(t, p.a, DirectAttr{})
}

// A device that is not ours, and that no provider is known of, gets no direct calls; nor does one whose operations are missing.
func TestDirectOnlyForProvidersThatAreKnown(t *testing.T) {
	c := &Context{raw: &ibv.Context{}}
	if why := c.unprompt(cverbs.VerbPollCQ, 0); why != "the device has no poll_cq" {
		t.Error(why)
	}
	// A function of this program.
	if why := c.unprompt(cverbs.VerbPollCQ, uintptr(testFunction())); !strings.Contains(why, "not known that poll_cq in /") {
		t.Error(why)
	}
	if why := c.unprompt(cverbs.VerbPollCQ, 8); why != "it is not known whose poll_cq the device has" {
		t.Error(why)
	}
}

// Collections, growing stacks, profiles and signals beside a direct poller and poster: nothing is lost, doubled or torn.
func TestDirectBesideTheRuntime(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 64}, ConnectAttr{})
	send, cq := testDirectSend(t, p.a, DirectAttr{}), testDirectCQ(t, p.a.SendCQ(), DirectAttr{})
	var stop atomic.Bool
	var wg sync.WaitGroup
	for _, f := range []func(){
		runtime.GC,
		func() { _ = syscall.Kill(syscall.Getpid(), syscall.SIGURG); time.Sleep(50 * time.Microsecond) },
		func() { grow(64); runtime.Gosched() },
		func() { p.a.SendCQ().Raw(); time.Sleep(time.Microsecond) },
	} {
		wg.Go(func() {
			for !stop.Load() {
				f()
			}
		})
	}
	var profile bytes.Buffer
	ok(t, pprof.StartCPUProfile(&profile))
	defer pprof.StopCPUProfile()
	out := must(NewSendRequests(8, 0, 0))
	next, seen := uint64(0), uint64(0)
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		for i := range 8 {
			ok(t, out.Set(i, SendWR{WRID: next + uint64(i), Flags: signaled}))
		}
		n, err := send.Post(out)
		if err != nil && !errors.Is(err, ErrQueueFull) {
			t.Fatal(err)
		}
		next += uint64(n)
		var own [16]ibv.WC // on the stack, which has to stay where it is
		grow(int(next % 16))
		n, err = cq.Poll(own[:1+next%16])
		ok(t, err)
		for i := range n {
			if own[i].Err() != nil || own[i].WRID != seen {
				t.Fatalf("%d has ended with %v, want %d", own[i].WRID, own[i].Err(), seen)
			}
			seen++
		}
	}
	stop.Store(true)
	wg.Wait()
	if seen < 1000 {
		t.Errorf("only %d completions", seen)
	}
}

// grow uses a kilobyte of stack for each step.
//
//go:noinline
func grow(steps int) byte {
	var local [1024]byte
	if steps == 0 {
		return local[0]
	}
	local[steps%1024] = 1
	return grow(steps-1) + local[(steps+1)%1024]
}
