//go:build linux && cgo

package softdev

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// element returns a list of one, outside Go's heap: 64 bytes of a region from an offset on.
func element(t testing.TB, mr *ibv.MR, offset uint64) *ibv.SGE {
	t.Helper()
	sge := (*ibv.SGE)(unsafe.Pointer(unsafe.SliceData(memory(t, 4096))))
	*sge = ibv.SGE{Addr: uint64(mr.Addr) + offset, Length: 64, LKey: mr.LKey}
	return sge
}

// The next request that a QP begins ends with the status that was asked for, once.
func TestFailNext(t *testing.T) {
	for name, side := range map[string]int{"send": 0, "receive": 1} {
		t.Run(name, func(t *testing.T) {
			d, from, to, mr := pair(t)
			if side == 0 {
				d.FailNextSend(from, ibv.IBV_WC_REM_OP_ERR, 0x77)
			} else {
				d.FailNextRecv(to, ibv.IBV_WC_LOC_PROT_ERR, 0x77)
			}
			var badRecv *ibv.RecvWR
			var badSend *ibv.SendWR
			if errno := cverbs.PostRecv(to, &ibv.RecvWR{WRID: 1, SGList: element(t, mr, 64), NumSGE: 1}, &badRecv); errno != 0 {
				t.Fatal(errno)
			}
			if errno := cverbs.PostSend(from, &ibv.SendWR{WRID: 2, SGList: element(t, mr, 0), NumSGE: 1, Opcode: ibv.IBV_WR_SEND}, &badSend); errno != 0 {
				t.Fatal(errno)
			}
			failed := []*ibv.QP{from, to}[side]
			want := []ibv.WC{{WRID: 2, Status: ibv.IBV_WC_REM_OP_ERR}, {WRID: 1, Status: ibv.IBV_WC_LOC_PROT_ERR}}[side]
			wc := poll(t, failed.SendCQ, 4)
			if len(wc) == 0 || wc[0].WRID != want.WRID || wc[0].Status != want.Status || wc[0].VendorErr != 0x77 || wc[0].QPNum != failed.QPNum {
				t.Errorf("%+v, want status %v of request %d", wc, want.Status, want.WRID)
			}
		})
	}
}

func TestRaiseQP(t *testing.T) {
	d, qp, _, _ := pair(t)
	wantNil(t, d.RaiseQP(qp, ibv.IBV_EVENT_QP_FATAL))
	var e ibv.AsyncEvent
	if err := cverbs.GetAsyncEvent(qp.Context, &e); err != nil || e.EventType != ibv.IBV_EVENT_QP_FATAL || e.Element.QP() != pointer(qp) {
		t.Errorf("%+v, %v", e, err)
	}
	cverbs.AckAsyncEvent(&e)
	if err := d.RaiseQP(qp, ibv.IBV_EVENT_CQ_ERR); !errors.Is(err, syscall.EINVAL) {
		t.Error(err)
	}
	if _, _, err := d.Inject(qp, make([]byte, 64)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%v: an RC QP takes no packets", err)
	}
}

// Packets go to the work queue of a table's only entry: one for which nothing is posted is dropped, one for which something is
// arrives, and one fails as asked.
func TestInject(t *testing.T) {
	d, c := open(t, Config{})
	p, q := pd(t, c), cq(t, c, 16, nil)
	m := memory(t, 4096)
	mr := must(cverbs.RegMR(p, address(m), 4096, uint32(ibv.IBV_ACCESS_LOCAL_WRITE)))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DeregMR(mr)) })
	wq := must(cverbs.CreateWQ(c, &ibv.WQInitAttr{WQType: ibv.IBV_WQT_RQ, MaxWR: 4, MaxSGE: 1, PD: p, CQ: q}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyWQ(wq)) })
	wantNil(t, cverbs.ModifyWQ(wq, &ibv.WQAttr{AttrMask: ibv.IBV_WQ_ATTR_STATE, WQState: ibv.IBV_WQS_RDY}))
	list := (**ibv.WQ)(unsafe.Pointer(unsafe.SliceData(memory(t, 4096))))
	*list = wq
	table := must(cverbs.CreateRWQIndTable(c, &ibv.RWQIndTableInitAttr{IndTbl: list}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyRWQIndTable(table)) })
	key := memory(t, 4096)
	qp := must(cverbs.CreateQPEx(c, &ibv.QPInitAttrEx{
		QPType: ibv.IBV_QPT_RAW_PACKET, PD: p, RWQIndTbl: table,
		CompMask:   ibv.IBV_QP_INIT_ATTR_PD | ibv.IBV_QP_INIT_ATTR_IND_TABLE | ibv.IBV_QP_INIT_ATTR_RX_HASH,
		RxHashConf: ibv.RxHashConf{RxHashFunction: 1, RxHashKeyLen: 40, RxHashKey: unsafe.SliceData(key), RxHashFieldsMask: 1},
	}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyQP(qp)) })

	frame := make([]byte, 64)
	frame[12], frame[13] = 0x88, 0xb5 // no IP packet
	if _, _, err := d.Inject(qp, frame); !errors.Is(err, syscall.ENOBUFS) || d.Dropped() != 1 {
		t.Errorf("%v, %d dropped, want ENOBUFS", err, d.Dropped())
	}
	post := func() {
		t.Helper()
		var bad *ibv.RecvWR
		if errno := cverbs.PostWQRecv(wq, &ibv.RecvWR{WRID: 7, SGList: element(t, mr, 0), NumSGE: 1}, &bad); errno != 0 {
			t.Fatal(errno)
		}
	}
	post()
	hash, entry, err := d.Inject(qp, frame)
	if wc := poll(t, q, 4); hash != 0 || entry != 0 || err != nil || len(wc) != 1 || wc[0].WRID != 7 || wc[0].ByteLen != 64 || wc[0].QPNum != wq.WQNum || m[13] != 0xb5 {
		t.Errorf("hash %#x, entry %d, %v, %+v", hash, entry, err, wc)
	}
	if _, _, err := d.Inject(qp, nil); !errors.Is(err, syscall.ENOBUFS) && !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an empty frame: %v", err)
	}
	post()
	d.FailNextWQ(wq, ibv.IBV_WC_LOC_PROT_ERR, 3)
	d.Inject(qp, frame)
	if wc := poll(t, q, 4); len(wc) != 1 || wc[0].Status != ibv.IBV_WC_LOC_PROT_ERR || wc[0].VendorErr != 3 {
		t.Errorf("%+v", wc)
	}
	wantNil(t, d.RaiseWQ(wq, ibv.IBV_EVENT_WQ_FATAL))
	for range 2 { // the error's, and this one
		var e ibv.AsyncEvent
		if err := cverbs.GetAsyncEvent(c, &e); err != nil || e.EventType != ibv.IBV_EVENT_WQ_FATAL || e.Element.WQ() != pointer(wq) {
			t.Errorf("%+v, %v", e, err)
		}
		cverbs.AckAsyncEvent(&e)
	}
	if err := d.RaiseWQ(wq, ibv.IBV_EVENT_QP_FATAL); !errors.Is(err, syscall.EINVAL) {
		t.Error(err)
	}
}

// A device that goes flushes what is posted, and its QPs are in the error state.
func TestLoseFlushes(t *testing.T) {
	d := device(t, Config{})
	c := must(cverbs.OpenDevice(d.Raw()))(t)
	p := must(cverbs.AllocPD(c))(t)
	q := must(cverbs.CreateCQ(c, 16, 0, nil, 0))(t)
	attr := &ibv.QPInitAttr{SendCQ: q, RecvCQ: q, QPType: ibv.IBV_QPT_RC, Cap: ibv.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1}}
	qp := must(cverbs.CreateQP(p, attr))(t)
	connect(t, qp, qp)
	var bad *ibv.RecvWR
	for id := range uint64(2) {
		if errno := cverbs.PostRecv(qp, &ibv.RecvWR{WRID: id}, &bad); errno != 0 {
			t.Fatal(errno)
		}
	}
	d.Lose()
	if wc := poll(t, q, 4); len(wc) != 2 || wc[0].WRID != 0 || wc[1].WRID != 1 || wc[0].Status != ibv.IBV_WC_WR_FLUSH_ERR || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR {
		t.Errorf("%+v", wc)
	}
	var badSend *ibv.SendWR
	if errno := cverbs.PostSend(qp, &ibv.SendWR{}, &badSend); errno != syscall.EIO {
		t.Errorf("post_send: %v, want EIO", errno)
	}
	wantErrno(t, cverbs.DestroyQP(qp), "ibv_destroy_qp", syscall.EIO)
	wantNil(t, cverbs.CloseDevice(c))
	if o := d.Orphans(); o != (Objects{PDs: 1, CQs: 1, QPs: 1}) {
		t.Errorf("orphans %v", o)
	}
}
