//go:build linux && cgo

package verbs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A slotModel is a send queue as the manual has it: places are freed by polling the completion of a signalled request at or behind them.
type slotModel struct {
	room    int
	flags   []bool // requests that have places, oldest first: signalled?
	waiting int    // completions that were not polled, of those
}

func (m *slotModel) free() int { return m.room - len(m.flags) }

func (m *slotModel) post(signalled []bool) int {
	n := min(len(signalled), m.free())
	m.flags = append(m.flags, signalled[:n]...)
	for _, s := range signalled[:n] {
		if s {
			m.waiting++
		}
	}
	return n
}

func (m *slotModel) poll(n int) {
	m.waiting -= n
	for ; n > 0; n-- {
		for !m.flags[0] {
			m.flags = m.flags[1:]
		}
		m.flags = m.flags[1:]
	}
}

// Whatever is posted and polled, a post takes what the model has room for, neither less nor more, and the device is not asked when there is
// none: with CQs of their own, shared, and everything in one; and whether by cgo or by direct handles, beside others.
func TestSlotsAreExact(t *testing.T) {
	for name, share := range map[string]func(c *Context, a *QPAttr){
		"own CQs":    func(c *Context, a *QPAttr) {},
		"all in one": func(c *Context, a *QPAttr) { a.RecvCQ = a.SendCQ },
	} {
		for _, all := range []bool{false, true} {
			for _, common := range []bool{false, true} {
				for _, direct := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, SignalAll %v, common %v, direct %v", name, all, common, direct), func(t *testing.T) {
						testSlots(t, share, all, common, direct)
					})
				}
			}
		}
	}
}

func testSlots(t *testing.T, share func(*Context, *QPAttr), all, common, direct bool) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	var qps []*QP
	var cqs []*CQ
	cq := testCQ(t, c, 1024, false)
	for range 4 {
		if !common {
			cq = testCQ(t, c, 1024, false)
		}
		a := QPAttr{SendCQ: cq, MaxSendWR: 8, SignalAll: all}
		share(c, &a)
		qps = append(qps, p.qp(t, a))
		if len(cqs) == 0 || !common {
			cqs = append(cqs, cq)
		}
	}
	for i := 0; i < 4; i += 2 {
		p.a, p.b = qps[i], qps[i+1]
		p.connect(t, ConnectAttr{})
	}
	models := map[uint32]*slotModel{}
	for _, q := range qps {
		models[q.Num()] = &slotModel{room: int(q.Cap().MaxSendWR)}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	wc := make([]ibv.WC, 8)
	// post and poll are direct most of the time, if at all.
	senders, pollers := make(map[*QP]*DirectSend), make(map[*CQ]*DirectCQ)
	if direct {
		for _, q := range qps {
			senders[q] = testDirectSend(t, q, DirectAttr{})
		}
		for _, q := range cqs {
			pollers[q] = testDirectCQ(t, q, DirectAttr{})
		}
	}
	post := func(q *QP, r *SendRequests) (int, error) {
		if !direct || rng.IntN(4) == 0 {
			return q.PostSend(r)
		}
		return senders[q].Post(r)
	}
	poll := func(q *CQ, wc []ibv.WC) (int, error) {
		if !direct || rng.IntN(4) == 0 {
			return q.Poll(wc)
		}
		if rng.IntN(50) == 0 { // a new handle goes on where the last one was
			ok(t, pollers[q].Close())
			pollers[q] = testDirectCQ(t, q, DirectAttr{})
		}
		return pollers[q].Poll(wc)
	}
	for step := range 20000 {
		q := qps[rng.IntN(4)]
		m := models[q.Num()]
		switch rng.IntN(8) {
		case 0, 1, 2:
			n := 1 + rng.IntN(5)
			r, flags := must(NewSendRequests(8, 0, 0)), make([]bool, n)
			for i := range n {
				// Writes of nothing complete at once.
				flags[i] = rng.IntN(3) == 0 || all
				ok(t, r.Signal(i, flags[i] && !all))
			}
			ok(t, r.SetLen(n))
			room := m.free()
			before := calls(t, d, "post_send")
			want := m.post(flags)
			got, err := post(q, r)
			if got != want || errors.Is(err, ErrQueueFull) != (want < n) || (err != nil) != (want < n) {
				t.Fatalf("step %d: %d of %d posted, %v; the model says %d", step, got, n, err, want)
			}
			if asked := calls(t, d, "post_send") - before; asked != min(room, 1) {
				t.Fatalf("step %d: %d calls, with room for %d", step, asked, room)
			}
		case 3, 4:
			signalled := rng.IntN(2) == 0 || all
			want := m.post([]bool{signalled})
			wr := SendWR{}
			if signalled {
				wr.Flags = signaled
			}
			if err := q.Send(wr); (err == nil) != (want == 1) {
				t.Fatalf("step %d: %v; the model says %d", step, err, want)
			}
		case 5, 6:
			k := 1 + rng.IntN(len(wc))
			n, err := poll(cqs[rng.IntN(len(cqs))], wc[:k])
			ok(t, err)
			for i := range wc[:n] {
				ok(t, wc[i].Err())
				models[wc[i].QPNum].poll(1)
			}
		case 7:
			if rng.IntN(20) > 0 {
				continue
			}
			// Both sides anew. What was not polled is gone.
			i := rng.IntN(2) * 2
			p.a, p.b = qps[i], qps[i+1]
			for _, q := range []*QP{p.a, p.b} {
				ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
				models[q.Num()] = &slotModel{room: int(q.Cap().MaxSendWR)}
			}
			p.connect(t, ConnectAttr{})
		}
	}
}

// A CQ that gets a second queue later goes on counting where it was.
func TestSlotsWhenTheCQIsShared(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 8}, ConnectAttr{})
	cq := p.a.SendCQ()
	for range 5 {
		ok(t, p.a.Send(SendWR{Flags: signaled}))
	}
	wc := make([]ibv.WC, 2)
	if n := must(cq.Poll(wc)); n != 2 {
		t.Fatal(n)
	}
	other := must(p.pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4}))
	for i := range 5 {
		if err := p.a.Send(SendWR{Flags: signaled}); err != nil {
			t.Fatal(i, err)
		}
	}
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.String(), syscall.ENOMEM, "all 8 places")
	if n := must(cq.Poll(wc)); n != 2 {
		t.Fatal(n)
	}
	ok(t, other.Close())
	for i := range 2 {
		if err := p.a.Send(SendWR{Flags: signaled}); err != nil {
			t.Fatal(i, err)
		}
	}
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.String(), syscall.ENOMEM)
}

// Receives in the same CQ free no places, nor do completions of others.
func TestSlotsCountOnlySends(t *testing.T) {
	d, c := testDevice(t)
	cq := testCQ(t, c, 64, false)
	p := newPair(t, d, c, QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 4}, ConnectAttr{})
	for range 4 {
		ok(t, p.a.Send(SendWR{Flags: signaled}))
	}
	for range 3 {
		ok(t, p.a.Recv(RecvWR{}))
		ok(t, p.b.Send(SendWR{Opcode: ibv.IBV_WR_SEND}))
	}
	ok(t, d.Complete(cq.Raw(), &ibv.WC{Opcode: ibv.IBV_WC_SEND, QPNum: 0xabcdef}, false))
	wc := make([]ibv.WC, 64)
	n := must(cq.Poll(wc[:4]))
	if n != 4 || wc[0].Opcode != ibv.IBV_WC_RDMA_WRITE {
		t.Fatal(n, wc[:n])
	}
	for range 4 {
		ok(t, p.a.Send(SendWR{}))
	}
	if n := must(cq.Poll(wc)); n != 4 {
		t.Fatalf("%d: %+v", n, wc[:n])
	}
	// All that was polled last were receives, and a stranger.
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.String(), syscall.ENOMEM)
}

// After an error every request completes, signalled or not. A queue is never thought to be full then, and exact again after RESET.
func TestSlotsAfterAnError(t *testing.T) {
	for _, shared := range []bool{false, true} {
		d, c := testDevice(t)
		attr := QPAttr{MaxSendWR: 8}
		if shared {
			attr.SendCQ = testCQ(t, c, 256, false)
			attr.RecvCQ = attr.SendCQ
		}
		p := newPair(t, d, c, attr, ConnectAttr{})
		wc := make([]ibv.WC, 32)
		ok(t, p.a.Send(SendWR{}))
		ok(t, p.a.Send(SendWR{RemoteAddr: 1, SGList: sge(p.mra, 0, 1)})) // no such key
		for i := range 1000 {
			wr := SendWR{}
			if i%3 == 0 {
				wr.Flags = signaled
			}
			if err := p.a.Send(wr); err != nil {
				t.Fatalf("shared %v, %d: %v", shared, i, err)
			}
			if i%4 == 3 {
				must(p.a.SendCQ().Poll(wc))
			}
		}
		for _, q := range []*QP{p.a, p.b} {
			ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
		}
		p.connect(t, ConnectAttr{})
		for range 8 {
			ok(t, p.a.Send(SendWR{}))
		}
		before := p.calls(t, "post_send")
		if err := p.a.Send(SendWR{}); !errors.Is(err, ErrQueueFull) || p.calls(t, "post_send") != before {
			t.Errorf("shared %v: %v", shared, err)
		}
	}
}

// Completions that are lost with a failing poll do not take their places along.
func TestSlotsAfterAFailedPoll(t *testing.T) {
	for _, shared := range []bool{false, true} {
		d, c := testDevice(t)
		attr := QPAttr{MaxSendWR: 4}
		if shared {
			attr.SendCQ = testCQ(t, c, 256, false)
			attr.RecvCQ = attr.SendCQ
		}
		p := newPair(t, d, c, attr, ConnectAttr{})
		for range 4 {
			ok(t, p.a.Send(SendWR{Flags: signaled}))
		}
		s := p.a.sq
		if !errors.Is(p.a.Send(SendWR{}), ErrQueueFull) {
			t.Error("it is not full")
		}
		p.d.Heal()
		ok(t, d.Fail("poll_cq", faultOf(-5)))
		if _, err := p.a.SendCQ().Poll(make([]ibv.WC, 4)); err == nil {
			t.Fatal("polling did not fail")
		}
		// The device still has it full, and is asked.
		before := p.calls(t, "post_send")
		if err := p.a.Send(SendWR{}); !errors.Is(err, ErrQueueFull) || p.calls(t, "post_send") != before+1 || !s.off {
			t.Errorf("shared %v: %v", shared, err)
		}
	}
}

// Knowing that a queue is full costs no garbage.
func TestFullQueueMakesNoGarbage(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	p := testPair(t, QPAttr{MaxSendWR: 4}, ConnectAttr{})
	for range 4 {
		ok(t, p.a.Send(SendWR{}))
	}
	if n := testing.AllocsPerRun(100, func() {
		if p.a.Send(SendWR{}) == nil {
			t.Fatal("it is not full")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A WQ is another queue of the CQ that a send queue has: its receives free no places, whichever of the two was there first.
func TestSlotsBesideAWQ(t *testing.T) {
	for _, first := range []bool{false, true} {
		w := testWQs(t, softdev.Config{Exact: true})
		attr := QPAttr{SendCQ: w.cq, MaxSendWR: 4}
		p := &pair{d: w.d, c: w.c, pd: w.pd}
		var wq *WQ
		if first {
			wq = w.wq(t)
		}
		p.a, p.b = p.qp(t, attr), p.qp(t, QPAttr{})
		if !first {
			wq = w.wq(t)
		}
		p.connect(t, ConnectAttr{})
		for range 4 {
			ok(t, wq.Recv(RecvWR{}))
		}
		ok(t, wq.Modify(WQModify{State: new(ibv.IBV_WQS_ERR)})) // which completes them
		for range 4 {
			ok(t, p.a.Send(SendWR{Flags: signaled}))
		}
		if wc := poll(t, w.cq, 8)[:4]; wc[3].QPNum != wq.Num() {
			t.Errorf("%+v", wc)
		}
		for range 4 {
			ok(t, p.a.Send(SendWR{Flags: signaled}))
		}
		before := calls(t, w.d, "post_send")
		if err := p.a.Send(SendWR{}); !errors.Is(err, ErrQueueFull) || calls(t, w.d, "post_send") != before || p.a.sq.off {
			t.Errorf("WQ first: %v; %v after %d calls, counting given up: %v", first, err, calls(t, w.d, "post_send")-before, p.a.sq.off)
		}
	}
}

// Only completions of the sends count, also those that come later than the WQ's.
func TestWQsCompletionsFreeNoPlaces(t *testing.T) {
	w := testWQs(t, softdev.Config{Exact: true})
	p := &pair{d: w.d, c: w.c, pd: w.pd}
	p.a, p.b = p.qp(t, QPAttr{SendCQ: w.cq, MaxSendWR: 4}), p.qp(t, QPAttr{})
	p.connect(t, ConnectAttr{})
	wq := w.wq(t)
	for range 4 {
		ok(t, wq.Recv(RecvWR{}))
		ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, Flags: signaled})) // waits for a receive
	}
	ok(t, wq.Modify(WQModify{State: new(ibv.IBV_WQS_ERR)}))
	poll(t, w.cq, 4)
	before := calls(t, w.d, "post_send")
	if err := p.a.Send(SendWR{}); !errors.Is(err, ErrQueueFull) || calls(t, w.d, "post_send") != before {
		t.Errorf("%v after %d calls", err, calls(t, w.d, "post_send")-before)
	}
}
