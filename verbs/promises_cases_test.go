//go:build linux && cgo

package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A peer that goes away with work outstanding: each request that was accepted completes once, in order, the first with the reason and the
// others flushed, and each with the WRID that it was posted with, which may be an index.
func TestPeerDiesWithWorkOutstanding(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{Timeout: new(1), RetryCnt: new(1)})
	requests := make([]bool, 8) // completed
	for i := range requests {
		ok(t, p.a.Send(SendWR{WRID: uint64(i), Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 8), Flags: signaled})) // nobody has posted a receive
		ok(t, p.a.Recv(RecvWR{WRID: uint64(i) + 100}))
	}
	poll(t, p.a.SendCQ(), 0)
	ok(t, p.b.Close())
	eventually(t, "error", func() bool { return must(p.peek(t, p.a)) == ibv.IBV_QPS_ERR })
	for i, wc := range poll(t, p.a.SendCQ(), len(requests)) {
		err := wc.Err()
		var e *ibv.CompletionError
		if !errors.As(err, &e) {
			t.Fatalf("request %d: %v", i, err)
		}
		if e.WRID != uint64(i) || requests[e.WRID] || e.QPNum != p.a.Num() {
			t.Errorf("request %d: %v", i, e)
		}
		requests[e.WRID] = true
		if flushed := errors.Is(err, &ibv.CompletionError{Status: ibv.IBV_WC_WR_FLUSH_ERR}); flushed != (i > 0) {
			t.Errorf("request %d: %v", i, e)
		}
	}
	for i, wc := range poll(t, p.a.RecvCQ(), 8) {
		if wc.WRID != uint64(i)+100 || wc.Status != ibv.IBV_WC_WR_FLUSH_ERR {
			t.Errorf("receive %d: %+v", i, wc)
		}
	}
	poll(t, p.a.SendCQ(), 0)
	ok(t, p.a.Close())
}

// Events of many queues that come at once through one channel are all taken: each of those that wait wakes, time and again.
func TestManyQueuesOfOneChannelAllWake(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	var queues []*CQ
	for range 24 {
		queues = append(queues, closing(t, must(c.CreateCQ(CQAttr{CQE: 4, Channel: channel}))))
	}
	for round := range 5 {
		var wg sync.WaitGroup
		for i, q := range queues {
			wg.Go(func() {
				wc := make([]ibv.WC, 4)
				if n, err := q.Wait(t.Context(), wc); n != 1 || err != nil || wc[0].WRID != uint64(i) {
					t.Errorf("queue %d: %d, %v", i, n, err)
				}
			})
		}
		eventually(t, "waiting", func() bool { return calls(t, d, "req_notify_cq") >= (round+1)*len(queues) })
		for i, q := range queues {
			push(t, d, q, uint64(i))
		}
		soon(t, "Wait", wg.Wait)
	}
}

// Three goroutines wait for two queues of one channel, each with its own ctx: each wakes for its own reason, and sleeps while the others
// have theirs.
func TestThreeWaitersWakeForTheirOwnReasons(t *testing.T) {
	type result struct {
		ids []uint64
		err error
	}
	for _, order := range [][]string{{"cancel", "deadline", "completion"}, {"completion", "cancel", "deadline"}, {"cancel", "completion", "deadline"}} {
		d, c := testDevice(t)
		channel := closing(t, must(c.CreateCompChannel()))
		a := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
		b := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
		canceled, cancel := context.WithCancel(t.Context())
		defer cancel()
		// A deadline that comes when the test wants it to.
		late := &lateContext{Context: t.Context(), done: make(chan struct{})}
		results := map[string]chan result{}
		for name, w := range map[string]struct {
			ctx context.Context
			q   *CQ
		}{"cancel": {canceled, a}, "deadline": {late, a}, "completion": {t.Context(), b}} {
			r := make(chan result, 1)
			results[name] = r
			go func() {
				wc := make([]ibv.WC, 4)
				n, err := w.q.Wait(w.ctx, wc)
				r <- result{ids(wc[:n]), err}
			}()
		}
		parked(t, d, a, 2, 3)
		parked(t, d, b, 1, 3)
		for i, name := range order {
			want := result{}
			switch name {
			case "cancel":
				cancel()
				want.err = context.Canceled
			case "deadline":
				close(late.done)
				want.err = context.DeadlineExceeded
			case "completion":
				push(t, d, b, 7)
				want.ids = []uint64{7}
			}
			soon(t, name, func() {
				if r := <-results[name]; !slices.Equal(r.ids, want.ids) || r.err != want.err {
					t.Errorf("%v: %s: %+v, want %+v", order, name, r, want)
				}
			})
			time.Sleep(2 * time.Millisecond)
			for _, other := range order[i+1:] {
				select {
				case r := <-results[other]:
					t.Errorf("%v: %s has woken %s: %+v", order, name, other, r)
					results[other] <- r
				default:
				}
			}
		}
	}
}

// A lateContext is one whose deadline passes when done is closed.
type lateContext struct {
	context.Context
	done chan struct{}
}

func (c *lateContext) Done() <-chan struct{} { return c.done }
func (c *lateContext) Err() error {
	if isClosed(c.done) {
		return context.DeadlineExceeded
	}
	return nil
}

// Leaving the loop over events loses none, and its body may close whatever the event is about, and all else.
func TestEventLoopBodyMayCloseAnything(t *testing.T) {
	d, c := testDevice(t)
	pd, cq, spare := must(c.AllocPD()), must(c.CreateCQ(CQAttr{CQE: 8})), must(c.CreateCQ(CQAttr{CQE: 8}))
	qp := must(pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
	wq := must(c.CreateWQ(WQAttr{PD: pd, CQ: cq, MaxWR: 1}))
	ok(t, d.RaiseQP(qp.Raw(), ibv.IBV_EVENT_QP_FATAL))
	ok(t, d.RaiseWQ(wq.Raw(), ibv.IBV_EVENT_WQ_FATAL))
	ok(t, d.RaiseCQ(spare.Raw(), ibv.IBV_EVENT_CQ_ERR))
	ok(t, d.RaiseCQ(cq.Raw(), ibv.IBV_EVENT_CQ_ERR))
	ok(t, d.RaisePort(ibv.IBV_EVENT_LID_CHANGE, 1))
	var got []ibv.EventType
	soon(t, "the loops", func() {
		for done := false; !done; {
			for e, err := range c.AsyncEvents(t.Context()) { // left after each event
				if err != nil {
					t.Error(err)
					done = true
					break
				}
				got = append(got, e.Type)
				switch {
				case e.QP != nil:
					ok(t, e.QP.Close())
				case e.WQ != nil:
					ok(t, e.WQ.Close())
					ok(t, spare.Close()) // whose event has not been taken, and goes with it
				case e.CQ != nil:
					ok(t, e.CQ.Close())
					ok(t, pd.Close())
				default:
					ok(t, c.Close())
					done = true
				}
				break
			}
		}
	})
	want := []ibv.EventType{ibv.IBV_EVENT_QP_FATAL, ibv.IBV_EVENT_WQ_FATAL, ibv.IBV_EVENT_CQ_ERR, ibv.IBV_EVENT_LID_CHANGE}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The body of a loop over completions may close the queue while others wait for it, and the QP whose completions they are.
func TestCompletionLoopBodyMayCloseAnything(t *testing.T) {
	d, c := testDevice(t)
	channel := must(c.CreateCompChannel())
	cq := must(c.CreateCQ(CQAttr{CQE: 8, Channel: channel}))
	pd := must(c.AllocPD())
	qp := must(pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			_, err := cq.WaitSolicited(t.Context(), make([]ibv.WC, 1))
			wantClosed(t, err)
		})
	}
	parked(t, d, cq, 2, 2)
	var last error
	soon(t, "the loop", func() {
		push(t, d, cq, 1)
		for wc, err := range cq.All(t.Context()) {
			if last = err; err == nil && (len(wc) != 1 || wc[0].WRID != 1) {
				t.Errorf("%+v", wc)
			}
			if err == nil {
				for _, o := range []interface{ Close() error }{qp, cq, channel, pd, c} {
					ok(t, o.Close())
				}
			}
		}
	})
	wantClosed(t, last)
	soon(t, "those that wait", wg.Wait)
}

// What is nil, zero or closed answers with ErrClosed whatever is asked of it, also where all other arguments are right, and panics never.
func TestGoneObjectsOfEveryKind(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	pd, cq := must(w.c.AllocPD()), must(w.c.CreateCQ(CQAttr{CQE: 4}))
	qp := must(pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
	wq := must(w.c.CreateWQ(WQAttr{PD: pd, CQ: cq, MaxWR: 1}))
	table := must(w.c.CreateRWQIndTable(wq))
	rss := must(pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4}))
	other := must(w.c.Device().Open())
	for _, o := range []interface{ Close() error }{rss, table, wq, qp, cq, pd, other} {
		ok(t, o.Close())
	}
	for _, h := range []any{(*QP)(nil), &QP{}, qp, (*WQ)(nil), &WQ{}, wq, (*RWQIndTable)(nil), &RWQIndTable{}, table} {
		v := reflect.ValueOf(h)
		for i := range v.NumMethod() {
			checkAnswers(t, v.Type().String()+"."+v.Type().Method(i).Name, v.Method(i))
		}
	}
	before := w.d.Objects()
	liveWQ, livePD := w.wq(t), w.pd
	for _, c := range []*Context{nil, {}, other} {
		wantClosed(t, shut(c.CreateWQ(w.attr())))
		wantClosed(t, shut(c.CreateRWQIndTable(liveWQ)))
		wantClosed(t, shut(c.CreateCQ(CQAttr{CQE: 1})))
	}
	for _, gone := range []*PD{{}, pd} {
		wantClosed(t, shut(gone.CreateQP(QPAttr{SendCQ: w.cq, RecvCQ: w.cq, MaxSendWR: 1, MaxRecvWR: 1})))
		a := w.attr()
		a.PD = gone
		wantClosed(t, shut(w.c.CreateWQ(a)))
	}
	for _, gone := range []*CQ{{}, cq} {
		a := w.attr()
		a.CQ = gone
		wantClosed(t, shut(w.c.CreateWQ(a)))
		wantClosed(t, shut(livePD.CreateQP(QPAttr{SendCQ: gone, RecvCQ: w.cq, MaxSendWR: 1, MaxRecvWR: 1})))
		wantClosed(t, shut(livePD.CreateQP(QPAttr{SendCQ: w.cq, RecvCQ: gone, MaxSendWR: 1, MaxRecvWR: 1})))
	}
	for _, gone := range []*WQ{{}, wq} {
		wantClosed(t, shut(w.c.CreateRWQIndTable(gone)))
		wantClosed(t, shut(w.c.CreateRWQIndTable(liveWQ, gone)))
	}
	for _, gone := range []*RWQIndTable{{}, table} {
		wantClosed(t, shut(livePD.CreateRSSQP(RSSAttr{Table: gone, Fields: hash4})))
	}
	before.WQs++
	if w.d.Objects() != before {
		t.Errorf("%v, before %v", w.d.Objects(), before)
	}
}

// A wrong port or GID index is refused by the verb that finds out, with what there is; the QP stays in RESET, and connects afterwards.
func TestConnectNamesAWrongPortOrGID(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	for _, c := range []struct {
		attr       ConnectAttr
		verb, hint string
	}{
		{ConnectAttr{Port: 2}, "ibv_query_port", "ports 1 to 1"}, {ConnectAttr{Port: -1}, "ibv_query_port", "ports 1 to 1"},
		{ConnectAttr{Port: 257}, "ibv_query_port", "ports 1 to 1"}, {ConnectAttr{GIDIndex: new(16)}, "ibv_query_gid", "indices 0 to 15"},
		{ConnectAttr{GIDIndex: new(-1)}, "ibv_query_gid", "indices 0 to 15"},
	} {
		q := p.qp(t, QPAttr{})
		before := p.d.Objects()
		for name, err := range map[string]error{"Init": q.Init(c.attr), "Connect": q.Connect(must(p.a.Endpoint()), c.attr)} {
			var e *Error
			if !errors.As(err, &e) || e.Verb != c.verb || e.Object != "softdev0" || e.Errno != syscall.EINVAL || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("%s, %+v: %#v (%v), want %s and %q", name, c.attr, err, err, c.verb, c.hint)
			}
		}
		if q.State() != ibv.IBV_QPS_RESET || p.d.Objects() != before {
			t.Errorf("%+v: %v, %v", c.attr, q.State(), p.d.Objects())
		}
		ok(t, q.Connect(must(p.a.Endpoint()), ConnectAttr{}))
	}
}

// Bad arguments of a post are refused before the device is asked, take no room, and what follows works.
func TestBadPostsTakeNoRoom(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 4, MaxRecvWR: 4, MaxInlineData: 16}, ConnectAttr{})
	most, inline := int(p.a.Cap().MaxSendSGE), int(p.a.Cap().MaxInlineData)
	before, n := p.d.Objects(), p.calls(t, "post_send")+p.calls(t, "post_recv")
	for range 10 {
		_, err := p.mra.SGE(1<<16-8, 9)
		wantError(t, err, "ibv_post_send", p.mra.String(), syscall.EINVAL, "offset 65528, length 9", "65536 bytes")
		wantError(t, p.a.Send(SendWR{SGList: make([]ibv.SGE, most+1)}), "ibv_post_send", p.a.String(), syscall.EINVAL, fmt.Sprintf("%d elements", most+1))
		wantError(t, p.a.Send(SendWR{Inline: make([]byte, inline+1)}), "ibv_post_send", p.a.String(), syscall.EINVAL, fmt.Sprint(inline), "inline")
		wantError(t, p.a.Recv(RecvWR{SGList: make([]ibv.SGE, 17)}), "ibv_post_recv", p.a.String(), syscall.EINVAL, "17 elements")
	}
	if p.calls(t, "post_send")+p.calls(t, "post_recv") != n || p.d.Objects() != before {
		t.Errorf("the device was asked, or has %v", p.d.Objects())
	}
	room := int(p.a.Cap().MaxSendWR)
	for range room {
		ok(t, p.a.Send(SendWR{Flags: signaled}))
	}
	err := p.a.Send(SendWR{})
	wantError(t, err, "ibv_post_send", p.a.String(), syscall.ENOMEM, fmt.Sprint(room))
	if !errors.Is(err, ErrQueueFull) {
		t.Error(err)
	}
	poll(t, p.a.SendCQ(), room)
	ok(t, p.a.Send(SendWR{Flags: signaled}))
	poll(t, p.a.SendCQ(), 1)
}

// Events that cannot be taken, for whatever reason: those that wait get an error with the verb, the object and the errno value, what there is
// stays, and everything can be closed.
func TestEventsThatCannotBeTaken(t *testing.T) {
	for _, f := range []struct {
		fault softdev.Fault
		want  syscall.Errno
	}{
		{softdev.Fault{Errno: syscall.ENOMEM}, syscall.ENOMEM}, {softdev.Fault{Errno: syscall.EINVAL}, syscall.EINVAL},
		{softdev.Fault{Errno: syscall.EOPNOTSUPP}, syscall.EOPNOTSUPP}, {softdev.Fault{Errno: syscall.EBUSY}, syscall.EBUSY},
		{softdev.Fault{Value: -1, Errno: syscall.ENODEV}, syscall.ENODEV},
	} {
		d, c := testDevice(t)
		q := testCQ(t, c, 4, true)
		before := d.Objects()
		ok(t, d.Fail("get_cq_event", f.fault))
		ok(t, d.Fail("get_async_event", f.fault))
		r := make(chan error, 1)
		go func() { _, err := q.WaitSolicited(t.Context(), make([]ibv.WC, 1)); r <- err }()
		// The readers may have met the faults already.
		eventually(t, "waiting", func() bool { return waiting(q) == 1 || len(r) == 1 })
		ok(t, d.Complete(q.raw, &ibv.WC{WRID: 1}, true))
		ok(t, d.RaisePort(ibv.IBV_EVENT_LID_CHANGE, 1))
		soon(t, "waiting", func() {
			if err := <-r; err != nil { // else it was quick enough to poll
				wantError(t, err, "ibv_get_cq_event", q.Channel().String(), f.want)
			}
			wc := make([]ibv.WC, 1)
			for n := 1; n > 0; {
				n = must(q.Poll(wc))
			}
			_, err := q.Wait(t.Context(), wc)
			wantError(t, err, "ibv_get_cq_event", q.Channel().String(), f.want)
			if errors.Is(err, ErrNotSupported) != (f.want == syscall.EOPNOTSUPP) {
				t.Error(err)
			}
			for e, err := range c.AsyncEvents(t.Context()) {
				if err == nil {
					t.Error(e)
				}
				wantError(t, err, "ibv_get_async_event", "softdev0", f.want)
			}
		})
		if d.Objects() != before {
			t.Errorf("%v, before %v", d.Objects(), before)
		}
	}
}

// Some providers answer a negative errno value where the manual has the value itself, and set no errno: it is the same error.
func TestNegativeErrnoValues(t *testing.T) {
	for _, verb := range []string{
		"ibv_dealloc_pd", "ibv_dereg_mr", "ibv_destroy_comp_channel", "ibv_destroy_cq", "ibv_req_notify_cq", "ibv_modify_qp", "ibv_query_qp", "ibv_destroy_qp",
		"ibv_post_send", "ibv_post_recv", "ibv_modify_wq", "ibv_post_wq_recv", "ibv_destroy_wq", "ibv_destroy_rwq_ind_table", "ibv_query_device",
		"ibv_query_device_ex", "ibv_query_port", "ibv_query_gid_ex", "ibv_query_gid_table", "ibv_start_poll", "ibv_next_poll", "ibv_wr_complete",
	} {
		i := slices.IndexFunc(faults, func(f fault) bool { return f.verb == verb })
		for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOBUFS} {
			testFault(t, verb, faults[i].call, faultOf(-int(errno)), errno)
		}
	}
}

// Opening and closing a device fail without a reason, or with a negative number, like everything else.
func TestFailuresOfTheDeviceInOtherForms(t *testing.T) {
	d := must(softdev.New(softdev.Config{}))
	dev := AdoptDevice(d.Raw(), "test", d.Open)
	for _, f := range []struct {
		fault softdev.Fault
		open  syscall.Errno
		close syscall.Errno
	}{
		{softdev.Fault{Value: -1, Errno: syscall.EIO}, syscall.EIO, syscall.EIO}, {softdev.Fault{Value: -int(syscall.ENOBUFS), Errno: syscall.ENOBUFS}, syscall.ENOBUFS, syscall.ENOBUFS},
	} {
		ok(t, d.Fail("ibv_open_device", f.fault))
		_, err := dev.Open()
		wantError(t, err, "ibv_open_device", "softdev0", f.open)
		c := must(dev.Open())
		ok(t, d.Fail("ibv_close_device", f.fault))
		wantError(t, c.Close(), "ibv_close_device", "softdev0", f.close)
		ok(t, must(c.AllocPD()).Close())
		ok(t, c.Close())
	}
	ok(t, d.Fail("ibv_open_device", softdev.Fault{NoErrno: true}))
	_, err := dev.Open()
	wantError(t, err, "ibv_open_device", "softdev0", 0)
	if n, orphans := d.Objects(), d.Orphans(); n.Total()+orphans.Total() != 0 {
		t.Errorf("%v, %v", n, orphans)
	}
	ok(t, d.Close())
}

// Every verb that this package calls is among those that are made to fail.
func TestFaultsAreComplete(t *testing.T) {
	elsewhere := map[string]string{ // what has its own test, or cannot fail
		"OpenDevice": "TestFailuresOfTheDevice", "CloseDevice": "TestFailuresOfTheDevice", "Devices": "TestOpenUnknownDevice",
		"TakeCQEvent": "TestEventsThatCannotBeTaken", "TakeAsyncEvent": "TestEventsThatCannotBeTaken",
		"Polled": "TestTiers", "Posted": "TestDirectPostFails", "Registered": "returns a truth value",
		"AckCQEvents": "returns nothing", "AckAsyncEvent": "returns nothing", "GetDeviceGUID": "returns a number",
		"RingCalls": "TestRingPollFails, TestRingArmingFails, TestRingEventsFail", "RingPollError": "TestRingPollFails", "RingErrno": "TestRingArmingFails",
		"CQExToCQ": "returns what it was given", "FileOf": "cannot fail", "NewTurnstile": "cannot fail",
	}
	failing := make(map[string]bool)
	for _, f := range faults {
		failing[strings.ReplaceAll(strings.TrimPrefix(f.verb, "ibv_"), "_", "")] = true
	}
	failing["spincq"] = failing["pollcq"]
	failing["pollcqwithin"] = failing["pollcq"]
	failing["pollcqex"] = failing["startpoll"] && failing["nextpoll"]
	failing["pollcqexwithin"] = failing["pollcqex"]
	failing["send"], failing["receive"] = failing["postsend"], failing["postrecv"]
	failing["wrbatch"] = failing["wrcomplete"]
	called := regexp.MustCompile(`\bcverbs\.([A-Z]\w*)\(`)
	found := 0
	for _, name := range must(filepath.Glob("*.go")) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range called.FindAllSubmatch(must(os.ReadFile(name)), -1) {
			if found++; !failing[strings.ToLower(string(m[1]))] && elsewhere[string(m[1])] == "" {
				t.Errorf("%s calls %s, which is never made to fail", name, m[1])
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d calls found", found)
	}
}

// A key of memory that is closed, or of another domain, does not work: the request fails, and the peer's memory is as it was.
func TestKeysOfOtherDomainsDoNotWork(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	other := closing(t, must(p.c.AllocPD()))
	foreign := closing(t, must(other.AllocMR(4096, pairAccess)))
	gone := must(p.pd.AllocMR(4096, pairAccess))
	key, addr := gone.LKey(), gone.Addr()
	ok(t, gone.Close())
	before := bytes.Clone(p.mrb.Bytes())
	for name, list := range map[string][]ibv.SGE{
		"another domain": {foreign.All()}, "closed": {{Addr: addr, Length: 8, LKey: key}}, "beyond its end": {{Addr: p.mra.Addr() + 1<<16 - 4, Length: 8, LKey: p.mra.LKey()}},
	} {
		q := newPair(t, p.d, p.c, QPAttr{}, ConnectAttr{})
		// The QPs of q belong to a domain of their own; only what is between its own objects works.
		list[0].Length = 8
		if name == "beyond its end" {
			list[0].LKey, list[0].Addr = q.mra.LKey(), q.mra.Addr()+1<<16-4
		}
		ok(t, q.a.Send(SendWR{WRID: 3, Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: list, RemoteAddr: q.mrb.Addr(), RKey: q.mrb.RKey()}))
		if wc := one(t, q.a.SendCQ(), 3, ibv.IBV_WC_LOC_PROT_ERR); !strings.Contains(wc.Err().Error(), "IBV_WC_LOC_PROT_ERR") {
			t.Errorf("%s: %v", name, wc.Err())
		}
	}
	ok(t, p.a.Send(SendWR{WRID: 4, Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 8), RemoteAddr: foreign.Addr(), RKey: foreign.RKey()}))
	one(t, p.a.SendCQ(), 4, ibv.IBV_WC_REM_ACCESS_ERR)
	if !bytes.Equal(before, p.mrb.Bytes()) {
		t.Error("memory has changed")
	}
}

// The poller tells once of any number of events: each time, all are taken.
func TestReaderTakesEverythingAtOnce(t *testing.T) {
	var fds [2]int
	ok(t, syscall.Pipe2(fds[:], syscall.O_CLOEXEC))
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	var events atomic.Int32
	r := must(readEvents(int32(fds[0]), "pipe", func() syscall.Errno {
		switch n := events.Add(-1); {
		case n < 0: // the byte stays in the pipe, so that there is no other change to tell of
			events.Store(0)
			return syscall.EAGAIN
		case n%3 == 2:
			return syscall.EINTR
		}
		return 0
	}, func(err error) { t.Error(err) }))
	for _, n := range []int32{1, 7, 100} {
		events.Store(n)
		must(syscall.Write(fds[1], []byte{1}))
		eventually(t, "end of the events", func() bool { return events.Load() == 0 })
	}
	r.stop()
}
