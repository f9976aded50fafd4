//go:build linux && cgo

package kerneltest

import (
	"errors"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// A queue takes as many requests as Cap says, at least, and then is full until completions have been polled.
func TestFullQueues(t *testing.T) {
	a, b := connected(t, setup{qp: verbs.QPAttr{MaxSendWR: 4, MaxRecvWR: 4}})
	sends, recvs := int(a.qp.Cap().MaxSendWR), int(b.qp.Cap().MaxRecvWR)
	wr := verbs.SendWR{Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 8), Flags: ibv.IBV_SEND_SIGNALED}
	// Receives first: sends that wait for one would take it while others are posted.
	if n := fill(t, func() error { return b.qp.Recv(verbs.RecvWR{SGList: b.part(0, 8)}) }); n < recvs || n != recvs && which() == software {
		// rxe before 6.12 does not tell what it has rounded it up to
		t.Errorf("%d receives were accepted, want %d", n, recvs)
	}
	if n := fill(t, func() error { return a.qp.Send(wr) }); n != sends {
		t.Errorf("%d sends were accepted, want %d", n, sends)
	}
	for range min(sends, recvs) {
		done(t, a.scq, 0, ibv.IBV_WC_SEND)
		done(t, b.rcq, 0, ibv.IBV_WC_RECV)
	}
	if n := fill(t, func() error { return b.qp.Recv(verbs.RecvWR{SGList: b.part(0, 8)}) }); n != min(sends, recvs) {
		t.Errorf("%d receives were accepted after that, want %d", n, min(sends, recvs))
	}
}

// fill posts until there is no room.
func fill(t *testing.T, post func() error) int {
	t.Helper()
	for n := range 1 << 14 {
		if err := post(); errors.Is(err, verbs.ErrQueueFull) {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the queue does not get full")
	return 0
}

// Of a chain that is too long the beginning is accepted, and does what it should.
func TestChainTooLong(t *testing.T) {
	a, b := connected(t, setup{qp: verbs.QPAttr{MaxSendWR: 4}})
	room := int(a.qp.Cap().MaxSendWR)
	chain := must(verbs.NewSendRequests(room+3, 1, 0))
	for i := range room + 3 {
		ok(t, chain.Set(i, verbs.SendWR{
			WRID: uint64(i), Opcode: ibv.IBV_WR_RDMA_WRITE, Flags: ibv.IBV_SEND_SIGNALED,
			SGList: a.part(0, 8), RemoteAddr: b.mr.Addr() + uint64(8*i), RKey: b.mr.RKey(),
		}))
	}
	a.mr.Bytes()[0] = 1
	if n, err := a.qp.PostSend(chain); n != room || !errors.Is(err, verbs.ErrQueueFull) {
		t.Fatalf("%d accepted, %v; want %d and ErrQueueFull", n, err, room)
	}
	for i := range room {
		done(t, a.scq, uint64(i), ibv.IBV_WC_RDMA_WRITE)
	}
	none(t, a.scq)
	for i := range room + 3 {
		if got, want := b.mr.Bytes()[8*i] == 1, i < room; got != want {
			t.Errorf("request %d was done: %v", i, got)
		}
	}
}

// Requests that are not signalled complete without a completion, in their order, and their places come back with the next one's that is.
func TestUnsignalled(t *testing.T) {
	a, b := connected(t, setup{qp: verbs.QPAttr{MaxSendWR: 8}})
	room := uint64(a.qp.Cap().MaxSendWR)
	wr := writing(a, b)
	for i := range 10 * room {
		wr.WRID, wr.Flags = i, 0
		last := (i+1)%room == 0
		if last {
			wr.Flags = ibv.IBV_SEND_SIGNALED
		}
		ok(t, a.qp.Send(wr))
		if last {
			done(t, a.scq, i, ibv.IBV_WC_RDMA_WRITE)
		}
	}
	none(t, a.scq)
}

// Many goroutines post to one QP: each request is done once, and each goroutine's in their order.
func TestManyPost(t *testing.T) {
	const goroutines, each = 8, 50
	a, b := connected(t, setup{qp: verbs.QPAttr{MaxSendWR: goroutines}})
	var all sync.WaitGroup
	for g := range uint64(goroutines) {
		all.Go(func() { postMany(t, a, b, g, each) })
	}
	var next [goroutines]uint64
	for range goroutines * each {
		wc := take(t, a.scq)
		if g := wc.WRID >> 32; wc.Err() != nil || wc.WRID != g<<32|next[g] {
			t.Errorf("%v: %#x, want number %d", wc.Err(), wc.WRID, next[g])
		}
		next[wc.WRID>>32]++
	}
	all.Wait()
	none(t, a.scq)
}

// postMany posts writes, and waits while there is no room.
func postMany(t *testing.T, a, b *side, g, each uint64) {
	wr := writing(a, b)
	wr.Flags = ibv.IBV_SEND_SIGNALED
	for i := uint64(0); i < each; {
		wr.WRID = g<<32 | i
		switch err := a.qp.Send(wr); {
		case err == nil:
			i++
		case errors.Is(err, verbs.ErrQueueFull):
			time.Sleep(50 * time.Microsecond)
		default:
			t.Error(err)
			return
		}
	}
}

func TestSignalAll(t *testing.T) {
	a, b := connected(t, setup{qp: verbs.QPAttr{SignalAll: true}})
	wr := writing(a, b)
	wr.WRID = 7
	ok(t, a.qp.Send(wr))
	done(t, a.scq, 7, ibv.IBV_WC_RDMA_WRITE)
}

// An atomic operation needs a device that has some; the software device has none.
func TestAtomics(t *testing.T) {
	const access = anyAccess | ibv.IBV_ACCESS_REMOTE_ATOMIC
	if which() == software {
		a, b := connected(t, setup{})
		wr := writing(a, b)
		wr.Opcode = ibv.IBV_WR_ATOMIC_FETCH_AND_ADD
		if err := a.qp.Send(wr); err == nil {
			t.Error("the software device has atomics: take its case out of this test")
		}
		return
	}
	if c := open(t); must(c.QueryDevice()).AtomicCap == ibv.IBV_ATOMIC_NONE {
		t.Skip("the device has none")
	}
	a, b := connected(t, setup{access: access, connect: verbs.ConnectAttr{Access: access}})
	word := func(e *side) *uint64 { return (*uint64)(unsafe.Pointer(&e.mr.Bytes()[0])) }
	*word(b) = 40
	for _, step := range []struct {
		wr    verbs.SendWR
		wc    ibv.WCOpcode
		after uint64
	}{
		{verbs.SendWR{Opcode: ibv.IBV_WR_ATOMIC_FETCH_AND_ADD, CompareAdd: 2}, ibv.IBV_WC_FETCH_ADD, 42},
		{verbs.SendWR{Opcode: ibv.IBV_WR_ATOMIC_CMP_AND_SWP, CompareAdd: 42, Swap: 7}, ibv.IBV_WC_COMP_SWAP, 7},
		{verbs.SendWR{Opcode: ibv.IBV_WR_ATOMIC_CMP_AND_SWP, CompareAdd: 42, Swap: 9}, ibv.IBV_WC_COMP_SWAP, 7},
	} {
		before := *word(b)
		step.wr.SGList, step.wr.RemoteAddr, step.wr.RKey, step.wr.Flags = a.part(0, 8), b.mr.Addr(), b.mr.RKey(), ibv.IBV_SEND_SIGNALED
		ok(t, a.qp.Send(step.wr))
		done(t, a.scq, 0, step.wc)
		if *word(a) != before || *word(b) != step.after {
			t.Errorf("%v of %d: returned %d, and there is %d; want %d", step.wr.Opcode, before, *word(a), *word(b), step.after)
		}
	}
}

// Only memory that was made for it can be invalidated, which that of ibv_reg_mr is not, according to the InfiniBand specification (10.6.5). The
// software device lets it, so that programs can see it happen.
func TestLocalInvalidate(t *testing.T) {
	a, b := connected(t, setup{})
	ok(t, a.qp.Send(verbs.SendWR{WRID: 1, Opcode: ibv.IBV_WR_LOCAL_INV, InvalidateRKey: a.mr.RKey(), Flags: ibv.IBV_SEND_SIGNALED}))
	if which() == software {
		done(t, a.scq, 1, ibv.IBV_WC_LOCAL_INV)
		ok(t, b.qp.Send(writing(b, a))) // whose peers have no key any more
		ends(t, b.scq, b.qp, 0, remoteAccess)
		return
	}
	ends(t, a.scq, a.qp, 1, localProtection)
}

func TestSendWithInvalidate(t *testing.T) {
	a, b := connected(t, setup{})
	ok(t, b.qp.Recv(verbs.RecvWR{WRID: 2}))
	ok(t, a.qp.Send(verbs.SendWR{WRID: 1, Opcode: ibv.IBV_WR_SEND_WITH_INV, InvalidateRKey: b.mr.RKey(), Flags: ibv.IBV_SEND_SIGNALED}))
	if which() == software {
		done(t, a.scq, 1, ibv.IBV_WC_SEND)
		if wc := done(t, b.rcq, 2, ibv.IBV_WC_RECV); wc.WCFlags&ibv.IBV_WC_WITH_INV == 0 || wc.RawInvalidatedRKey() != b.mr.RKey() {
			t.Errorf("%+v, want the key %#x", wc, b.mr.RKey())
		}
		ok(t, a.qp.Send(writing(a, b)))
		ends(t, a.scq, a.qp, 0, remoteAccess)
		return
	}
	// rxe has acknowledged the message before it finds that the key cannot be invalidated, so the sender does not get to know.
	wc := take(t, a.scq)
	if wc.Err() == nil && which() != rxe {
		t.Error("the sender sees success")
	}
	ends(t, b.rcq, b.qp, 2, end{right: ibv.IBV_WC_REM_INV_REQ_ERR})
}
