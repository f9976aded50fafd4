//go:build linux && cgo

package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// everyOp is what the software device can build.
const everyOp = ibv.IBV_QP_EX_WITH_SEND | ibv.IBV_QP_EX_WITH_SEND_WITH_IMM | ibv.IBV_QP_EX_WITH_SEND_WITH_INV | ibv.IBV_QP_EX_WITH_LOCAL_INV |
	ibv.IBV_QP_EX_WITH_RDMA_READ | ibv.IBV_QP_EX_WITH_RDMA_WRITE | ibv.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM

// writeTo is an RDMA write of a's first bytes to an offset of b's memory.
func (p *pair) writeTo(id uint64, length, to int) SendWR {
	return SendWR{WRID: id, Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, length), RemoteAddr: p.mrb.Addr() + uint64(to), RKey: p.mrb.RKey(), Flags: signaled}
}

// The same requests do the same on a QP that builds them, with one call, as on one that posts a list, whatever form their data has.
func TestBatchesDoWhatListsDo(t *testing.T) {
	const n = 7
	outcome := func(t *testing.T, ops ibv.QPCreateSendOpsFlags) string {
		p := testPair(t, QPAttr{SendOps: ops, MaxSendSGE: 4, MaxInlineData: 64}, ConnectAttr{})
		key := closing(t, must(p.pd.AllocMR(64, pairAccess)))
		for i := range n {
			ok(t, p.b.Recv(RecvWR{WRID: uint64(100 + i), SGList: sge(p.mrb, 4096+64*i, 64)}))
		}
		copy(p.mra.Bytes(), "hello, world")
		copy(p.mrb.Bytes()[2048:], "from there")
		to := func(wr SendWR, at int) SendWR {
			wr.RemoteAddr, wr.RKey = p.mrb.Addr()+uint64(at), p.mrb.RKey()
			return wr
		}
		r := must(NewSendRequests(9, 4, 64))
		for i, wr := range []SendWR{
			{Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 12)},
			{Opcode: ibv.IBV_WR_SEND_WITH_IMM, Inline: []byte("inline"), ImmData: 0x01020304},
			{Opcode: ibv.IBV_WR_SEND_WITH_INV, InvalidateRKey: key.RKey()},
			to(SendWR{SGList: append(append(sge(p.mra, 7, 5), sge(p.mra, 5, 0)...), sge(p.mra, 0, 5)...)}, 0),
			to(SendWR{SGList: append(sge(p.mra, 0, 2), sge(p.mra, 2, 3)...), Flags: ibv.IBV_SEND_INLINE}, 64),
			to(SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE_WITH_IMM, Inline: []byte("!"), ImmData: 7, Flags: ibv.IBV_SEND_SOLICITED}, 128),
			to(SendWR{Opcode: ibv.IBV_WR_RDMA_READ, SGList: sge(p.mra, 512, 10)}, 2048),
			to(SendWR{Inline: nil, Flags: ibv.IBV_SEND_INLINE}, 0),
			{Opcode: ibv.IBV_WR_LOCAL_INV, InvalidateRKey: p.mra.RKey()},
		} {
			wr.WRID = uint64(i)
			wr.Flags |= signaled
			ok(t, r.Set(i, wr))
		}
		before := [2]int{calls(t, p.d, "wr_complete"), calls(t, p.d, "post_send")}
		if n, err := p.a.PostSend(r); n != 9 || err != nil {
			t.Fatal(n, err)
		}
		if made := [2]int{calls(t, p.d, "wr_complete") - before[0], calls(t, p.d, "post_send") - before[1]}; made != map[bool][2]int{true: {1, 0}, false: {0, 1}}[ops != 0] {
			t.Errorf("%d batches, %d lists", made[0], made[1])
		}
		var s bytes.Buffer
		for _, wc := range append(poll(t, p.a.SendCQ(), 9), poll(t, p.b.RecvCQ(), 4)...) {
			if err := wc.Err(); err != nil {
				t.Error(err)
			}
			imm, _ := wc.ImmData()
			_, inv := wc.InvalidatedRKey()
			fmt.Fprintln(&s, wc.WRID, wc.Opcode, wc.ByteLen, imm, inv)
		}
		for _, at := range []int{0, 64, 128, 4096, 4096 + 64, 4096 + 128} {
			fmt.Fprintf(&s, "%q\n", p.mrb.Bytes()[at:at+16])
		}
		fmt.Fprintf(&s, "%q\n", p.mra.Bytes()[512:528])
		return s.String()
	}
	var list, built string
	t.Run("lists", func(t *testing.T) { list = outcome(t, 0) })
	t.Run("batches", func(t *testing.T) { built = outcome(t, everyOp) })
	if list != built {
		t.Errorf("lists:\n%sbatches:\n%s", list, built)
	}
}

// An operation that was not asked for is named, and nothing of its batch is posted; so is one that no such call builds.
func TestBatchWithoutTheOperation(t *testing.T) {
	p := testPair(t, QPAttr{SendOps: ibv.IBV_QP_EX_WITH_RDMA_WRITE}, ConnectAttr{})
	r := must(NewSendRequests(3, 1, 0))
	for _, opcode := range []ibv.WROpcode{ibv.IBV_WR_SEND, ibv.IBV_WR_SEND_WITH_IMM, ibv.IBV_WR_SEND_WITH_INV, ibv.IBV_WR_LOCAL_INV, ibv.IBV_WR_RDMA_READ,
		ibv.IBV_WR_RDMA_WRITE_WITH_IMM, ibv.IBV_WR_ATOMIC_CMP_AND_SWP, ibv.IBV_WR_ATOMIC_FETCH_AND_ADD, ibv.IBV_WR_BIND_MW, ibv.IBV_WR_TSO, 99} {
		for i := range 3 {
			ok(t, r.Set(i, p.writeTo(uint64(i), 8, 0)))
		}
		r.At(1).Opcode = opcode
		before := calls(t, p.d, "wr_complete")
		n, err := p.a.PostSend(r)
		wantError(t, err, "ibv_wr_complete", p.a.String(), syscall.EOPNOTSUPP, "request 1 is "+opcode.String(), "IBV_QP_EX_WITH_RDMA_WRITE", "none was posted")
		if n != 0 || calls(t, p.d, "wr_complete") != before || !errors.Is(err, ErrNotSupported) {
			t.Errorf("%v: %d, %v", opcode, n, err)
		}
	}
	poll(t, p.a.SendCQ(), 0)
	ok(t, p.a.Send(p.writeTo(5, 8, 0)))
	one(t, p.a.SendCQ(), 5, ibv.IBV_WC_SUCCESS)
}

// Patched numbers of elements that cannot be are refused here; the device would take them for very large ones.
func TestBatchOfImpossibleElements(t *testing.T) {
	p := testPair(t, QPAttr{SendOps: everyOp, MaxInlineData: 64}, ConnectAttr{})
	r := must(NewSendRequests(2, 1, 64))
	for _, inline := range []bool{false, true} {
		for i := range 2 {
			ok(t, r.Set(i, p.writeTo(uint64(i), 8, 0)))
		}
		if inline {
			r.At(1).SendFlags |= ibv.IBV_SEND_INLINE
		}
		r.At(1).NumSGE = -1
		n, err := p.a.PostSend(r)
		wantError(t, err, "ibv_wr_complete", p.a.String(), syscall.EINVAL, "request 1, IBV_WR_RDMA_WRITE, has -1 elements")
		if n != 0 {
			t.Error(n)
		}
	}
	poll(t, p.a.SendCQ(), 0)
}

// What has room is posted, and the rest is told of, as with lists; completions free places.
func TestBatchIntoAFullQueue(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	p := newPair(t, d, c, QPAttr{SendOps: everyOp, MaxSendWR: 4}, ConnectAttr{})
	r := must(NewSendRequests(3, 1, 0))
	for i := range 3 {
		ok(t, r.Set(i, p.writeTo(uint64(i), 8, 0)))
	}
	if n, err := p.a.PostSend(r); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	n, err := p.a.PostSend(r)
	if n != 1 || !errors.Is(err, ErrQueueFull) {
		t.Errorf("%d, %v; want 1 and ErrQueueFull", n, err)
	}
	before := calls(t, d, "wr_complete")
	if n, err := p.a.PostSend(r); n != 0 || !errors.Is(err, ErrQueueFull) || calls(t, d, "wr_complete") != before {
		t.Errorf("%d, %v; want ErrQueueFull, without a call", n, err)
	}
	poll(t, p.a.SendCQ(), 4)
	if n, err := p.a.PostSend(r); n != 3 || err != nil {
		t.Error(n, err)
	}
	poll(t, p.a.SendCQ(), 3)
	// The device may be full although nobody here knows.
	for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.ENOSPC} {
		ok(t, d.Fail("wr_complete", softdev.Fault{Errno: errno}))
		n, err := p.a.PostSend(r)
		if n != 0 || !errors.Is(err, ErrQueueFull) {
			t.Errorf("%d, %v; want ErrQueueFull", n, err)
		}
	}
	poll(t, p.a.SendCQ(), 0)
	if n, err := p.a.PostSend(r); n != 3 || err != nil {
		t.Error(n, err)
	}
}

// Refusals, states and Close are those of other QPs.
func TestBatchRefusals(t *testing.T) {
	p := testPair(t, QPAttr{SendOps: everyOp, MaxSendSGE: 1, MaxInlineData: 8}, ConnectAttr{})
	r := must(NewSendRequests(1, 32, 512))
	for _, wr := range []SendWR{{Inline: make([]byte, 512)}, {SGList: make([]ibv.SGE, 32)}} {
		ok(t, r.Set(0, wr))
		n, err := p.a.PostSend(r)
		wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL)
		if n != 0 {
			t.Error(n)
		}
	}
	if n, err := p.a.PostSend(nil); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Error(n, err)
	}
	ok(t, p.a.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_ERR}, ibv.IBV_QP_STATE))
	ok(t, p.a.Send(p.writeTo(1, 8, 0)))
	one(t, p.a.SendCQ(), 1, ibv.IBV_WC_WR_FLUSH_ERR)
	ok(t, p.a.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
	if err := p.a.Send(p.writeTo(1, 8, 0)); !errors.Is(err, syscall.EINVAL) {
		t.Error(err)
	}
	q := must(p.pd.CreateQP(QPAttr{SendCQ: p.a.SendCQ(), RecvCQ: p.a.RecvCQ(), MaxSendWR: 1, SendOps: everyOp}))
	ok(t, q.Close())
	_, err := q.PostSend(r)
	wantClosed(t, err)
	wantClosed(t, q.Send(SendWR{}))
}

// Operations that the device cannot build are refused when the QP is made, with a hint of them.
func TestSendOpsThatAreNotThere(t *testing.T) {
	d, c := testDevice(t)
	pd, cq := closing(t, must(c.AllocPD())), testCQ(t, c, 4, false)
	before := d.Objects()
	for _, ops := range []ibv.QPCreateSendOpsFlags{ibv.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, everyOp | ibv.IBV_QP_EX_WITH_TSO, 1 << 31} {
		_, err := pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, SendOps: ops})
		wantError(t, err, "ibv_create_qp_ex", pd.String(), syscall.EOPNOTSUPP, "QPAttr.SendOps", ops.String())
	}
	_, err := pd.CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1 << 20, SendOps: everyOp})
	wantError(t, err, "ibv_create_qp_ex", pd.String(), syscall.EINVAL, "MaxSendWR 1048576 is above the device's max_qp_wr 16384")
	if d.Objects() != before {
		t.Errorf("left: %v", d.Objects())
	}
}

// Everything that changes from post to post can be patched in place, by either way of posting.
func TestRequestsArePatchedInPlace(t *testing.T) {
	for _, ops := range []ibv.QPCreateSendOpsFlags{0, everyOp} {
		p := testPair(t, QPAttr{SendOps: ops}, ConnectAttr{})
		other := closing(t, must(p.pd.AllocMR(64, pairAccess)))
		copy(p.mra.Bytes(), "abcdef")
		r := must(NewSendRequests(1, 1, 0))
		wr := p.writeTo(1, 3, 0)
		wr.Opcode = ibv.IBV_WR_RDMA_WRITE_WITH_IMM
		ok(t, r.Set(0, wr))
		for i := range uint64(2) {
			ok(t, p.b.Recv(RecvWR{WRID: i}))
		}
		_ = must(p.a.PostSend(r))
		w, s := r.At(0), r.SGE(0, 0)
		w.WRID = 2
		w.SetImmData(ibv.ToBe32(0xabcd))
		w.WR.RDMA().RemoteAddr, w.WR.RDMA().RKey = other.Addr()+8, other.RKey()
		s.Addr, s.Length = p.mra.Addr()+2, 4
		_ = must(p.a.PostSend(r))
		sent, came := poll(t, p.a.SendCQ(), 2), poll(t, p.b.RecvCQ(), 2)
		imm, _ := came[1].ImmData()
		if sent[1].WRID != 2 || imm != 0xabcd || came[1].ByteLen != 4 || string(p.mrb.Bytes()[:4]) != "abc\x00" || string(other.Bytes()[8:13]) != "cdef\x00" {
			t.Errorf("%v: id %d, immediate %#x, %d bytes, %q, %q", ops, sent[1].WRID, imm, came[1].ByteLen, p.mrb.Bytes()[:4], other.Bytes()[8:13])
		}
	}
}

func TestBatchDoesNotAllocate(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	p := testPair(t, QPAttr{SendOps: everyOp, MaxInlineData: 16}, ConnectAttr{})
	r := must(NewSendRequests(4, 1, 16))
	for i := range 4 {
		ok(t, r.Set(i, p.writeTo(uint64(i), 8, 0)))
	}
	wc := make([]ibv.WC, 8)
	wr := SendWR{Inline: []byte("x"), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey(), Flags: signaled}
	if n := testing.AllocsPerRun(100, func() {
		posted, err := p.a.PostSend(r)
		if posted != 4 || err != nil || p.a.Send(wr) != nil {
			t.Error(posted, err)
		}
		if n, err := p.a.SendCQ().Poll(wc); n != 5 || err != nil {
			t.Error(n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
