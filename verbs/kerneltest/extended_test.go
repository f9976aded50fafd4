//go:build linux && cgo

package kerneltest

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// standardFields are those that soft-RoCE can tell.
const standardFields = ibv.IBV_WC_EX_WITH_BYTE_LEN | ibv.IBV_WC_EX_WITH_IMM | ibv.IBV_WC_EX_WITH_QP_NUM | ibv.IBV_WC_EX_WITH_SRC_QP | ibv.IBV_WC_EX_WITH_SLID |
	ibv.IBV_WC_EX_WITH_SL | ibv.IBV_WC_EX_WITH_DLID_PATH_BITS

const builtOps = ibv.IBV_QP_EX_WITH_SEND | ibv.IBV_QP_EX_WITH_SEND_WITH_IMM | ibv.IBV_QP_EX_WITH_RDMA_READ | ibv.IBV_QP_EX_WITH_RDMA_WRITE |
	ibv.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM

// needs skips a test on hardware that lacks what it is about; what rxe and the software device have, they have.
func needs(t testing.TB, err error) {
	t.Helper()
	if which() == hardware && errors.Is(err, verbs.ErrNotSupported) {
		t.Skip(err)
	}
	ok(t, err)
}

// hasExtended skips a test where there are no extended CQs.
func hasExtended(t testing.TB) {
	t.Helper()
	c := open(t)
	q, err := c.CreateCQEx(verbs.CQExAttr{CQAttr: verbs.CQAttr{CQE: 1}, Fields: standardFields})
	needs(t, errors.Join(err, q.Close()))
}

// hasBuilding skips a test where requests cannot be built.
func hasBuilding(t testing.TB) {
	t.Helper()
	c := open(t)
	pd, cq := closing(t, must(c.AllocPD())), closing(t, must(c.CreateCQ(verbs.CQAttr{CQE: 1})))
	q, err := pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, SendOps: builtOps})
	needs(t, errors.Join(err, q.Close()))
}

// takeEx polls until there are n completions.
func takeEx(t testing.TB, cq *verbs.CQEx, n int) []verbs.WCEx {
	t.Helper()
	wc, got := make([]verbs.WCEx, n+1), 0
	for end := time.Now().Add(patience); got < n; time.Sleep(20 * time.Microsecond) {
		k, err := cq.Poll(wc[got:])
		ok(t, err)
		if got += k; time.Now().After(end) {
			t.Fatalf("%d completions on %v, want %d", got, cq, n)
		}
	}
	if got != n {
		t.Fatalf("%d completions on %v, want %d", got, cq, n)
	}
	return wc[:n]
}

// Each operation, its data given in each form, does on a QP that builds requests what it does on others.
func TestBuiltOperations(t *testing.T) {
	hasBuilding(t)
	a, b := connected(t, setup{qp: verbs.QPAttr{MaxInlineData: 64, MaxSendSGE: 3, SendOps: builtOps}})
	everyOperation(t, a, b)
}

// A batch of every operation, polled by extended CQs of either kind: each completion tells what was asked for, in order.
func TestBuiltBatchExtendedPoll(t *testing.T) {
	hasExtended(t)
	hasBuilding(t)
	for name, single := range map[string]bool{"threads": false, "single": true} {
		t.Run(name, func(t *testing.T) {
			a, b := connected(t, setup{qp: verbs.QPAttr{MaxInlineData: 64, SendOps: builtOps},
				extended: &verbs.CQExAttr{Fields: standardFields, SingleThreaded: single}})
			r := must(verbs.NewSendRequests(len(operations), 1, 0))
			for round := range 20 { // around the rings
				came := 0
				copy(a.mr.Bytes(), message)
				for i, o := range operations {
					o.wr.WRID = uint64(100*round + i)
					o.wr.SGList = a.part(0, len(message))
					o.wr.Flags = ibv.IBV_SEND_SIGNALED
					o.wr.RemoteAddr, o.wr.RKey = b.mr.Addr()+uint64(1024*i), b.mr.RKey()
					if o.reads {
						o.wr.SGList = a.part(512, len(message))
						o.wr.RemoteAddr = b.mr.Addr() + 1024*2 // what the write has brought
					}
					ok(t, r.Set(i, o.wr))
					if o.recv {
						ok(t, b.qp.Recv(verbs.RecvWR{WRID: uint64(i), SGList: b.part(1024*i, 1024)}))
						came++
					}
				}
				if n, err := a.qp.PostSend(r); n != len(operations) || err != nil {
					t.Fatal(n, err)
				}
				for i, wc := range takeEx(t, a.sex, len(operations)) {
					opcode, valid := wc.Opcode()
					number, _ := wc.QPNum()
					if wc.Err() != nil || wc.WRID() != uint64(100*round+i) || opcode != operations[i].sent || !valid || number != a.qp.Num() {
						t.Fatalf("%s has ended with %v: %d, %v, of QP %#x", operations[i].name, wc.Err(), wc.WRID(), opcode, number)
					}
				}
				received(t, takeEx(t, b.rex, came), b)
				if got := string(a.mr.Bytes()[512 : 512+len(message)]); got != message {
					t.Errorf("%q was read", got)
				}
				clear(a.mr.Bytes())
			}
		})
	}
}

// received looks at the completions of what operations have sent.
func received(t *testing.T, wc []verbs.WCEx, b *side) {
	t.Helper()
	k := 0
	for i, o := range operations {
		if !o.recv {
			continue
		}
		w := &wc[k]
		k++
		opcode, _ := w.Opcode()
		length, valid := w.ByteLen()
		imm, with := w.ImmData()
		number, _ := w.QPNum()
		if w.Err() != nil || w.WRID() != uint64(i) || opcode != o.came || !w.IsRecv() || int(length) != len(message) || !valid || number != b.qp.Num() {
			t.Errorf("%s has come with %v: %d, %v, %d bytes, of QP %#x", o.name, w.Err(), w.WRID(), opcode, length, number)
		}
		if imm != o.wr.ImmData || with != (imm != 0) {
			t.Errorf("%s: immediate %#x, %v", o.name, imm, with)
		}
		if _, has := w.Timestamp(); has {
			t.Errorf("%s: a time that nobody has asked for", o.name)
		}
		if got := string(b.mr.Bytes()[1024*i : 1024*i+len(message)]); got != message {
			t.Errorf("%s has brought %q", o.name, got)
		}
	}
}

// A request that fails tells its end, and the flushed ones behind it theirs, each with its QP.
func TestExtendedPollOfFailures(t *testing.T) {
	hasExtended(t)
	a, b := connected(t, setup{extended: &verbs.CQExAttr{Fields: standardFields}})
	for id := range uint64(3) {
		ok(t, a.qp.Recv(verbs.RecvWR{WRID: 10 + id}))
	}
	ok(t, a.qp.Send(verbs.SendWR{WRID: 1, SGList: a.part(0, 8), RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey() ^ otherKey}))
	first := takeEx(t, a.sex, 1)[0]
	var e *ibv.CompletionError
	if !errors.As(first.Err(), &e) || e.WRID != 1 || e.QPNum != a.qp.Num() || !(e.Status == ibv.IBV_WC_REM_ACCESS_ERR || e.Status == ibv.IBV_WC_RETRY_EXC_ERR) {
		t.Errorf("%v", first.Err())
	}
	if _, valid := first.Opcode(); valid {
		t.Error("the opcode of a failed request")
	}
	for i, wc := range takeEx(t, a.rex, 3) {
		if !errors.Is(wc.Err(), &ibv.CompletionError{Status: ibv.IBV_WC_WR_FLUSH_ERR}) || wc.WRID() != uint64(10+i) {
			t.Errorf("receive %d: %d, %v", i, wc.WRID(), wc.Err())
		}
	}
}

// Extended CQs wake those that wait.
func TestExtendedWait(t *testing.T) {
	hasExtended(t)
	a, b := connected(t, setup{channels: true, extended: &verbs.CQExAttr{Fields: standardFields}})
	wc := make([]verbs.WCEx, 4)
	for id := range uint64(20) {
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: id}))
		sent := make(chan error, 1)
		go func() {
			time.Sleep(time.Millisecond)
			sent <- a.qp.Send(verbs.SendWR{WRID: id, Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED})
		}()
		if n, err := b.rex.Wait(within(t, patience), wc); n != 1 || err != nil || wc[0].WRID() != id {
			t.Fatalf("%d, %v", n, err)
		}
		ok(t, <-sent)
		if n, err := a.sex.Wait(within(t, patience), wc); n != 1 || err != nil || wc[0].WRID() != id {
			t.Fatalf("%d, %v", n, err)
		}
	}
}

// What a device cannot tell is refused when the queue is made.
func TestFieldsThatAreNotThere(t *testing.T) {
	hasExtended(t)
	if which() == hardware {
		t.Skip("has its own fields")
	}
	c := open(t)
	for _, field := range []ibv.CreateCQWCFlags{ibv.IBV_WC_EX_WITH_CVLAN, ibv.IBV_WC_EX_WITH_FLOW_TAG, ibv.IBV_WC_EX_WITH_TM_INFO} {
		if _, err := c.CreateCQEx(verbs.CQExAttr{CQAttr: verbs.CQAttr{CQE: 1}, Fields: field}); !errors.Is(err, verbs.ErrNotSupported) {
			t.Errorf("%v: %v, want ErrNotSupported", field, err)
		}
	}
}

// An operation that was not asked for stops its batch, of which nothing is posted.
func TestBuiltBatchWithoutTheOperation(t *testing.T) {
	hasBuilding(t)
	a, b := connected(t, setup{qp: verbs.QPAttr{SendOps: ibv.IBV_QP_EX_WITH_RDMA_WRITE}})
	r := must(verbs.NewSendRequests(2, 1, 0))
	write := verbs.SendWR{WRID: 1, SGList: a.part(0, 8), RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), Flags: ibv.IBV_SEND_SIGNALED}
	send := write
	send.Opcode = ibv.IBV_WR_SEND
	ok(t, errors.Join(r.Set(0, write), r.Set(1, send)))
	if n, err := a.qp.PostSend(r); n != 0 || !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("%d, %v; want ErrNotSupported", n, err)
	}
	none(t, a.scq)
	write.WRID = 2
	ok(t, a.qp.Send(write))
	done(t, a.scq, 2, ibv.IBV_WC_RDMA_WRITE)
}

// Atomics that are built have their operands in the right places.
func TestBuiltAtomics(t *testing.T) {
	const atomics = ibv.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | ibv.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP
	c := open(t)
	pd, cq := closing(t, must(c.AllocPD())), closing(t, must(c.CreateCQ(verbs.CQAttr{CQE: 1})))
	q, err := pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, SendOps: atomics})
	if which() == software {
		if !errors.Is(err, verbs.ErrNotSupported) {
			t.Errorf("%v, want ErrNotSupported", err)
		}
		return
	}
	needs(t, errors.Join(err, q.Close()))
	access := anyAccess | ibv.IBV_ACCESS_REMOTE_ATOMIC
	a, b := connected(t, setup{qp: verbs.QPAttr{SendOps: atomics}, access: access, connect: verbs.ConnectAttr{Access: access}})
	own, peers := a.mr.Bytes(), b.mr.Bytes()
	binary.NativeEndian.PutUint64(peers, 40)
	wr := verbs.SendWR{SGList: a.part(0, 8), RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), Flags: ibv.IBV_SEND_SIGNALED}
	for i, step := range []struct {
		opcode     ibv.WROpcode
		completion ibv.WCOpcode
		add, swap  uint64
		was, is    uint64
	}{
		{ibv.IBV_WR_ATOMIC_FETCH_AND_ADD, ibv.IBV_WC_FETCH_ADD, 2, 0, 40, 42},
		{ibv.IBV_WR_ATOMIC_CMP_AND_SWP, ibv.IBV_WC_COMP_SWAP, 42, 7, 42, 7},
		{ibv.IBV_WR_ATOMIC_CMP_AND_SWP, ibv.IBV_WC_COMP_SWAP, 42, 8, 7, 7},
	} {
		wr.WRID, wr.Opcode, wr.CompareAdd, wr.Swap = uint64(i), step.opcode, step.add, step.swap
		ok(t, a.qp.Send(wr))
		done(t, a.scq, uint64(i), step.completion)
		if was, is := binary.NativeEndian.Uint64(own), binary.NativeEndian.Uint64(peers); was != step.was || is != step.is {
			t.Errorf("%v: it was %d and is %d, want %d and %d", step.opcode, was, is, step.was, step.is)
		}
	}
}
