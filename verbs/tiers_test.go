//go:build linux && cgo

package verbs

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A pollFunc fills wc with completions, as CQ.Poll does.
type pollFunc func(wc []ibv.WC) (int, error)

// A tier is a way to poll a CQ. All have to do the same.
type tier struct {
	name string
	// asks: each call asks the device, so that what that answers comes back at once. once: it does so a single time.
	asks, once bool
	// poll makes the way to poll q. It lasts until the test ends; the queue may be closed before.
	poll func(t testing.TB, q *CQ) pollFunc
}

var tiers = []tier{
	{"Poll", true, true, func(t testing.TB, q *CQ) pollFunc { return q.Poll }},
	{"PollSpin", true, false, func(t testing.TB, q *CQ) pollFunc {
		return func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, 0) }
	}},
	{"PollSpin once", true, true, func(t testing.TB, q *CQ) pollFunc {
		return func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, -1) }
	}},
	{"direct", true, true, func(t testing.TB, q *CQ) pollFunc { return testDirectCQ(t, q, DirectAttr{}).Poll }},
	{"direct, checked", true, true, func(t testing.TB, q *CQ) pollFunc { return testDirectCQ(t, q, DirectAttr{Check: true}).Poll }},
	{"direct, off", true, true, func(t testing.TB, q *CQ) pollFunc { return closing(t, must(q.Direct(DirectAttr{Off: true}))).Poll }},
}

// What every tier does. Cases with asks or once are for those tiers that do so.
var tierCases = []struct {
	name       string
	asks, once bool
	config     softdev.Config
	run        func(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc)
}{
	{name: "at most so many, in order, and none twice", run: tierAtMost},
	{name: "fewer than asked for, without waiting", run: tierFewer},
	{name: "of no entries", run: tierNothing},
	{name: "one call for a batch", asks: true, once: true, run: tierOneCall},
	{name: "more entries than C's int has numbers for", run: tierOversize},
	{name: "a negative result", asks: true, run: tierNegative},
	{name: "more than asked for", asks: true, run: tierTooMany},
	{name: "every value", run: tierValues},
	{name: "an overrun", config: softdev.Config{Exact: true}, run: tierOverrun},
	{name: "once more after an overrun", asks: true, once: true, run: tierOverrunOnceMore},
	{name: "a closed queue", run: tierClosed},
	{name: "closed while it polls", run: tierClosing},
	{name: "beside others", run: tierBeside},
	{name: "no garbage", run: tierGarbage},
}

func TestTiers(t *testing.T) {
	for _, way := range tiers {
		for _, c := range tierCases {
			if c.asks && !way.asks || c.once && !way.once {
				continue
			}
			t.Run(way.name+"/"+c.name, func(t *testing.T) {
				d, ctx := testDeviceWith(t, c.config, OpenAttr{})
				cqe := 4096
				if c.config.Exact {
					cqe = 4
				}
				q := testCQ(t, ctx, cqe, true)
				c.run(t, d, q, way.poll(t, q))
			})
		}
	}
}

// wantIDs polls for the completions with these ids, and no others.
func wantIDs(t testing.TB, poll pollFunc, wc []ibv.WC, want ...uint64) {
	t.Helper()
	n, err := poll(wc)
	if err != nil || !slices.Equal(ids(wc[:n]), want) {
		t.Errorf("%v, %v, want %v", ids(wc[:n]), err, want)
	}
}

// ibv_poll_cq(3) takes at most so many, those that were there first first, and takes them out.
func tierAtMost(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	push(t, d, q, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	wc := make([]ibv.WC, 4)
	for _, want := range [][]uint64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}, {}} {
		wantIDs(t, poll, wc, want...)
	}
}

func tierFewer(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	wc := make([]ibv.WC, 8)
	soon(t, "a poll of an empty queue", func() { wantIDs(t, poll, wc) })
	push(t, d, q, 7)
	wantIDs(t, poll, wc, 7)
	wantIDs(t, poll, wc)
}

// cxgb4 answers 1 to a poll of zero entries.
func tierNothing(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	push(t, d, q, 7)
	before := calls(t, d, "poll_cq")
	wantIDs(t, poll, nil)
	wantIDs(t, poll, []ibv.WC{})
	if n := calls(t, d, "poll_cq") - before; n != 0 {
		t.Errorf("%d calls", n)
	}
	wantIDs(t, poll, make([]ibv.WC, 2), 7)
}

func tierOneCall(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	push(t, d, q, make([]uint64, 50)...)
	before := calls(t, d, "poll_cq")
	if n, err := poll(make([]ibv.WC, 64)); n != 50 || err != nil {
		t.Error(n, err)
	}
	if n := calls(t, d, "poll_cq") - before; n != 1 {
		t.Errorf("%d calls for one batch", n)
	}
}

func tierOversize(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	n := math.MaxInt32 + 5
	b, err := syscall.Mmap(-1, 0, n*int(unsafe.Sizeof(ibv.WC{})), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no address space for %d completions: %v", n, err)
	}
	defer syscall.Munmap(b)
	wc := unsafe.Slice((*ibv.WC)(unsafe.Pointer(&b[0])), n)
	if e := entries(wc); e != math.MaxInt32 {
		t.Errorf("asks for %d", e)
	}
	push(t, d, q, 1, 2, 3)
	for _, size := range []int{n, math.MaxInt32, math.MaxInt32 + 1} {
		wantIDs(t, poll, wc[:size], 1, 2, 3)
		push(t, d, q, 1, 2, 3)
	}
}

// A negative result is an error, whichever number it is, and says what it may mean: mlx5 and others forget completions then.
func tierNegative(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	wc := make([]ibv.WC, 16)
	for value, errno := range map[int]syscall.Errno{-22: syscall.EINVAL, -12: syscall.ENOMEM, -1: 0, math.MinInt32: 0} {
		if err := d.Fail("poll_cq", softdev.Fault{Value: value}); err != nil {
			t.Fatal(err)
		}
		n, err := poll(wc)
		if n != 0 {
			t.Errorf("%d completions beside %v", n, err)
		}
		wantError(t, err, "ibv_poll_cq", q.name, errno, "completions may have been lost")
	}
	push(t, d, q, 5)
	wantIDs(t, poll, wc, 5)
}

func tierTooMany(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	for _, value := range []int{17, 5000, math.MaxInt32} {
		d.Fail("poll_cq", softdev.Fault{Value: value})
		n, err := poll(make([]ibv.WC, 16))
		var e *Error
		if n != 0 || !errors.As(err, &e) || e.Verb != "ibv_poll_cq" || e.Object != q.name {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// Completions arrive as the device made them: each status, opcode and flag, and those that nobody knows.
func tierValues(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	var sent []ibv.WC
	for status := range ibv.WCStatus(24) { // IBV_WC_SUCCESS to IBV_WC_TM_RNDV_INCOMPLETE
		sent = append(sent, ibv.WC{WRID: 100 + uint64(status), Status: status, VendorErr: 0x51, QPNum: 0xabcdef})
	}
	sent = append(sent, ibv.WC{Status: 99})
	for _, opcode := range []ibv.WCOpcode{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 77} {
		sent = append(sent, ibv.WC{Opcode: opcode, ByteLen: 0xfffffffe})
	}
	for bit := range 8 {
		sent = append(sent, ibv.WC{WCFlags: 1 << bit})
	}
	sent = append(sent, ibv.WC{WCFlags: 0x80000000}, ibv.WC{
		WRID: math.MaxUint64, Opcode: ibv.IBV_WC_RECV, ByteLen: 1, QPNum: 2, SrcQP: 3, WCFlags: ibv.IBV_WC_GRH, PKeyIndex: 4, SLID: 5, SL: 6, DLIDPathBits: 7,
	})
	for i := range sent {
		if err := d.Complete(q.raw, &sent[i], false); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]ibv.WC, 64)
	n, err := poll(got)
	if err != nil || n != len(sent) {
		t.Fatal(n, err)
	}
	for i := range sent {
		if !reflect.DeepEqual(got[i], sent[i]) {
			t.Errorf("got %+v, want %+v", got[i], sent[i])
		}
		if failed := got[i].Err() != nil; failed != (sent[i].Status != 0) {
			t.Errorf("status %v: %v", sent[i].Status, got[i].Err())
		}
	}
	for status, name := range map[ibv.WCStatus]string{0: "IBV_WC_SUCCESS", 5: "IBV_WC_WR_FLUSH_ERR", 23: "IBV_WC_TM_RNDV_INCOMPLETE", 99: "WCStatus(99)"} {
		if status.String() != name {
			t.Errorf("%d is %v", status, status)
		}
	}
}

// A full queue loses the completion: what is there comes first, then the error, for good.
func tierOverrun(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	push(t, d, q, 1, 2, 3, 4)
	if err := d.Complete(q.raw, &ibv.WC{WRID: 5}, false); !errors.Is(err, syscall.EOVERFLOW) {
		t.Fatalf("the queue takes a fifth completion: %v", err)
	}
	eventually(t, "news of the overrun", q.events.overrun.Load)
	wc := make([]ibv.WC, 3)
	wantIDs(t, poll, wc, 1, 2, 3)
	wantIDs(t, poll, wc, 4)
	for range 3 {
		n, err := poll(wc)
		if n != 0 || !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%d, %v", n, err)
		}
		wantError(t, err, "ibv_poll_cq", q.name, 0)
	}
	push(t, d, q, 6)
	before := calls(t, d, "poll_cq")
	for name, poll := range map[string]pollFunc{
		"the same": poll,
		"Poll":     q.Poll,
		"PollSpin": func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, 0) },
		"Wait":     func(wc []ibv.WC) (int, error) { return q.Wait(t.Context(), wc) },
	} {
		if n, err := poll(wc); n != 0 || !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%s after the overrun: %d, %v", name, n, err)
		}
	}
	if n := calls(t, d, "poll_cq") - before; n != 0 {
		t.Errorf("the device was asked %d times after the overrun", n)
	}
}

// What comes between polling and the news of the overrun is not lost.
func tierOverrunOnceMore(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	if err := d.RaiseCQ(q.raw, ibv.IBV_EVENT_CQ_ERR); err != nil {
		t.Fatal(err)
	}
	eventually(t, "news of the overrun", q.events.overrun.Load)
	d.Fail("poll_cq", softdev.Fault{NoErrno: true}) // the first poll finds nothing, though there is something
	push(t, d, q, 1)
	wc := make([]ibv.WC, 2)
	wantIDs(t, poll, wc, 1)
	if _, err := poll(wc); !errors.Is(err, ErrCQOverrun) {
		t.Error(err)
	}
}

func tierClosed(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	wc := make([]ibv.WC, 2)
	wantIDs(t, poll, wc)
	ok(t, q.Close())
	for range 3 {
		n, err := poll(wc)
		if n != 0 {
			t.Errorf("%d completions of a closed queue", n)
		}
		wantClosed(t, err)
	}
}

// Closing waits for the poll that is under way, and the next one says so.
func tierClosing(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	polling, ended := make(chan struct{}), make(chan error)
	go func() {
		wc := make([]ibv.WC, 4)
		for i := 0; ; i++ {
			if n, err := poll(wc); n != 0 || err != nil {
				ended <- err
				return
			}
			if i == 1000 {
				close(polling)
			}
		}
	}()
	<-polling
	soon(t, "Close beside a poller", func() { ok(t, q.Close()) })
	soon(t, "the poller", func() { wantClosed(t, <-ended) })
}

// Each completion goes to one of those that poll, of which one is the tier's.
func tierBeside(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	const total = 4000
	var mu sync.Mutex
	seen := make(map[uint64]int)
	var wg sync.WaitGroup
	for i, poll := range []pollFunc{poll, q.Poll, q.Poll, func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, time.Microsecond) }} {
		wg.Go(func() {
			wc := make([]ibv.WC, 1+i*5)
			for done := false; !done; {
				n, err := poll(wc)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for j := range n {
					seen[wc[j].WRID]++
					if j > 0 && wc[j].WRID <= wc[j-1].WRID {
						t.Error("out of order")
					}
				}
				done = len(seen) == total
				mu.Unlock()
			}
		})
	}
	for i := range uint64(total) {
		push(t, d, q, i)
	}
	soon(t, "polling", wg.Wait)
	for id, n := range seen {
		if n != 1 {
			t.Errorf("completion %d was seen %d times", id, n)
		}
	}
}

func tierGarbage(t *testing.T, d *softdev.Device, q *CQ, poll pollFunc) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	for _, pushed := range []int{0, 40} {
		push(t, d, q, make([]uint64, pushed)...)
		wc := make([]ibv.WC, 1)
		if n := testing.AllocsPerRun(30, func() {
			if _, err := poll(wc); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations, with %d completions", n, pushed)
		}
	}
}
