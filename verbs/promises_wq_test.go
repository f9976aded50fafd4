//go:build linux && cgo

package verbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/softdev"
)

// rss makes a QP that gives all packets over IPv4 to some WQs.
func (w *wqWorld) rss(t testing.TB, wqs ...*WQ) *QP {
	t.Helper()
	return closing(t, must(w.pd.CreateRSSQP(RSSAttr{Table: closing(t, must(w.c.CreateRWQIndTable(wqs...))), Fields: hash4})))
}

// arrive lets a frame arrive at the one WQ of a QP, for a receive with room for it, which has to succeed.
func (w *wqWorld) arrive(t testing.TB, q *WQ, qp *QP, f []byte) ibv.WC {
	t.Helper()
	ok(t, q.Recv(RecvWR{WRID: 77, SGList: sge(w.mr, 0, 4096)}))
	if _, _, err := w.d.Inject(qp.Raw(), f); err != nil {
		t.Fatal(err)
	}
	return one(t, q.CQ(), 77, ibv.IBV_WC_SUCCESS)
}

// arrived is what the last completion says has arrived.
func (w *wqWorld) arrived(wc ibv.WC) []byte { return w.mr.Bytes()[:wc.ByteLen] }

// tagged is a frame with an 802.1Q tag, and the frame without it.
func tagged() (with, without []byte) {
	without = checked()
	return slices.Concat(without[:12], []byte{0x81, 0x00, 0x00, 0x07}, without[12:]), without
}

// fcs is a frame with the check sequence that it has on the wire: CRC-32 of IEEE 802.3, its low byte first.
func fcs(f []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(f), crc32.ChecksumIEEE(f))
}

const strip, scatter = ibv.IBV_WQ_FLAGS_CVLAN_STRIPPING, ibv.IBV_WQ_FLAGS_SCATTER_FCS

// laid is what a WQ with some flags makes of the tagged frame; the manual: the tag is stripped, the FCS scattered to memory.
func laid(flags ibv.WQFlags) []byte {
	f, plain := tagged()
	end := fcs(f)[len(f):]
	if flags&strip != 0 {
		f = plain
	}
	if flags&scatter != 0 {
		f = slices.Concat(f, end)
	}
	return f
}

// Flags that a WQ was made with do what the manual says, and none do nothing.
func TestWQFlagsDoWhatTheySay(t *testing.T) {
	for _, flags := range []ibv.WQFlags{0, strip, scatter, strip | scatter, ibv.IBV_WQ_FLAGS_DELAY_DROP, strip | ibv.IBV_WQ_FLAGS_DELAY_DROP} {
		w := testWQs(t, softdev.Config{})
		a := w.attr()
		a.Flags = flags
		q := closing(t, must(w.c.CreateWQ(a)))
		ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
		f, _ := tagged()
		wc := w.arrive(t, q, w.rss(t, q), f)
		if want := laid(flags); !bytes.Equal(w.arrived(wc), want) {
			t.Errorf("%v: arrived\n%x, want\n%x", flags, w.arrived(wc), want)
		}
	}
}

// Each flag needs the device's capability for it, and no other does.
func TestEachWQFlagNeedsItsCapability(t *testing.T) {
	all := ibv.IBV_RAW_PACKET_CAP_CVLAN_STRIPPING | ibv.IBV_RAW_PACKET_CAP_SCATTER_FCS | ibv.IBV_RAW_PACKET_CAP_IP_CSUM | ibv.IBV_RAW_PACKET_CAP_DELAY_DROP
	for flag, capability := range map[ibv.WQFlags]ibv.RawPacketCaps{
		strip: ibv.IBV_RAW_PACKET_CAP_CVLAN_STRIPPING, scatter: ibv.IBV_RAW_PACKET_CAP_SCATTER_FCS,
		ibv.IBV_WQ_FLAGS_DELAY_DROP: ibv.IBV_RAW_PACKET_CAP_DELAY_DROP, ibv.IBV_WQ_FLAGS_PCI_WRITE_END_PADDING: 0,
	} {
		w := testWQs(t, softdev.Config{RawPacketCaps: uint32(all &^ capability)})
		before := w.d.Objects()
		for _, other := range []ibv.WQFlags{0, strip, scatter, ibv.IBV_WQ_FLAGS_DELAY_DROP} {
			a := w.attr()
			if a.Flags = other &^ flag; a.Flags != 0 || other == 0 {
				ok(t, must(w.c.CreateWQ(a)).Close())
			}
			a.Flags |= flag
			_, err := w.c.CreateWQ(a)
			wantError(t, err, "ibv_create_wq", "softdev0", syscall.EOPNOTSUPP, flag.String())
			if !errors.Is(err, ErrNotSupported) || w.d.Objects() != before {
				t.Errorf("%v, %v", err, w.d.Objects())
			}
		}
	}
}

// What the device does with what this package never sends: flags count with their mask bit only, unknown bits of the mask are refused, as
// are other types and the reserved flag.
func TestWQInitMaskAtTheDevice(t *testing.T) {
	able, unable := testWQs(t, softdev.Config{}), testWQs(t, softdev.Config{NoRawPacket: true})
	for _, c := range []struct {
		w     *wqWorld
		typ   ibv.WQType
		mask  ibv.WQInitAttrMask
		flags ibv.WQFlags
		want  syscall.Errno
	}{
		{unable, 0, 0, 0, 0}, {unable, 0, 0, strip, 0}, {unable, 0, 0, scatter, 0}, {unable, 0, 0, ibv.IBV_WQ_FLAGS_DELAY_DROP, 0}, {unable, 0, 0, 16, 0},
		{unable, 0, 1, strip, syscall.EOPNOTSUPP}, {unable, 0, 1, scatter, syscall.EOPNOTSUPP}, {unable, 0, 1, ibv.IBV_WQ_FLAGS_DELAY_DROP, syscall.EOPNOTSUPP},
		{unable, 0, 1, 0, 0}, {able, 0, 1, strip | scatter, 0}, {able, 0, 1, 16, syscall.EINVAL}, {able, 0, 1, 17, syscall.EINVAL},
		{able, 0, 2, 0, syscall.EINVAL}, {able, 0, 3, strip, syscall.EINVAL}, {able, 0, 1 << 31, 0, syscall.EINVAL}, {able, 1, 0, 0, syscall.EINVAL},
	} {
		before := c.w.d.Objects()
		raw, err := cverbs.CreateWQ(c.w.c.Raw(), &ibv.WQInitAttr{
			WQType: c.typ, MaxWR: 1, MaxSGE: 1, PD: c.w.pd.Raw(), CQ: c.w.cq.Raw(), CompMask: c.mask, CreateFlags: c.flags,
		})
		if errnoOf(err) != c.want || (err == nil) != (c.want == 0) {
			t.Errorf("type %d, mask %#x, flags %v: %v, want errno %d", c.typ, uint32(c.mask), c.flags, err, c.want)
		}
		if err == nil {
			ok(t, cverbs.DestroyWQ(raw))
		}
		if c.w.d.Objects() != before {
			t.Errorf("%v, before %v", c.w.d.Objects(), before)
		}
	}
}

// Objects of another context of the same device are refused before the device is asked: a library that passes handles on would take them for
// its own of the same number.
func TestOtherContextIsRefusedWithoutTheDevice(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	c2 := closing(t, must(w.c.Device().Open()))
	pd2 := closing(t, must(c2.AllocPD()))
	cq2 := testCQ(t, c2, 256, false)
	wq2 := closing(t, must(c2.CreateWQ(WQAttr{PD: pd2, CQ: cq2, MaxWR: 1})))
	table2 := closing(t, must(c2.CreateRWQIndTable(wq2)))
	q := w.wq(t)
	before := w.d.Objects()
	for _, c := range []struct {
		verb, object string
		make         func() error
	}{
		{"ibv_create_wq", "softdev0", func() error { return shut(w.c.CreateWQ(WQAttr{PD: pd2, CQ: w.cq, MaxWR: 1})) }},
		{"ibv_create_wq", "softdev0", func() error { return shut(w.c.CreateWQ(WQAttr{PD: w.pd, CQ: cq2, MaxWR: 1})) }},
		{"ibv_create_wq", "softdev0", func() error { return shut(w.c.CreateWQ(WQAttr{PD: pd2, CQ: cq2, MaxWR: 1})) }},
		{"ibv_create_rwq_ind_table", "softdev0", func() error { return shut(w.c.CreateRWQIndTable(wq2)) }},
		{"ibv_create_rwq_ind_table", "softdev0", func() error { return shut(w.c.CreateRWQIndTable(q, wq2)) }},
		{"ibv_create_qp_ex", w.pd.String(), func() error { return shut(w.pd.CreateRSSQP(RSSAttr{Table: table2, Fields: hash4})) }},
		{"ibv_create_qp", w.pd.String(), func() error {
			return shut(w.pd.CreateQP(QPAttr{SendCQ: cq2, RecvCQ: w.cq, MaxSendWR: 1, MaxRecvWR: 1}))
		}},
		{"ibv_create_qp", w.pd.String(), func() error {
			return shut(w.pd.CreateQP(QPAttr{SendCQ: w.cq, RecvCQ: cq2, MaxSendWR: 1, MaxRecvWR: 1}))
		}},
	} {
		n := calls(t, w.d, c.verb)
		wantError(t, c.make(), c.verb, c.object, syscall.EINVAL, "belongs to another context")
		if calls(t, w.d, c.verb) != n {
			t.Errorf("%s: the device was asked", c.verb)
		}
	}
	if w.d.Objects() != before {
		t.Errorf("%v, before %v", w.d.Objects(), before)
	}
}

// Completions land in the CQ that was named when the WQ was made, flushed ones as well, with the WQ's number.
func TestWQCompletionsLandInTheirCQ(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	var queues []*WQ
	for range 3 {
		a := w.attr()
		a.CQ = testCQ(t, w.c, 16, false)
		q := closing(t, must(w.c.CreateWQ(a)))
		ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
		queues = append(queues, q)
	}
	for i, q := range queues {
		qp := w.rss(t, q)
		ok(t, q.Recv(RecvWR{WRID: uint64(i), SGList: sge(w.mr, 0, 4096)}))
		ok(t, q.Recv(RecvWR{WRID: uint64(i) + 100}))
		if _, _, err := w.d.Inject(qp.Raw(), checked()); err != nil {
			t.Fatal(err)
		}
		ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_ERR)}))
		for j, other := range queues {
			if j != i {
				poll(t, other.CQ(), 0)
			}
		}
		poll(t, w.cq, 0)
		wc := poll(t, q.CQ(), 2)
		if wc[0].WRID != uint64(i) || wc[0].Err() != nil || !wc[0].IsRecv() || wc[0].QPNum != q.Num() ||
			wc[1].WRID != uint64(i)+100 || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR || wc[1].QPNum != q.Num() {
			t.Errorf("%+v", wc)
		}
	}
}

// A WQ that could not be destroyed receives, has its events, and stands in its table, whatever the errno value and its sign.
func TestWQSurvivesAFailedDestroy(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := w.wq(t)
	table := must(w.c.CreateRWQIndTable(q))
	qp := must(w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4}))
	alive := func() {
		t.Helper()
		if wc := w.arrive(t, q, qp, checked()); !bytes.Equal(w.arrived(wc), checked()) {
			t.Errorf("%x", w.arrived(wc))
		}
		ok(t, w.d.RaiseWQ(q.Raw(), ibv.IBV_EVENT_WQ_FATAL))
		if e := nextEvent(t, w.c); e.WQ != q || e.Type != ibv.IBV_EVENT_WQ_FATAL || e.Count != 1 {
			t.Errorf("%+v", e)
		}
	}
	// Held by the table, which the QP holds.
	n := calls(t, w.d, "destroy_wq") + calls(t, w.d, "destroy_rwq_ind_table")
	wantError(t, q.Close(), "ibv_destroy_wq", q.String(), syscall.EBUSY, table.String())
	wantError(t, table.Close(), "ibv_destroy_rwq_ind_table", table.String(), syscall.EBUSY, qp.String())
	if calls(t, w.d, "destroy_wq")+calls(t, w.d, "destroy_rwq_ind_table") != n {
		t.Error("the device was asked")
	}
	alive()
	// And so says the device, which would be asked if this package did not know.
	if err := cverbs.DestroyWQ(q.Raw()); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("%v", err)
	}
	if err := cverbs.DestroyRWQIndTable(table.Raw()); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("%v", err)
	}
	alive()
	ok(t, qp.Close())
	ok(t, table.Close())
	for _, value := range []int{16, -16, 22, -22, 12, 5} {
		ok(t, w.d.Fail("destroy_wq", faultOf(value)))
		wantError(t, q.Close(), "ibv_destroy_wq", q.String(), syscall.Errno(max(value, -value)))
		table = must(w.c.CreateRWQIndTable(q))
		qp = must(w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4}))
		alive()
		ok(t, qp.Close())
		ok(t, table.Close())
	}
	ok(t, q.Close())
	if q.Num() != 0 || w.d.Objects().WQs != 0 {
		t.Errorf("%v", w.d.Objects())
	}
}

// Flags that were modified take effect, those outside of the mask stay, and what fails changes neither flags nor state.
func TestModifiedWQFlagsTakeEffect(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	a := w.attr()
	a.Flags = scatter // it cannot be changed
	q := closing(t, must(w.c.CreateWQ(a)))
	qp := w.rss(t, q)
	want := func(flags ibv.WQFlags) {
		t.Helper()
		f, _ := tagged()
		if got := w.arrived(w.arrive(t, q, qp, f)); !bytes.Equal(got, laid(flags)) {
			t.Errorf("with %v arrived\n%x, want\n%x", flags, got, laid(flags))
		}
	}
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
	want(scatter)
	ok(t, q.Modify(WQModify{Flags: strip, FlagsMask: strip}))
	want(scatter | strip)
	if q.State() != ibv.IBV_WQS_RDY {
		t.Error(q.State())
	}
	// A wrong present state, a way that there is not, and a refused flag.
	wantError(t, q.Modify(WQModify{FlagsMask: strip, CurrState: new(ibv.IBV_WQS_ERR)}), "ibv_modify_wq", q.String(), syscall.EINVAL)
	wantError(t, q.Modify(WQModify{FlagsMask: strip, State: new(ibv.WQState(7))}), "ibv_modify_wq", q.String(), syscall.EINVAL)
	wantError(t, q.Modify(WQModify{FlagsMask: strip | scatter, State: new(ibv.IBV_WQS_ERR)}), "ibv_modify_wq", q.String(), syscall.EOPNOTSUPP)
	wantError(t, q.Modify(WQModify{Flags: 16, FlagsMask: 16, State: new(ibv.IBV_WQS_ERR)}), "ibv_modify_wq", q.String(), syscall.EINVAL)
	want(scatter | strip)
	ok(t, q.Modify(WQModify{FlagsMask: strip, CurrState: new(ibv.IBV_WQS_RDY)}))
	want(scatter)
	// Together with a move.
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}))
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY), CurrState: new(ibv.IBV_WQS_RESET), Flags: strip, FlagsMask: strip}))
	if q.State() != ibv.IBV_WQS_RDY {
		t.Error(q.State())
	}
	want(scatter | strip)
}

// A WQ works again after ERR, RESET and RDY, with all of its room, and receives nothing in RESET and ERR.
func TestWQReceivesInRDYOnly(t *testing.T) {
	w := testWQs(t, softdev.Config{Exact: true})
	q := closing(t, must(w.c.CreateWQ(w.attr())))
	qp := w.rss(t, q)
	dropped := func() {
		t.Helper()
		if _, _, err := w.d.Inject(qp.Raw(), checked()); !errors.Is(err, syscall.ENOBUFS) {
			t.Errorf("in %v: %v, want ENOBUFS", q.State(), err)
		}
	}
	for round := range 3 {
		dropped() // RESET
		ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
		w.arrive(t, q, qp, checked())
		for i := range uint64(10) {
			ok(t, q.Recv(RecvWR{WRID: i, SGList: sge(w.mr, 0, 2048)}))
		}
		if err := q.Recv(RecvWR{}); !errors.Is(err, ErrQueueFull) {
			t.Error(err)
		}
		if round == 1 { // what was posted is dropped, and its room is free
			ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}))
			poll(t, w.cq, 0)
			continue
		}
		ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_ERR)}))
		dropped()
		for i, wc := range poll(t, w.cq, 10) {
			if wc.WRID != uint64(i) || wc.Status != ibv.IBV_WC_WR_FLUSH_ERR || wc.QPNum != q.Num() {
				t.Errorf("%d: %+v", i, wc)
			}
		}
		ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}))
	}
}

// Destroying a WQ, and its RESET, take its completions out of the CQ and nobody else's, and keep their order.
func TestPurgeTakesOnlyTheWQsOwn(t *testing.T) {
	for name, purge := range map[string]func(q *WQ) error{
		"destroy": func(q *WQ) error { return q.Close() },
		"RESET":   func(q *WQ) error { return q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}) },
	} {
		w := testWQs(t, softdev.Config{})
		q, stays := w.wq(t), w.wq(t)
		for _, q := range []*WQ{q, stays} {
			ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_ERR)}))
		}
		for i := range uint64(5) {
			ok(t, q.Recv(RecvWR{WRID: 100 + i}))
			ok(t, stays.Recv(RecvWR{WRID: i}))
			push(t, w.d, w.cq, 200+i)
		}
		poll4 := make([]ibv.WC, 4)
		if n, err := w.cq.Poll(poll4); err != nil || !slices.Equal(ids(poll4[:n]), []uint64{100, 0, 200, 101}) {
			t.Errorf("%v, %v", ids(poll4[:n]), err)
		}
		ok(t, purge(q))
		if got := ids(poll(t, w.cq, 8)); !slices.Equal(got, []uint64{1, 201, 2, 202, 3, 203, 4, 204}) {
			t.Errorf("after %s: %v", name, got)
		}
	}
}

// A library that is older than work queues says that there are none, and is not called beyond its end.
func TestLibraryOlderThanWQs(t *testing.T) {
	_, c := testDevice(t)
	size := *(*uintptr)(unsafe.Add(unsafe.Pointer(c.Raw()), -8)) // of struct verbs_context, whose last members are sz and context
	w := testWQs(t, softdev.Config{Less: size - unsafe.Sizeof(ibv.Context{}) - 8})
	before := w.d.Objects()
	_, err := w.c.CreateWQ(w.attr())
	wantError(t, err, "ibv_create_wq", "softdev0", syscall.EOPNOTSUPP)
	if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) || w.d.Objects() != before || calls(t, w.d, "create_wq") != 0 {
		t.Errorf("%v, %v", err, w.d.Objects())
	}
	push(t, w.d, w.cq, 1)
	poll(t, w.cq, 1)
}

// The event names the WQ that it is about, among several; the loop's body may close it.
func TestWQEventNamesTheQueue(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	a, b, c := must(w.c.CreateWQ(w.attr())), must(w.c.CreateWQ(w.attr())), w.wq(t)
	for _, q := range []*WQ{b, c, a} {
		ok(t, w.d.RaiseWQ(q.Raw(), ibv.IBV_EVENT_WQ_FATAL))
	}
	want := []*WQ{b, c, a}
	soon(t, "the loop", func() {
		for e, err := range w.c.AsyncEvents(t.Context()) {
			if err != nil || e.Type != ibv.IBV_EVENT_WQ_FATAL || e.WQ != want[0] || e.Object != want[0].String() || e.CQ != nil || e.QP != nil || e.Port != 0 {
				t.Errorf("%+v, %v; want %v", e, err, want[0])
			}
			if e.WQ != c {
				ok(t, e.WQ.Close())
			}
			if want = want[1:]; len(want) == 0 {
				break
			}
		}
	})
	if n := w.d.Objects().WQs; n != 1 {
		t.Errorf("%d WQs", n)
	}
	if s := (AsyncEvent{Type: ibv.IBV_EVENT_WQ_FATAL, Object: c.String()}).String(); !strings.Contains(s, "IBV_EVENT_WQ_FATAL on wq ") {
		t.Error(s)
	}
}

// After an error the device has moved the WQ to ERR without telling the library: it goes on from there by RESET, and a move that assumes the
// old state is refused.
func TestWQAfterAFatalError(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := w.wq(t)
	qp := w.rss(t, q)
	ok(t, w.d.FailNextWQ(q.Raw(), ibv.IBV_WC_LOC_PROT_ERR, 9))
	ok(t, q.Recv(RecvWR{WRID: 1, SGList: sge(w.mr, 0, 2048)}))
	ok(t, q.Recv(RecvWR{WRID: 2}))
	if _, _, err := w.d.Inject(qp.Raw(), checked()); err != nil {
		t.Fatal(err)
	}
	wc := poll(t, w.cq, 2)
	if wc[0].Status != ibv.IBV_WC_LOC_PROT_ERR || wc[0].VendorErr != 9 || wc[0].WRID != 1 || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR || wc[1].WRID != 2 {
		t.Errorf("%+v", wc)
	}
	if e := nextEvent(t, w.c); e.Type != ibv.IBV_EVENT_WQ_FATAL || e.WQ != q {
		t.Errorf("%+v", e)
	}
	ok(t, q.Recv(RecvWR{WRID: 3}))
	one(t, w.cq, 3, ibv.IBV_WC_WR_FLUSH_ERR)
	err := q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET), CurrState: new(ibv.IBV_WQS_RDY)})
	wantError(t, err, "ibv_modify_wq", q.String(), syscall.EINVAL)
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET), CurrState: new(ibv.IBV_WQS_ERR)}))
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
	w.arrive(t, q, qp, checked())
}
