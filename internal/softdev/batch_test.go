//go:build linux && cgo

package softdev

import (
	"slices"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// Batches of an extended queue through package cverbs: what starts nothing, ends or fails on its way is told apart, whatever the sign of the value.
func TestPollCQEx(t *testing.T) {
	d, c := open(t, Config{})
	q := must(cverbs.CreateCQEx(c, &ibv.CQInitAttrEx{CQE: 8, WCFlags: uint64(ibv.IBV_WC_EX_WITH_BYTE_LEN | ibv.IBV_WC_EX_WITH_IMM | ibv.IBV_WC_EX_WITH_SLID)}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyCQ(cverbs.CQExToCQ(q))) })
	put := func(w ibv.WC) { wantNil(t, d.Complete(cverbs.CQExToCQ(q), &w, false)) }
	const asked = ibv.IBV_WC_EX_WITH_BYTE_LEN | ibv.IBV_WC_EX_WITH_IMM
	wc := make([]cverbs.WCEx, 8)
	if n, err := cverbs.PollCQEx(q, asked, 8, &wc[0]); n != 0 || err != nil {
		t.Error(n, err)
	}
	for i := range uint64(5) {
		put(ibv.WC{WRID: i, ByteLen: 7, SLID: 9, QPNum: 4, Opcode: ibv.IBV_WC_RECV, VendorErr: 3})
	}
	put(ibv.WC{WRID: 5, Status: ibv.IBV_WC_GENERAL_ERR, ByteLen: 7, QPNum: 4, VendorErr: 3})
	for i := range wc {
		wc[i].SLID, wc[i].ByteLen, wc[i].QPNum = 0xaaaa, 0xbbbb, 0xcccc
	}
	if n, err := cverbs.PollCQEx(q, asked, 2, &wc[0]); n != 2 || err != nil || wc[1].WRID != 1 || wc[2].ByteLen != 0xbbbb || wc[2].QPNum != 0xcccc {
		t.Errorf("%d, %v, %+v", n, err, wc[:3])
	}
	// Members that were not asked for, of the queue or of this call, stay as they were, but for the QP number, which is 0: the queue has no reader for it.
	if w := wc[0]; w.ByteLen != 7 || w.SLID != 0xaaaa || w.QPNum != 0 || w.Fields != asked || w.Opcode != ibv.IBV_WC_RECV {
		t.Errorf("%+v", w)
	}
	for _, value := range []int{int(syscall.EIO), -int(syscall.EIO)} {
		wantNil(t, d.Fail("start_poll", Fault{Value: value}))
		n, err := cverbs.PollCQEx(q, asked, 8, &wc[0])
		wantErrno(t, err, "ibv_start_poll", syscall.EIO)
		wantNil(t, d.Fail("next_poll", Fault{Value: value}))
		m, err := cverbs.PollCQEx(q, asked, 8, &wc[0])
		wantErrno(t, err, "ibv_next_poll", syscall.EIO)
		if n != 0 || m != 1 {
			t.Errorf("%d and %d completions beside errors", n, m)
		}
	}
	wantNil(t, d.Fail("start_poll", Fault{Value: -int(syscall.ENOENT)}))
	if n, err := cverbs.PollCQEx(q, asked, 8, &wc[0]); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := cverbs.PollCQEx(q, asked, 8, &wc[0]); n != 2 || err != nil || wc[0].WRID != 4 || wc[1].WRID != 5 || wc[1].VendorErr != 3 || wc[1].Fields != 0 {
		t.Errorf("%d, %v, %+v", n, err, wc[:2])
	}
}

// Batches of one take the same, without a next step.
func TestPollCQExOneByOne(t *testing.T) {
	d, c := open(t, Config{})
	q := must(cverbs.CreateCQEx(c, &ibv.CQInitAttrEx{CQE: 8, WCFlags: uint64(ibv.IBV_WC_EX_WITH_QP_NUM)}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyCQ(cverbs.CQExToCQ(q))) })
	for i := range uint64(5) {
		wantNil(t, d.Complete(cverbs.CQExToCQ(q), &ibv.WC{WRID: i, QPNum: 7}, false))
	}
	wc := make([]cverbs.WCEx, 8)
	const fields = ibv.IBV_WC_EX_WITH_QP_NUM | cverbs.OneByOne
	if n, err := cverbs.PollCQEx(q, fields, 2, &wc[0]); n != 2 || err != nil || wc[1].WRID != 1 || wc[1].QPNum != 7 || wc[1].Fields != ibv.IBV_WC_EX_WITH_QP_NUM {
		t.Errorf("%d, %v, %+v", n, err, wc[1])
	}
	wantNil(t, d.Fail("start_poll", Fault{Skip: 1, Errno: syscall.EIO}))
	n, err := cverbs.PollCQEx(q, fields, 8, &wc[0])
	wantErrno(t, err, "ibv_next_poll", syscall.EIO)
	if n != 1 || wc[0].WRID != 2 {
		t.Errorf("%d, %+v", n, wc[0])
	}
	if n, err := cverbs.PollCQEx(q, fields, 8, &wc[0]); n != 2 || err != nil || wc[1].WRID != 4 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := cverbs.PollCQEx(q, fields, 8, &wc[0]); n != 0 || err != nil {
		t.Error(n, err)
	}
	wantNil(t, d.Fail("start_poll", Fault{Errno: syscall.EIO}))
	_, err = cverbs.PollCQEx(q, fields, 8, &wc[0])
	wantErrno(t, err, "ibv_start_poll", syscall.EIO)
	if n, err := d.Calls("next_poll"); n != 0 || err != nil {
		t.Errorf("%d next steps, %v", n, err)
	}
}

// Each field is read where it is asked for alone, and with all others.
func TestPollCQExFields(t *testing.T) {
	d, c := open(t, Config{})
	const all = ibv.IBV_WC_EX_WITH_BYTE_LEN | ibv.IBV_WC_EX_WITH_IMM | ibv.IBV_WC_EX_WITH_QP_NUM | ibv.IBV_WC_EX_WITH_SRC_QP | ibv.IBV_WC_EX_WITH_SLID |
		ibv.IBV_WC_EX_WITH_SL | ibv.IBV_WC_EX_WITH_DLID_PATH_BITS
	q := must(cverbs.CreateCQEx(c, &ibv.CQInitAttrEx{CQE: 8, WCFlags: uint64(all)}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyCQ(cverbs.CQExToCQ(q))) })
	w := ibv.WC{ByteLen: 1, QPNum: 3, SrcQP: 4, SLID: 5, SL: 6, DLIDPathBits: 7, WCFlags: ibv.IBV_WC_WITH_IMM}
	w.SetRawInvalidatedRKey(2)
	for _, fields := range []ibv.CreateCQWCFlags{1, 2, 4, 8, 16, 32, 64, 5, 7, all, 0} {
		wantNil(t, d.Complete(cverbs.CQExToCQ(q), &w, false))
		var r cverbs.WCEx
		if n, err := cverbs.PollCQEx(q, fields, 1, &r); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		got := []uint32{r.ByteLen, r.ImmData, r.QPNum, r.SrcQP, r.SLID, uint32(r.SL), uint32(r.DLIDPathBits)}
		var want []uint32
		for bit := range 7 {
			v := uint32(0)
			if fields&(1<<bit) != 0 {
				v = uint32(bit + 1)
			}
			want = append(want, v)
		}
		if !slices.Equal(got, want) || r.Fields != fields {
			t.Errorf("%v: %v, want %v", fields, got, want)
		}
	}
}
