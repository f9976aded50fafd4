//go:build linux && cgo

package verbs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// testCQEx makes an extended CQ, which is closed when the test ends.
func testCQEx(t testing.TB, c *Context, attr CQExAttr) *CQEx {
	t.Helper()
	if attr.CQE == 0 {
		attr.CQE = 64
	}
	return closing(t, must(c.CreateCQEx(attr)))
}

// forever is the ctx that is not given.
var forever context.Context

// pollEx takes what is in a queue, which has to be n completions.
func pollEx(t testing.TB, q *CQEx, n int) []WCEx {
	t.Helper()
	wc := make([]WCEx, n+16)
	got, err := q.Poll(wc)
	if err != nil || got != n {
		t.Fatalf("%d completions, %v; want %d", got, err, n)
	}
	return wc[:n]
}

func idsEx(wc []WCEx) (r []uint64) {
	for i := range wc {
		r = append(r, wc[i].WRID())
	}
	return r
}

// everyField is what the software device can tell.
const everyField = ibv.IBV_WC_EX_WITH_BYTE_LEN | ibv.IBV_WC_EX_WITH_IMM | ibv.IBV_WC_EX_WITH_QP_NUM | ibv.IBV_WC_EX_WITH_SRC_QP | ibv.IBV_WC_EX_WITH_SLID |
	ibv.IBV_WC_EX_WITH_SL | ibv.IBV_WC_EX_WITH_DLID_PATH_BITS | ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK

// A reading is a field's accessor, and what the completion below has there.
type reading struct {
	field ibv.CreateCQWCFlags
	want  uint64
	read  func(w *WCEx) (uint64, bool)
}

func reads[T uint8 | uint16 | uint32 | uint64](f func(w *WCEx) (T, bool)) func(w *WCEx) (uint64, bool) {
	return func(w *WCEx) (uint64, bool) {
		v, ok := f(w)
		return uint64(v), ok
	}
}

var readings = []reading{
	{ibv.IBV_WC_EX_WITH_BYTE_LEN, 100, reads((*WCEx).ByteLen)},
	{ibv.IBV_WC_EX_WITH_IMM, 0x01020304, reads((*WCEx).ImmData)},
	{ibv.IBV_WC_EX_WITH_SRC_QP, 102, reads((*WCEx).SrcQP)},
	{ibv.IBV_WC_EX_WITH_SLID, 103, reads((*WCEx).SLID)},
	{ibv.IBV_WC_EX_WITH_SL, 4, reads((*WCEx).SL)},
	{ibv.IBV_WC_EX_WITH_DLID_PATH_BITS, 5, reads((*WCEx).DLIDPathBits)},
}

func fullWC() ibv.WC {
	w := ibv.WC{WRID: 99, Opcode: ibv.IBV_WC_RECV, VendorErr: 98, ByteLen: 100, QPNum: 101, SrcQP: 102, SLID: 103, SL: 4, DLIDPathBits: 5,
		WCFlags: ibv.IBV_WC_WITH_IMM | ibv.IBV_WC_GRH}
	w.SetRawImmData(ibv.ToBe32(0x01020304))
	return w
}

// What was asked for is told, each from its place, and nothing else, whatever was in the array before.
func TestExtendedFields(t *testing.T) {
	d, c := testDevice(t)
	wc := make([]WCEx, 1)
	sets := []ibv.CreateCQWCFlags{0, everyField}
	for _, r := range readings {
		sets = append(sets, r.field, everyField&^r.field)
	}
	sets = append(sets, ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, 0)
	for _, fields := range sets {
		q := testCQEx(t, c, CQExAttr{Fields: fields})
		if q.Fields() != fields|ibv.IBV_WC_EX_WITH_QP_NUM {
			t.Errorf("asked for %v, and tells %v", fields, q.Fields())
		}
		w := fullWC()
		before := time.Now()
		ok(t, d.Complete(q.cq.raw, &w, false))
		after := time.Now()
		if n, err := q.Poll(wc); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		got := &wc[0]
		opcode, valid := got.Opcode()
		flags, alsoValid := got.Flags()
		if got.WRID() != 99 || got.Status() != 0 || got.Err() != nil || opcode != ibv.IBV_WC_RECV || !valid || !got.IsRecv() || flags != w.WCFlags || !alsoValid {
			t.Errorf("%v: %+v", fields, got.wc)
		}
		if n, valid := got.QPNum(); n != 101 || !valid {
			t.Errorf("%v: QP %d, %v", fields, n, valid)
		}
		for _, r := range readings {
			if v, valid := r.read(got); valid != (fields&r.field != 0) || valid && v != r.want || !valid && v != 0 {
				t.Errorf("%v: %v is %#x, %v; want %#x", fields, r.field, v, valid, r.want)
			}
		}
		if at, valid := got.Wallclock(); valid != (fields&ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK != 0) || valid && (at.Before(before.Round(0)) || at.After(after.Round(0))) {
			t.Errorf("%v: made at %v, %v; was between %v and %v", fields, at, valid, before, after)
		}
		if ts, valid := got.Timestamp(); valid != (fields&ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP != 0) || valid == (ts == 0) {
			t.Errorf("%v: at tick %d, %v", fields, ts, valid)
		}
		if _, valid := got.InvalidatedRKey(); valid {
			t.Errorf("%v: an invalidated key beside immediate data", fields)
		}
		_, cvlan := got.CVLAN()
		_, tag := got.FlowTag()
		_, tm := got.TMInfo()
		if cvlan || tag || tm {
			t.Errorf("%v: fields that nobody has: %v, %v, %v", fields, cvlan, tag, tm)
		}
	}
}

// A key comes in the place of immediate data, and without either's flag there is neither.
func TestExtendedImmediateOrKey(t *testing.T) {
	d, c := testDevice(t)
	q := testCQEx(t, c, CQExAttr{Fields: ibv.IBV_WC_EX_WITH_IMM})
	for _, flags := range []ibv.WCFlags{0, ibv.IBV_WC_WITH_INV, ibv.IBV_WC_WITH_IMM, ibv.IBV_WC_WITH_IMM | ibv.IBV_WC_WITH_INV} {
		w := ibv.WC{WCFlags: flags}
		w.SetRawInvalidatedRKey(0x11223344)
		ok(t, d.Complete(q.cq.raw, &w, false))
		got := pollEx(t, q, 1)[0]
		key, isKey := got.InvalidatedRKey()
		_, isImm := got.ImmData()
		if isKey != (flags == ibv.IBV_WC_WITH_INV) || isImm != (flags == ibv.IBV_WC_WITH_IMM) || isKey && key != 0x11223344 {
			t.Errorf("%v: key %#x, %v; immediate data %v", flags, key, isKey, isImm)
		}
	}
}

// Of a request that has failed nothing but its id, status, QP number and the provider's code is told, whatever was in the array before.
func TestExtendedFailure(t *testing.T) {
	d, c := testDevice(t)
	q := testCQEx(t, c, CQExAttr{Fields: everyField})
	w := fullWC()
	ok(t, d.Complete(q.cq.raw, &w, false))
	wc := make([]WCEx, 1)
	if n, err := q.Poll(wc); n != 1 || err != nil || wc[0].Err() != nil {
		t.Fatal(n, err)
	}
	w.Status = ibv.IBV_WC_REM_ACCESS_ERR
	ok(t, d.Complete(q.cq.raw, &w, false))
	if n, err := q.Poll(wc); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	got := wc[0]
	var e *ibv.CompletionError
	if !errors.As(got.Err(), &e) || *e != (ibv.CompletionError{WRID: 99, Status: ibv.IBV_WC_REM_ACCESS_ERR, QPNum: 101, VendorErr: 98}) {
		t.Errorf("%v", got.Err())
	}
	if n, valid := got.QPNum(); n != 101 || !valid || got.WRID() != 99 || got.Status() != w.Status || got.IsRecv() {
		t.Errorf("%+v", got.wc)
	}
	for _, r := range append(readings, reading{read: reads((*WCEx).Timestamp)}, reading{read: reads((*WCEx).InvalidatedRKey)}) {
		if v, valid := r.read(&got); v != 0 || valid {
			t.Errorf("%v is %d, %v", r.field, v, valid)
		}
	}
	opcode, isOpcode := got.Opcode()
	flags, isFlags := got.Flags()
	_, at := got.Wallclock()
	if isOpcode || isFlags || at || opcode != 0 || flags != 0 {
		t.Errorf("%+v", got.wc)
	}
	// Some providers do not tell the QP.
	ok(t, d.Complete(q.cq.raw, &w, false))
	read := q.raw.ReadQPNum
	q.raw.ReadQPNum = 0
	n, err := q.Poll(wc)
	q.raw.ReadQPNum = read
	if n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n, valid := wc[0].QPNum(); n != 0 || valid {
		t.Errorf("QP %d, %v", n, valid)
	}
}

// Batches end with the array or the queue, and lose nothing; the same queue polled as an ordinary one goes on where they ended.
func TestExtendedBatches(t *testing.T) {
	d, c := testDevice(t)
	for _, single := range []bool{false, true} {
		q := testCQEx(t, c, CQExAttr{SingleThreaded: single})
		if q.CQ().CQE() != 64 || q.Raw() != q.raw || q.CQ().Raw() != q.cq.raw || q.String() != q.CQ().String() {
			t.Error(q, q.CQ())
		}
		pollEx(t, q, 0)
		push(t, d, q.cq, 0, 1, 2, 3, 4, 5, 6)
		wc := make([]WCEx, 3)
		for _, want := range [][]uint64{{0, 1, 2}, {3, 4, 5}} {
			if n, err := q.Poll(wc); err != nil || !slices.Equal(idsEx(wc[:n]), want) {
				t.Errorf("%v, %v; want %v", idsEx(wc[:n]), err, want)
			}
		}
		push(t, d, q.cq, 7)
		if got := poll(t, q.CQ(), 2); got[0].WRID != 6 || got[1].WRID != 7 {
			t.Errorf("%v", ids(got))
		}
		pollEx(t, q, 0)
		before := calls(t, d, "start_poll")
		if n, err := q.Poll(nil); n != 0 || err != nil || calls(t, d, "start_poll") != before {
			t.Error(n, err)
		}
	}
}

// A batch that fails on its way comes with its error, and what is left comes next.
func TestExtendedBatchFailsOnItsWay(t *testing.T) {
	d, c := testDevice(t)
	q := testCQEx(t, c, CQExAttr{})
	push(t, d, q.cq, 1, 2, 3)
	ok(t, d.Fail("next_poll", softdev.Fault{Errno: syscall.EIO, Skip: 1}))
	wc := make([]WCEx, 8)
	n, err := q.Poll(wc)
	wantError(t, err, "ibv_next_poll", q.String(), syscall.EIO, "completions may have been lost")
	if !slices.Equal(idsEx(wc[:n]), []uint64{1, 2}) {
		t.Errorf("%v", idsEx(wc[:n]))
	}
	if got := pollEx(t, q, 1); got[0].WRID() != 3 {
		t.Errorf("%v", idsEx(got))
	}
	// The iterator yields them first.
	channel := closing(t, must(c.CreateCompChannel()))
	q = testCQEx(t, c, CQExAttr{CQAttr: CQAttr{CQE: 8, Channel: channel}})
	push(t, d, q.cq, 4, 5)
	ok(t, d.Fail("next_poll", softdev.Fault{Errno: syscall.EIO}))
	var seen []uint64
	for wc, failure := range q.All(t.Context()) {
		seen, err = append(seen, idsEx(wc)...), failure
	}
	if !slices.Equal(seen, []uint64{4}) || !errors.Is(err, syscall.EIO) {
		t.Errorf("%v, %v", seen, err)
	}
	pollEx(t, q, 1)
}

// EBUSY of the clock loses nothing, and says what to do.
func TestExtendedClockIsBusy(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	q := testCQEx(t, p.c, CQExAttr{Fields: ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK})
	a := p.qp(t, QPAttr{SendCQ: q.CQ()})
	push(t, p.d, q.cq, 1)
	ok(t, p.d.Fail("start_poll", softdev.Fault{Errno: syscall.EBUSY}))
	n, err := q.Poll(make([]WCEx, 4))
	wantError(t, err, "ibv_start_poll", q.String(), syscall.EBUSY, "poll again")
	if n != 0 || a.sq.tallied.Load().broken.Load() {
		t.Errorf("%d completions; accounting has ended: %v", n, a.sq.tallied.Load().broken.Load())
	}
	pollEx(t, q, 1)
	ok(t, p.d.Fail("start_poll", softdev.Fault{Errno: syscall.EIO}))
	if _, err := q.Poll(make([]WCEx, 4)); !errors.Is(err, syscall.EIO) || !a.sq.tallied.Load().broken.Load() {
		t.Errorf("%v; accounting goes on: %v", err, !a.sq.tallied.Load().broken.Load())
	}
}

// What is in the queue comes first, then ErrCQOverrun, which stays; a queue that ignores it goes on.
func TestExtendedOverrun(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	q := testCQEx(t, c, CQExAttr{CQAttr: CQAttr{CQE: 2}})
	push(t, d, q.cq, 1, 2)
	if err := d.Complete(q.cq.raw, &ibv.WC{WRID: 3}, false); !errors.Is(err, syscall.EOVERFLOW) {
		t.Fatal(err)
	}
	eventually(t, "news of the overrun", q.cq.events.overrun.Load)
	wc := make([]WCEx, 1)
	for _, id := range []uint64{1, 2} {
		if n, err := q.Poll(wc); n != 1 || err != nil || wc[0].WRID() != id {
			t.Errorf("%d, %v, %v", n, err, idsEx(wc))
		}
	}
	before := 0
	for i := range 3 {
		n, err := q.Poll(wc)
		if n != 0 || !errors.Is(err, ErrCQOverrun) || !strings.Contains(err.Error(), "start_poll on "+q.String()) {
			t.Errorf("%d, %v", n, err)
		}
		if now := calls(t, d, "start_poll"); i > 0 && now != before {
			t.Error("the device was asked again")
		} else {
			before = now
		}
	}
	if n, err := q.Poll(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	ignores := testCQEx(t, c, CQExAttr{CQAttr: CQAttr{CQE: 2}, IgnoreOverrun: true})
	push(t, d, ignores.cq, 1, 2, 3)
	if got := idsEx(pollEx(t, ignores, 2)); !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("%v", got)
	}
}

// A queue for a single thread tells two that poll it at once.
func TestSingleThreadedTellsTwo(t *testing.T) {
	d, c := testDevice(t)
	q := testCQEx(t, c, CQExAttr{SingleThreaded: true})
	push(t, d, q.cq, 1)
	ok(t, d.Fail("start_poll", softdev.Fault{Delay: 300 * time.Millisecond}))
	first := make(chan error, 1)
	go func() {
		n, err := q.Poll(make([]WCEx, 1))
		if err == nil && n != 1 {
			err = errors.New("nothing")
		}
		first <- err
	}()
	eventually(t, "the first poll", func() bool { return calls(t, d, "start_poll") == 1 })
	_, err := q.Poll(make([]WCEx, 1))
	wantError(t, err, "ibv_start_poll", q.String(), syscall.EBUSY, "single thread")
	soon(t, "the first poll", func() { ok(t, <-first) })
	pollEx(t, q, 0)
}

// What cannot be is refused, and leaves nothing.
func TestExtendedRefusals(t *testing.T) {
	d, c := testDevice(t)
	_, other := testDevice(t)
	channel := closing(t, must(other.CreateCompChannel()))
	before := d.Objects()
	for name, f := range map[string]struct {
		attr  CQExAttr
		errno syscall.Errno
		text  string
	}{
		"no entries":         {CQExAttr{}, syscall.EINVAL, "CQE 0"},
		"too many":           {CQExAttr{CQAttr: CQAttr{CQE: 1 << 21}}, syscall.EINVAL, "max_cqe 1048576"},
		"vector":             {CQExAttr{CQAttr: CQAttr{CQE: 1, CompVector: -1}}, syscall.EINVAL, "CompVector -1"},
		"field of tomorrow":  {CQExAttr{CQAttr: CQAttr{CQE: 1}, Fields: 1 << 12}, syscall.EOPNOTSUPP, "0x1000"},
		"field it lacks":     {CQExAttr{CQAttr: CQAttr{CQE: 1}, Fields: ibv.IBV_WC_EX_WITH_CVLAN}, syscall.EOPNOTSUPP, "IBV_WC_EX_WITH_CVLAN"},
		"channel of another": {CQExAttr{CQAttr: CQAttr{CQE: 1, Channel: channel}}, syscall.EINVAL, "another context"},
	} {
		q, err := c.CreateCQEx(f.attr)
		if q != nil {
			t.Errorf("%s: made", name)
		}
		wantError(t, err, "ibv_create_cq_ex", "softdev0", f.errno, f.text)
		if errors.Is(err, ErrNotSupported) != (f.errno == syscall.EOPNOTSUPP) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d.Objects() != before {
		t.Errorf("left: %v", d.Objects())
	}
	_, err := (*Context)(nil).CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: 1}})
	wantClosed(t, err)
}

// Nil, zero and closed queues answer, and change nothing.
func TestExtendedNilZeroClosed(t *testing.T) {
	_, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	closed := must(c.CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: 1, Channel: channel}}))
	ok(t, closed.Close())
	for _, q := range []*CQEx{nil, {}, closed} {
		wc := make([]WCEx, 1)
		_, poll := q.Poll(wc)
		_, none := q.Poll(nil)
		_, wait := q.Wait(t.Context(), wc)
		_, solicited := q.WaitSolicited(forever, wc)
		steps := 0
		for _, err := range q.All(t.Context()) {
			steps++
			wantClosed(t, err)
		}
		for _, err := range []error{poll, none, wait, solicited} {
			wantClosed(t, err)
		}
		if steps != 1 || q.Raw() != nil || q.Close() != nil || q.CQ().Raw() != nil || q.String() != q.CQ().String() {
			t.Errorf("%v: %d steps", q, steps)
		}
	}
	if closed.Fields() != ibv.IBV_WC_EX_WITH_QP_NUM || (*CQEx)(nil).Fields() != 0 {
		t.Error("fields")
	}
	pd := closing(t, must(c.AllocPD()))
	_, err := pd.CreateQP(QPAttr{SendCQ: closed.CQ(), RecvCQ: closed.CQ(), MaxSendWR: 1})
	wantClosed(t, err)
}

// Those that wait wake for a completion, for their ctx and for Close.
func TestExtendedWait(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	q := must(c.CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: 64, Channel: channel}}))
	wc := make([]WCEx, 4)
	type result struct {
		n   int
		err error
	}
	parks := func(ctx context.Context, wait func(context.Context, []WCEx) (int, error)) chan result {
		armed := calls(t, d, "req_notify_cq")
		r := make(chan result, 1)
		go func() {
			n, err := wait(ctx, wc)
			r <- result{n, err}
		}()
		eventually(t, "waiting", func() bool { return calls(t, d, "req_notify_cq") > armed })
		return r
	}
	wants := func(r chan result, n int, err error) {
		t.Helper()
		soon(t, "waiting", func() {
			if got := <-r; got.n != n || !errors.Is(got.err, err) {
				t.Errorf("%d, %v; want %d, %v", got.n, got.err, n, err)
			}
		})
	}
	r := parks(t.Context(), q.Wait)
	push(t, d, q.cq, 1)
	wants(r, 1, nil)
	r = parks(t.Context(), q.WaitSolicited)
	push(t, d, q.cq, 2) // wakes nobody
	ok(t, d.Complete(q.cq.raw, &ibv.WC{WRID: 3}, true))
	soon(t, "waiting", func() {
		if got := <-r; got.n == 0 || got.err != nil { // the first may have come before it was parked
			t.Errorf("%d, %v", got.n, got.err)
		}
	})
	for n := 1; n > 0; {
		n = must(q.Poll(wc))
	}
	ctx, cancel := context.WithCancel(t.Context())
	r = parks(ctx, q.Wait)
	cancel()
	wants(r, 0, context.Canceled)
	if n, err := q.Wait(t.Context(), nil); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Error(n, err)
	}
	plain := testCQEx(t, c, CQExAttr{})
	if n, err := plain.Wait(t.Context(), wc); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Error(n, err)
	}
	r = parks(forever, q.Wait)
	ok(t, q.Close())
	wants(r, 0, ErrClosed)
}

// All yields everything in order, and leaving the loop loses nothing.
func TestExtendedAll(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	q := must(c.CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: 512, Channel: channel}}))
	for i := range uint64(200) {
		push(t, d, q.cq, i)
	}
	next := uint64(0)
	for wc, err := range q.All(forever) {
		ok(t, err)
		for i := range wc {
			if wc[i].WRID() != next {
				t.Fatalf("%d, want %d", wc[i].WRID(), next)
			}
			next++
		}
		if next >= 64 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for wc, err := range q.All(ctx) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
		next += uint64(len(wc))
		if next == 200 {
			cancel()
		}
	}
	cancel()
	if next != 200 {
		t.Errorf("%d came", next)
	}
	ok(t, q.Close())
	for _, err := range q.All(forever) {
		wantClosed(t, err)
	}
}

// Goroutines that wait and poll by either way at the same time get each completion once; Close ends them.
func TestExtendedPollersLoseNothing(t *testing.T) {
	d, c := testDevice(t)
	const total = 3000
	channel := closing(t, must(c.CreateCompChannel()))
	q := must(c.CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: total + 1, Channel: channel}}))
	var mu sync.Mutex
	seen, times := make(map[uint64]int), 0
	done := make(chan struct{})
	note := func(id uint64) {
		mu.Lock()
		defer mu.Unlock()
		seen[id]++
		if times++; times == total {
			close(done)
		}
	}
	extended := func(take func([]WCEx) (int, error)) func() error {
		wc := make([]WCEx, 5)
		return func() error {
			n, err := take(wc)
			for i := range wc[:n] {
				note(wc[i].WRID())
			}
			return err
		}
	}
	var wg sync.WaitGroup
	for _, take := range []func() error{
		extended(q.Poll), extended(q.Poll), extended(func(wc []WCEx) (int, error) { return q.Wait(t.Context(), wc) }),
		func() error {
			wc := make([]ibv.WC, 3)
			n, err := q.CQ().Poll(wc)
			for i := range wc[:n] {
				note(wc[i].WRID)
			}
			return err
		},
	} {
		wg.Go(func() {
			for {
				if err := take(); errors.Is(err, ErrClosed) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range uint64(total) {
		push(t, d, q.cq, i)
	}
	soon(t, "polling", func() { <-done })
	ok(t, q.Close())
	soon(t, "the pollers", wg.Wait)
	for id, n := range seen {
		if n != 1 {
			t.Errorf("completion %d was seen %d times", id, n)
		}
	}
}

// Send queues learn from extended polls what has ended, as from others, whether the CQ is theirs alone or not.
func TestExtendedPollFreesPlaces(t *testing.T) {
	for name, shared := range map[string]bool{"alone": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
			q := testCQEx(t, c, CQExAttr{})
			pd := closing(t, must(c.AllocPD()))
			p := &pair{d: d, c: c, pd: pd, mra: closing(t, must(pd.AllocMR(64, pairAccess))), mrb: closing(t, must(pd.AllocMR(64, pairAccess)))}
			attr := QPAttr{SendCQ: q.CQ(), MaxSendWR: 4, MaxRecvWR: 4}
			p.a = p.qp(t, attr)
			if !shared {
				attr.SendCQ = nil
			}
			p.b = p.qp(t, attr)
			p.connect(t, ConnectAttr{})
			write := SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 8), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey(), Flags: signaled}
			for round := range 3 {
				for range 4 {
					ok(t, p.a.Send(write))
				}
				if err := p.a.Send(write); !errors.Is(err, ErrQueueFull) {
					t.Fatalf("round %d: %v, want ErrQueueFull", round, err)
				}
				if shared { // others' completions in between free nothing
					back := write
					back.SGList, back.RemoteAddr, back.RKey = sge(p.mrb, 0, 8), p.mra.Addr(), p.mra.RKey()
					ok(t, p.b.Send(back))
					ok(t, d.Complete(q.cq.raw, &ibv.WC{Opcode: ibv.IBV_WC_RECV, QPNum: p.a.Num()}, false))
				}
				wc := make([]WCEx, 3)
				if round == 1 { // by the longer way
					q.cq.turnstile.Shut()
				}
				if round == 2 { // twice in one call, since there may be news of an overrun
					q.cq.events.overrun.set()
					ok(t, d.Fail("start_poll", softdev.Fault{Errno: syscall.ENOENT}))
				}
				if n, err := q.Poll(wc); n != 3 || err != nil {
					t.Fatal(n, err)
				}
				if round == 1 {
					q.cq.turnstile.Open()
				}
				for range 3 {
					ok(t, p.a.Send(write))
				}
				if err := p.a.Send(write); !errors.Is(err, ErrQueueFull) {
					t.Fatalf("round %d: %v, want ErrQueueFull", round, err)
				}
				pollEx(t, q, map[bool]int{false: 4, true: 6}[shared])
				if p.a.sq.off {
					t.Fatalf("round %d: what is no send of the QP's has counted", round)
				}
			}
		})
	}
}

// A batch that fails on its way counts once.
func TestExtendedBatchThatFailsCountsOnce(t *testing.T) {
	d, c := testDevice(t)
	q := testCQEx(t, c, CQExAttr{})
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	p.a, p.b = p.qp(t, QPAttr{SendCQ: q.CQ(), MaxSendWR: 8}), p.qp(t, QPAttr{})
	p.connect(t, ConnectAttr{})
	room := int64(p.a.Cap().MaxSendWR)
	for range room {
		ok(t, p.a.Send(SendWR{Flags: signaled}))
	}
	ok(t, d.Fail("next_poll", softdev.Fault{Errno: syscall.EBUSY, Skip: 1}))
	if n, err := q.Poll(make([]WCEx, 8)); n != 2 || !errors.Is(err, syscall.EBUSY) {
		t.Fatal(n, err)
	}
	p.a.sq.refresh()
	if s := p.a.sq; s.left() != 2 || s.off {
		t.Errorf("%d places are left of %d; counting given up: %v", s.left(), room, s.off)
	}
	pollEx(t, q, int(room)-2)
}

// Closing an extended queue that is in use is refused; events about it name the ordinary handle.
func TestExtendedInUse(t *testing.T) {
	d, c := testDevice(t)
	q := testCQEx(t, c, CQExAttr{})
	pd := closing(t, must(c.AllocPD()))
	qp := closing(t, must(pd.CreateQP(QPAttr{SendCQ: q.CQ(), RecvCQ: q.CQ(), MaxSendWR: 1})))
	wantError(t, q.Close(), "ibv_destroy_cq", q.String(), syscall.EBUSY, qp.String())
	ok(t, d.RaiseCQ(q.cq.raw, ibv.IBV_EVENT_CQ_ERR))
	for e, err := range c.AsyncEvents(t.Context()) {
		ok(t, err)
		if e.CQ != q.CQ() {
			t.Errorf("%v is about %v", e, e.CQ)
		}
		break
	}
}

func TestExtendedPollDoesNotAllocate(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	for _, single := range []bool{false, true} {
		q := testCQEx(t, c, CQExAttr{CQAttr: CQAttr{CQE: 4096, Channel: channel}, Fields: everyField, SingleThreaded: single})
		w := fullWC()
		sum := uint64(0)
		if n := testing.AllocsPerRun(100, func() {
			var wc [4]WCEx
			for range 2 {
				_ = d.Complete(q.cq.raw, &w, false)
			}
			n, _ := q.Poll(wc[:])
			for i := range wc[:n] {
				b, _ := wc[i].ByteLen()
				ts, _ := wc[i].Timestamp()
				sum += uint64(b) + ts
			}
			_ = d.Complete(q.cq.raw, &w, false)
			_, _ = q.Wait(forever, wc[:])
			_, _ = q.Poll(wc[:])
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
