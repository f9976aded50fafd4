//go:build linux && cgo

package verbs

import (
	"errors"
	"fmt"
	"math"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A wqWorld is a domain and a CQ for work queues.
type wqWorld struct {
	d  *softdev.Device
	c  *Context
	pd *PD
	cq *CQ
	mr *MR
}

func testWQs(t testing.TB, config softdev.Config) *wqWorld {
	t.Helper()
	d, c := testDeviceWith(t, config, OpenAttr{})
	pd := closing(t, must(c.AllocPD()))
	return &wqWorld{d, c, pd, testCQ(t, c, 256, false), closing(t, must(pd.AllocMR(1<<16, ibv.IBV_ACCESS_LOCAL_WRITE)))}
}

func (w *wqWorld) attr() WQAttr { return WQAttr{PD: w.pd, CQ: w.cq, MaxWR: 10, MaxSGE: 2} }

// wq makes a queue, in RDY.
func (w *wqWorld) wq(t testing.TB) *WQ {
	t.Helper()
	q := closing(t, must(w.c.CreateWQ(w.attr())))
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
	return q
}

// What was asked for and what there is can both be read.
func TestWQSizes(t *testing.T) {
	for _, c := range []struct {
		exact      bool
		maxWR, max int
	}{{false, 16, 4}, {true, 10, 2}} {
		w := testWQs(t, softdev.Config{Exact: c.exact})
		q := closing(t, must(w.c.CreateWQ(w.attr())))
		if q.MaxWR() != c.maxWR || q.MaxSGE() != c.max || q.Attr() != w.attr() || q.PD() != w.pd || q.CQ() != w.cq {
			t.Errorf("max_wr %d, max_sge %d of %+v, want %d and %d", q.MaxWR(), q.MaxSGE(), q.Attr(), c.maxWR, c.max)
		}
		raw := q.Raw()
		if q.Num() == 0 || q.Num() != raw.WQNum || q.State() != ibv.IBV_WQS_RESET || raw.WQType != ibv.IBV_WQT_RQ || raw.PD != w.pd.Raw() || raw.CQ != w.cq.Raw() {
			t.Errorf("%v: %+v", q, raw)
		}
	}
}

// A flag is asked for with its mask bit: one that the device has works, one that it lacks is refused and not ignored, and what is no flag
// never gets there.
func TestWQFlags(t *testing.T) {
	for flag, capability := range map[ibv.WQFlags]ibv.RawPacketCaps{
		ibv.IBV_WQ_FLAGS_CVLAN_STRIPPING: ibv.IBV_RAW_PACKET_CAP_CVLAN_STRIPPING,
		ibv.IBV_WQ_FLAGS_SCATTER_FCS:     ibv.IBV_RAW_PACKET_CAP_SCATTER_FCS,
		ibv.IBV_WQ_FLAGS_DELAY_DROP:      ibv.IBV_RAW_PACKET_CAP_DELAY_DROP,
	} {
		w := testWQs(t, softdev.Config{RawPacketCaps: uint32(capability)})
		a := w.attr()
		a.Flags = flag
		q := must(w.c.CreateWQ(a))
		if q.Attr().Flags != flag {
			t.Error(q.Attr())
		}
		ok(t, q.Close())
		without := testWQs(t, softdev.Config{NoRawPacket: true})
		a = without.attr()
		ok(t, must(without.c.CreateWQ(a)).Close())
		before := without.d.Objects()
		a.Flags = flag
		_, err := without.c.CreateWQ(a)
		wantError(t, err, "ibv_create_wq", "softdev0", syscall.EOPNOTSUPP, flag.String())
		if !errors.Is(err, ErrNotSupported) || without.d.Objects() != before {
			t.Errorf("%v, %v", err, without.d.Objects())
		}
	}
	w := testWQs(t, softdev.Config{})
	for _, flags := range []ibv.WQFlags{16, 17, 1 << 30} {
		a := w.attr()
		a.Flags = flags
		before := calls(t, w.d, "create_wq")
		_, err := w.c.CreateWQ(a)
		wantError(t, err, "ibv_create_wq", "softdev0", syscall.EINVAL, "IBV_WQ_FLAGS_RESERVED")
		if calls(t, w.d, "create_wq") != before {
			t.Error("the device was asked")
		}
	}
}

// Flags set IBV_WQ_INIT_ATTR_FLAGS, and none leave the mask and the flags zero.
func TestWQMask(t *testing.T) {
	for flags, mask := range map[ibv.WQFlags]ibv.WQInitAttrMask{0: 0, ibv.IBV_WQ_FLAGS_SCATTER_FCS: 1, ibv.IBV_WQ_FLAGS_CVLAN_STRIPPING | ibv.IBV_WQ_FLAGS_DELAY_DROP: 1} {
		a := WQAttr{PD: &PD{}, CQ: &CQ{}, MaxWR: 3, Flags: flags}
		init, err := a.init(0, nil)
		if err != nil || init.CompMask != mask || init.CreateFlags != flags || init.MaxWR != 3 || init.MaxSGE != 1 || init.WQType != 0 {
			t.Errorf("%v: %+v, %v", flags, init, err)
		}
	}
}

// What cannot be is refused before the device sees it, or with what the device has against it.
func TestCreateWQRefuses(t *testing.T) {
	w, other := testWQs(t, softdev.Config{MaxWQ: 2}), testWQs(t, softdev.Config{})
	for _, c := range []struct {
		change func(a *WQAttr)
		texts  []string
	}{
		{func(a *WQAttr) { a.PD = nil }, []string{"WQAttr.PD is nil"}},
		{func(a *WQAttr) { a.CQ = nil }, []string{"WQAttr.CQ is nil"}},
		{func(a *WQAttr) { a.PD = other.pd }, []string{"another context"}},
		{func(a *WQAttr) { a.CQ = other.cq }, []string{"another context"}},
		{func(a *WQAttr) { a.MaxWR = -1 }, []string{"WQAttr.MaxWR is -1"}},
		{func(a *WQAttr) { a.MaxSGE = math.MaxUint32 + 1 }, []string{"WQAttr.MaxSGE"}},
		{func(a *WQAttr) { a.MaxWR = 16385 }, []string{"WQAttr.MaxWR 16385", "max_qp_wr 16384"}},
		{func(a *WQAttr) { a.MaxSGE = 17 }, []string{"WQAttr.MaxSGE 17", "max_sge 16"}},
		{func(a *WQAttr) { a.Type = 1 }, []string{"only IBV_WQT_RQ"}},
	} {
		a := w.attr()
		c.change(&a)
		before := w.d.Objects()
		_, err := w.c.CreateWQ(a)
		wantError(t, err, "ibv_create_wq", "softdev0", syscall.EINVAL, c.texts...)
		if w.d.Objects() != before {
			t.Errorf("%v left %v", err, w.d.Objects())
		}
	}
	for range 2 {
		closing(t, must(w.c.CreateWQ(w.attr())))
	}
	_, err := w.c.CreateWQ(w.attr())
	wantError(t, err, "ibv_create_wq", "softdev0", syscall.ENOMEM, "max_wq_type_rq 2")
}

// NULL is an error with whatever errno value, 0 included, and leaves nothing.
func TestCreateWQFails(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	before := w.d.Objects()
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOMEM, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EAGAIN, syscall.EFAULT, syscall.EPERM, 0} {
		ok(t, w.d.Fail("create_wq", softdev.Fault{Errno: errno, NoErrno: errno == 0}))
		q, err := w.c.CreateWQ(w.attr())
		wantError(t, err, "ibv_create_wq", "softdev0", errno)
		if q != nil || w.d.Objects() != before {
			t.Errorf("%v left %v", err, w.d.Objects())
		}
	}
	ok(t, must(w.c.CreateWQ(w.attr())).Close())
}

// A device without work queues says so, as does one that is older than they are.
func TestDeviceWithoutWQs(t *testing.T) {
	for _, config := range []softdev.Config{{Absent: []string{"create_wq"}}, {Absent: []string{"create_wq", "destroy_wq", "modify_wq", "create_rwq_ind_table"}}} {
		w := testWQs(t, config)
		_, err := w.c.CreateWQ(w.attr())
		wantError(t, err, "ibv_create_wq", "softdev0", syscall.EOPNOTSUPP)
		if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	}
	w := testWQs(t, softdev.Config{Absent: []string{"modify_wq", "create_rwq_ind_table", "create_qp_ex"}})
	q := closing(t, must(w.c.CreateWQ(w.attr())))
	if err := q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}); !errors.Is(err, ErrNotSupported) {
		t.Error(err)
	}
	if _, err := w.c.CreateRWQIndTable(q); !errors.Is(err, ErrNotSupported) {
		t.Error(err)
	}
}

// Destroying answers what the provider did, and the queue is usable unless it was 0.
func TestDestroyWQ(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := w.wq(t)
	before := w.d.Objects()
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.EINVAL, syscall.ENOMEM, syscall.EIO} {
		for _, value := range []int{int(errno), -int(errno)} {
			ok(t, w.d.Fail("destroy_wq", softdev.Fault{Value: value, NoErrno: true}))
			wantError(t, q.Close(), "ibv_destroy_wq", q.String(), errno)
			ok(t, q.Recv(RecvWR{}))
			ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}))
			ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
			if w.d.Objects() != before {
				t.Errorf("%v", w.d.Objects())
			}
		}
	}
	table := must(w.c.CreateRWQIndTable(q))
	wantError(t, q.Close(), "ibv_destroy_wq", q.String(), syscall.EBUSY, table.String())
	wantError(t, w.cq.Close(), "ibv_destroy_cq", w.cq.String(), syscall.EBUSY, q.String())
	ok(t, table.Close())
	ok(t, q.Close())
	ok(t, q.Close())
}

// The ways between states that there are, and no others; a wrong present state; and where posts are accepted.
func TestWQStates(t *testing.T) {
	const reset, rdy, bad = ibv.IBV_WQS_RESET, ibv.IBV_WQS_RDY, ibv.IBV_WQS_ERR
	w := testWQs(t, softdev.Config{})
	q := closing(t, must(w.c.CreateWQ(w.attr())))
	get := func(s ibv.WQState) {
		t.Helper()
		ok(t, q.Modify(WQModify{State: new(reset)}))
		if s != reset {
			ok(t, q.Modify(WQModify{State: new(rdy)}))
		}
		if s == bad {
			ok(t, q.Modify(WQModify{State: new(bad)}))
		}
	}
	for _, from := range []ibv.WQState{reset, rdy, bad} {
		for _, to := range []ibv.WQState{reset, rdy, bad} {
			possible := to == reset || from == rdy || from == to || from == reset && to == rdy
			get(from)
			err := q.Modify(WQModify{State: new(to), CurrState: new(from)})
			want := to
			if !possible {
				wantError(t, err, "ibv_modify_wq", q.String(), syscall.EINVAL, fmt.Sprintf("from %v to %v", from, to))
				want = from
			} else if err != nil {
				t.Errorf("from %v to %v: %v", from, to, err)
			}
			if q.State() != want {
				t.Errorf("from %v to %v: in %v", from, to, q.State())
			}
			get(from)
			wrong := (from + 1) % 3
			err = q.Modify(WQModify{State: new(reset), CurrState: new(wrong)})
			wantError(t, err, "ibv_modify_wq", q.String(), syscall.EINVAL, wrong.String(), from.String())
		}
	}
	get(reset)
	before := calls(t, w.d, "post_wq_recv")
	wantError(t, q.Recv(RecvWR{}), "ibv_post_wq_recv", q.String(), syscall.EINVAL, "IBV_WQS_RESET", "drop")
	if calls(t, w.d, "post_wq_recv") != before {
		t.Error("the device was asked")
	}
	get(rdy)
	ok(t, q.Recv(RecvWR{WRID: 1}))
	ok(t, q.Recv(RecvWR{WRID: 2}))
	poll(t, w.cq, 0)
	ok(t, q.Modify(WQModify{State: new(bad)}))
	ok(t, q.Recv(RecvWR{WRID: 3}))
	for i, wc := range poll(t, w.cq, 3) {
		if wc.WRID != uint64(i+1) || wc.Status != ibv.IBV_WC_WR_FLUSH_ERR || wc.QPNum != q.Num() {
			t.Errorf("%+v", wc)
		}
	}
	// What was flushed and not polled goes with RESET.
	ok(t, q.Recv(RecvWR{WRID: 4}))
	ok(t, q.Modify(WQModify{State: new(reset)}))
	poll(t, w.cq, 0)
	get(bad)
	ok(t, q.Recv(RecvWR{WRID: 5}))
	ok(t, q.Close())
	poll(t, w.cq, 0)
}

// Flags change under their mask, and nothing is silently left out.
func TestWQModifyFlags(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := w.wq(t)
	strip := ibv.IBV_WQ_FLAGS_CVLAN_STRIPPING
	wantError(t, q.Modify(WQModify{}), "ibv_modify_wq", q.String(), syscall.EINVAL, "nothing to change")
	ok(t, q.Modify(WQModify{Flags: strip, FlagsMask: strip}))
	ok(t, q.Modify(WQModify{FlagsMask: strip}))
	wantError(t, q.Modify(WQModify{Flags: strip}), "ibv_modify_wq", q.String(), syscall.EINVAL, "FlagsMask has not")
	for flag, errno := range map[ibv.WQFlags]syscall.Errno{
		ibv.IBV_WQ_FLAGS_SCATTER_FCS: syscall.EOPNOTSUPP, ibv.IBV_WQ_FLAGS_DELAY_DROP: syscall.EOPNOTSUPP, 1 << 20: syscall.EINVAL,
	} {
		wantError(t, q.Modify(WQModify{Flags: flag, FlagsMask: flag}), "ibv_modify_wq", q.String(), errno)
	}
	for _, value := range []int{22, -22, 12, 95} {
		ok(t, w.d.Fail("modify_wq", softdev.Fault{Value: value, NoErrno: true}))
		wantError(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}), "ibv_modify_wq", q.String(), syscall.Errno(max(value, -value)))
		if q.State() != ibv.IBV_WQS_RDY {
			t.Error(q.State())
		}
	}
}

// Posts answer how many were accepted, and each form of a full queue is ErrQueueFull.
func TestWQPosts(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := w.wq(t)
	r := must(NewRecvRequests(20, 1))
	n, err := q.PostRecv(r)
	wantError(t, err, "ibv_post_wq_recv", q.String(), syscall.ENOMEM, "request 16 of 20")
	if n != 16 || !errors.Is(err, ErrQueueFull) {
		t.Errorf("%d, %v", n, err)
	}
	wantError(t, q.Recv(RecvWR{SGList: make([]ibv.SGE, 5)}), "ibv_post_wq_recv", q.String(), syscall.EINVAL, "5 elements", "allows 4")
	for _, f := range []softdev.Fault{{Value: 12, NoErrno: true}, {Value: -12, NoErrno: true}, {Value: -1, Errno: syscall.ENOMEM}} {
		ok(t, w.d.Fail("post_wq_recv", f))
		if err := q.Recv(RecvWR{}); !errors.Is(err, ErrQueueFull) || !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	_, err = q.PostRecv(nil)
	wantError(t, err, "ibv_post_wq_recv", q.String(), syscall.EINVAL, "no requests")
	if instrumented {
		return
	}
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_ERR)}))
	wc := make([]ibv.WC, 32)
	must(w.cq.Poll(wc))
	ok(t, r.SetLen(4))
	if n := testing.AllocsPerRun(100, func() {
		a, e1 := q.PostRecv(r)
		e2 := q.Recv(RecvWR{WRID: 5})
		b, e3 := w.cq.Poll(wc)
		if a != 4 || b != 5 || e1 != nil || e2 != nil || e3 != nil {
			t.Fatal(a, b, e1, e2, e3)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Methods of a WQ or table that is closed, nil or zero answer ErrClosed, or what means nothing.
func TestClosedWQ(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := must(w.c.CreateWQ(w.attr()))
	ok(t, q.Close())
	for _, q := range []*WQ{q, nil, {}} {
		wantClosed(t, q.Modify(WQModify{}))
		wantClosed(t, q.Recv(RecvWR{}))
		_, err := q.PostRecv(must(NewRecvRequests(1, 0)))
		wantClosed(t, err)
		if q.Num() != 0 || q.State() != ibv.IBV_WQS_UNKNOWN || q.Raw() != nil {
			t.Error(q)
		}
		ok(t, q.Close())
		_, _, _, _, _ = q.PD(), q.CQ(), q.Attr(), q.MaxWR(), q.MaxSGE()
		if q != nil {
			_, err = w.c.CreateRWQIndTable(q)
			wantClosed(t, err)
		}
	}
	for _, table := range []*RWQIndTable{nil, {}} {
		if table.Raw() != nil || table.WQs() != nil || table.Close() != nil {
			t.Error(table)
		}
	}
	_, err := (*Context)(nil).CreateWQ(WQAttr{PD: w.pd, CQ: w.cq})
	wantClosed(t, err)
	live := w.wq(t)
	_, err = (*Context)(nil).CreateRWQIndTable(live)
	wantClosed(t, err)
	_, err = w.c.CreateWQ(WQAttr{PD: &PD{}, CQ: w.cq})
	wantClosed(t, err)
}
