//go:build linux && cgo

package kerneltest

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// ringed makes two connected sides whose completions all come through one ring, from a CQ for each side.
func ringed(t testing.TB, attr verbs.RingAttr) (r *verbs.Ring, a, b *side) {
	t.Helper()
	c := open(t)
	pd := closing(t, must(c.AllocPD()))
	r = closing(t, must(c.CreateRing(attr)))
	for _, e := range []**side{&a, &b} {
		cq := closing(t, must(r.CreateCQ(verbs.CQAttr{CQE: 64})))
		mr := closing(t, must(pd.AllocMR(bufferSize, anyAccess)))
		qp := closing(t, must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 16, MaxRecvWR: 16})))
		*e = &side{qp: qp, scq: cq, rcq: cq, mr: mr}
	}
	connect(t, a, b, verbs.ConnectAttr{})
	return r, a, b
}

// ringTake takes n completions, all of requests that have succeeded.
func ringTake(t testing.TB, r *verbs.Ring, n int) (wc []ibv.WC) {
	t.Helper()
	for len(wc) < n {
		batch, err := r.Wait(within(t, patience))
		ok(t, err)
		wc = append(wc, batch...)
	}
	for i := range wc {
		ok(t, wc[i].Err())
	}
	if len(wc) != n {
		t.Fatalf("%d completions, want %d", len(wc), n)
	}
	return wc
}

// Messages through a ring, some while its thread polls and some after it has gone to sleep, from where the device wakes it.
func TestRing(t *testing.T) {
	r, a, b := ringed(t, verbs.RingAttr{Entries: 64, Spin: 200 * time.Microsecond})
	for i := range uint64(60) {
		if i%3 == 0 {
			for end := time.Now().Add(patience); r.Stats().Sleeps <= i/3; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("in round %d the thread has slept %d times", i, r.Stats().Sleeps)
				}
			}
		}
		a.mr.Bytes()[0] = byte(i + 1)
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: 1000 + i, SGList: b.part(0, 64)}))
		ok(t, a.qp.Send(verbs.SendWR{WRID: i, Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 64), Flags: ibv.IBV_SEND_SIGNALED}))
		wc := ringTake(t, r, 2)
		if wc[0].QPNum == b.qp.Num() {
			wc[0], wc[1] = wc[1], wc[0]
		}
		if wc[0].WRID != i || wc[0].Opcode != ibv.IBV_WC_SEND || wc[0].QPNum != a.qp.Num() ||
			wc[1].WRID != 1000+i || wc[1].Opcode != ibv.IBV_WC_RECV || wc[1].QPNum != b.qp.Num() || wc[1].ByteLen != 64 || b.mr.Bytes()[0] != byte(i+1) {
			t.Fatalf("in round %d %+v", i, wc)
		}
	}
	if s := r.Stats(); s.Taken != 120 || s.Stalls != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := a.scq.Poll(make([]ibv.WC, 1)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("polling a ring's queue: %v, want EINVAL", err)
	}
}

// Who waits for a ring is woken. Whether it sleeps by then is a matter of time, so this goes on until it was.
func TestRingWakes(t *testing.T) {
	r, a, b := ringed(t, verbs.RingAttr{Entries: 64, Spin: 200 * time.Microsecond})
	wr := verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), SGList: a.part(0, 8), Flags: ibv.IBV_SEND_SIGNALED}
	for late := time.Now().Add(patience); r.Stats().Wakes < 3; wr.WRID++ {
		if time.Now().After(late) {
			t.Fatalf("%+v", r.Stats())
		}
		ctx, got := within(t, patience), make(chan ibv.WC, 1)
		go func() {
			wc, err := r.Wait(ctx)
			if err != nil || len(wc) != 1 {
				t.Errorf("%d completions, %v", len(wc), err)
				wc = make([]ibv.WC, 1)
			}
			got <- wc[0]
		}()
		time.Sleep(5 * time.Millisecond)
		ok(t, a.qp.Send(wr))
		if wc := <-got; wc.WRID != wr.WRID || wc.Err() != nil {
			t.Fatalf("%+v, want number %d", wc, wr.WRID)
		}
	}
}

// A send queue has room again once its completions have come through the ring, many times around both.
func TestRingStream(t *testing.T) {
	r, a, b := ringed(t, verbs.RingAttr{Entries: 8})
	wr := verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), SGList: a.part(0, 8), Flags: ibv.IBV_SEND_SIGNALED}
	sent, seen := uint64(0), uint64(0)
	for seen < 1000 {
		for sent < 1000 {
			wr.WRID = sent
			err := a.qp.Send(wr)
			if errors.Is(err, verbs.ErrQueueFull) {
				break
			}
			ok(t, err)
			sent++
		}
		batch, err := r.Wait(within(t, patience))
		ok(t, err)
		for i := range batch {
			if batch[i].Err() != nil || batch[i].WRID != seen {
				t.Fatalf("%+v, want number %d", batch[i], seen)
			}
			seen++
		}
	}
	if sent != 1000 || seen != 1000 {
		t.Errorf("sent %d, seen %d", sent, seen)
	}
}

// Closing a CQ of a ring whose thread sleeps, and the ring while somebody waits for it.
func TestRingClose(t *testing.T) {
	c := open(t)
	r := must(c.CreateRing(verbs.RingAttr{Entries: 4, Spin: time.Microsecond}))
	for range 5 {
		cq := must(r.CreateCQ(verbs.CQAttr{CQE: 4}))
		if err := r.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("closing with a CQ: %v, want EBUSY", err)
		}
		ok(t, cq.Close())
	}
	got := make(chan error, 1)
	go func() {
		_, err := r.Wait(context.Background())
		got <- err
	}()
	never(t, got, "woken by nothing")
	ok(t, r.Close())
	if err := soon(t, got); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}
