//go:build linux && cgo

package verbs

import (
	"errors"
	"testing"
	"time"

	"github.com/goverbs/ibv"
)

// ringPair is a pair whose completions all come through one ring: sends through one CQ, receives through another.
func ringPair(t testing.TB, attr RingAttr, q QPAttr) (*pair, *Ring) {
	t.Helper()
	d, c := testDevice(t)
	r, cqs := testRing(t, c, attr, 256, 256)
	q.SendCQ, q.RecvCQ = cqs[0], cqs[1]
	return newPair(t, d, c, q, ConnectAttr{}), r
}

// write is a signalled write of p.a.
func (p *pair) write(wrid uint64) error {
	return p.a.Send(SendWR{WRID: wrid, Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 8), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey(), Flags: ibv.IBV_SEND_SIGNALED})
}

func TestRingMessages(t *testing.T) {
	p, r := ringPair(t, RingAttr{Entries: 64}, QPAttr{})
	for i := range uint64(100) {
		p.mra.Bytes()[0] = byte(i)
		ok(t, p.b.Recv(RecvWR{WRID: 2*i + 1, SGList: sge(p.mrb, 0, 64)}))
		ok(t, p.a.Send(SendWR{WRID: 2 * i, Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 64), Flags: ibv.IBV_SEND_SIGNALED}))
		wc, err := ringTake(t, r, 2)
		ok(t, err)
		if r.Empty() { // the batch is out
			t.Error("empty")
		}
		for j := range wc {
			w := &wc[j]
			want, qp := ibv.IBV_WC_SEND, p.a
			if w.WRID%2 == 1 {
				want, qp = ibv.IBV_WC_RECV, p.b
			}
			if w.WRID/2 != i || w.Err() != nil || w.Opcode != want || w.QPNum != qp.Num() {
				t.Fatalf("%+v in round %d", w, i)
			}
		}
		if len(wc) != 2 || wc[0].WRID == wc[1].WRID || p.mrb.Bytes()[0] != byte(i) {
			t.Fatal(ids(wc), p.mrb.Bytes()[0])
		}
	}
}

// A send queue's places are free again once the completions have been given out, not before.
func TestRingCountsSends(t *testing.T) {
	for _, all := range []bool{true, false} {
		p, r := ringPair(t, RingAttr{Entries: 256}, QPAttr{MaxSendWR: 8, SignalAll: all})
		other := p.qp(t, QPAttr{SendCQ: p.a.sendCQ, RecvCQ: p.a.recvCQ, MaxSendWR: 8})
		ok(t, other.Connect(must(other.Endpoint()), ConnectAttr{}))
		room := int(p.a.Cap().MaxSendWR)
		wrid := uint64(0)
		for round := range 50 {
			for range room {
				ok(t, p.write(wrid))
				wrid++
			}
			r.state.poller.Flush() // they have ended, and are in the ring
			if err := p.write(0); !errors.Is(err, ErrQueueFull) {
				t.Fatalf("round %d: %v, want ErrQueueFull", round, err)
			}
			wc, err := ringTake(t, r, room)
			if len(wc) != room || err != nil || wc[0].WRID != wrid-uint64(room) {
				t.Fatal(ids(wc), err)
			}
		}
		// Receives, and the other QP's, do not count.
		for range room {
			ok(t, p.write(0))
		}
		ok(t, p.b.Recv(RecvWR{}))
		ok(t, other.Recv(RecvWR{}))
		ok(t, other.Send(SendWR{Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED}))
		must(ringTake(t, r, room+2))
		for range room {
			ok(t, p.write(0))
		}
		if err := p.write(0); !errors.Is(err, ErrQueueFull) {
			t.Errorf("%v, want ErrQueueFull", err)
		}
		must(ringTake(t, r, room))
	}
}

// What a QP had before it went to RESET, or another of its number, does not count for what it does after.
func TestRingCountsFromReset(t *testing.T) {
	p, r := ringPair(t, RingAttr{Entries: 256}, QPAttr{MaxSendWR: 4})
	room := int(p.a.Cap().MaxSendWR)
	for range 5 {
		for i := range room {
			ok(t, p.write(uint64(i)))
		}
		r.state.poller.Flush() // into the ring, where RESET drops nothing
		for _, q := range []*QP{p.a, p.b} {
			ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
		}
		p.connect(t, ConnectAttr{})
		for seen := uint64(0); seen < uint64(room); { // perhaps around the ring's end
			wc := must(r.Next())
			if len(wc) == 0 || wc[0].WRID != seen || p.a.sq.tallied.Load().done.Load() != 0 {
				t.Fatalf("%v, of which %d count", ids(wc), p.a.sq.tallied.Load().done.Load())
			}
			seen += uint64(len(wc))
		}
		for i := range room {
			ok(t, p.write(uint64(100+i)))
		}
		if wc, err := ringTake(t, r, room); len(wc) != room || err != nil || wc[0].WRID != 100 || p.a.sq.tallied.Load().done.Load() != uint64(room) {
			t.Fatalf("%v, %v, of which %d count", ids(wc), err, p.a.sq.tallied.Load().done.Load())
		}
	}
}

// A failure breaks the count, as it does with a CQ: the device says when the queue is full.
func TestRingFailedSend(t *testing.T) {
	p, r := ringPair(t, RingAttr{Entries: 64}, QPAttr{MaxSendWR: 4})
	ok(t, p.d.FailNextSend(p.a.Raw(), ibv.IBV_WC_REM_ACCESS_ERR, 7))
	ok(t, p.write(9))
	wc, err := ringTake(t, r, 1)
	if err != nil || wc[0].WRID != 9 || wc[0].Status != ibv.IBV_WC_REM_ACCESS_ERR || wc[0].VendorErr != 7 || !p.a.sq.tallied.Load().broken.Load() || p.b.sq.tallied.Load().broken.Load() {
		t.Errorf("%+v, %v", wc, err)
	}
}

// Neither looking, nor taking, nor waiting makes garbage.
func TestRingMakesNoGarbage(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	p, r := ringPair(t, RingAttr{Entries: 64, Spin: time.Nanosecond}, QPAttr{})
	ctx := t.Context() // which can be done
	write := SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 8), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey(), Flags: ibv.IBV_SEND_SIGNALED}
	wait := func() {
		ok(t, p.a.Send(write))
		if wc, err := r.Wait(ctx); len(wc) != 1 || err != nil {
			t.Fatal(ids(wc), err)
		}
	}
	for what, f := range map[string]func(){
		"empty": func() {
			if wc, err := r.Next(); wc != nil || err != nil || !r.Empty() {
				t.Fatal(ids(wc), err)
			}
			r.Release()
		},
		"wait": wait,
	} {
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
	// Whether somebody has slept, and was woken, is a matter of time.
	for late := time.Now().Add(20 * time.Second); r.Stats().Wakes == 0 || r.Stats().Sleeps == 0; {
		if n := testing.AllocsPerRun(200, wait); n != 0 || time.Now().After(late) {
			t.Fatalf("%v allocations, %+v", n, r.Stats())
		}
	}
}

// A QP, and its CQ, may be closed while traffic runs; nothing of the others is lost.
func TestRingCloseUnderTraffic(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 4096}, 1024)
	keep := newPair(t, d, c, QPAttr{SendCQ: cqs[0], RecvCQ: cqs[0], MaxSendWR: 64}, ConnectAttr{})
	for range 20 {
		q := must(r.CreateCQ(CQAttr{CQE: 64}))
		gone := must(keep.pd.CreateQP(QPAttr{SendCQ: q, RecvCQ: q, MaxSendWR: 64, MaxRecvWR: 1}))
		ok(t, gone.Connect(must(gone.Endpoint()), ConnectAttr{}))
		for i := range uint64(32) {
			ok(t, keep.write(i))
			ok(t, gone.Send(SendWR{WRID: 1000, Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(keep.mra, 0, 8), RemoteAddr: keep.mrb.Addr(), RKey: keep.mrb.RKey(), Flags: ibv.IBV_SEND_SIGNALED}))
		}
		ok(t, gone.Close())
		ok(t, q.Close())
		next := uint64(0)
		for next < 32 {
			wc, err := ringTake(t, r, 1)
			ok(t, err)
			for i := range wc {
				if wc[i].WRID == next {
					next++
				} else if wc[i].WRID != 1000 {
					t.Fatalf("number %d, want %d", wc[i].WRID, next)
				}
			}
		}
	}
}
