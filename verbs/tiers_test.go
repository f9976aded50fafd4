//go:build linux && cgo

package verbs

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A pollFunc fills wc with completions, as CQ.Poll does.
type pollFunc func(wc []ibv.WC) (int, error)

// A tier is a way to poll a CQ. All have to do the same: what every device can show of that is in package kerneltest, and what takes a device that does as it is
// told here.
type tier struct {
	name string
	does feature
	verb string // that it asks the device by
	// open makes a queue and the way to poll it. Both last until the test ends.
	open func(t testing.TB, c *Context, cqe int) (*CQ, pollFunc)
}

// A feature is something that a tier does, and that some cases are about.
type feature int

const (
	asks   feature = 1 << iota // each call asks the device, so that what that answers comes back at once
	once                       // it does so a single time
	counts                     // by ibv_poll_cq, whose result may be any number
	fills                      // the caller's array itself is what the device fills
)

var tiers = []tier{
	{"Poll", asks | once | counts | fills, "poll_cq", by(func(t testing.TB, q *CQ) pollFunc { return q.Poll })},
	{"PollSpin", asks | counts | fills, "poll_cq", by(func(t testing.TB, q *CQ) pollFunc {
		return func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, 0) }
	})},
	{"PollSpin once", asks | once | counts | fills, "poll_cq", by(func(t testing.TB, q *CQ) pollFunc {
		return func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, -1) }
	})},
	{"direct", asks | once | counts | fills, "poll_cq", by(func(t testing.TB, q *CQ) pollFunc { return testDirectCQ(t, q, DirectAttr{}).Poll })},
	{"direct, checked", asks | once | counts | fills, "poll_cq", by(func(t testing.TB, q *CQ) pollFunc {
		return testDirectCQ(t, q, DirectAttr{Check: true}).Poll
	})},
	{"direct, off", asks | once | counts | fills, "poll_cq", by(func(t testing.TB, q *CQ) pollFunc {
		return closing(t, must(q.Direct(DirectAttr{Off: true}))).Poll
	})},
	// Its batch ends with an errno value, so that there are no strange numbers of completions. How it fails is in TestExtendedBatchFailsOnItsWay and others.
	{"extended", asks | once, "start_poll", openExtendedTier(false)},
	{"extended, single", asks | once, "start_poll", openExtendedTier(true)},
	// Its thread asks the device, when it likes. What that sees, failures and overruns among them, is in the tests of rings.
	{"ring", 0, "", func(t testing.TB, c *Context, cqe int) (*CQ, pollFunc) {
		r, cqs := testRing(t, c, RingAttr{Entries: 4096}, cqe)
		return cqs[0], ringPoll(r)
	}},
}

// by is a way to poll an ordinary queue.
func by(poll func(t testing.TB, q *CQ) pollFunc) func(testing.TB, *Context, int) (*CQ, pollFunc) {
	return func(t testing.TB, c *Context, cqe int) (*CQ, pollFunc) {
		q := testCQ(t, c, cqe, true)
		return q, poll(t, q)
	}
}

func openExtendedTier(single bool) func(testing.TB, *Context, int) (*CQ, pollFunc) {
	return func(t testing.TB, c *Context, cqe int) (*CQ, pollFunc) {
		channel := closing(t, must(c.CreateCompChannel()))
		q := testCQEx(t, c, CQExAttr{CQAttr: CQAttr{CQE: cqe, Channel: channel}, Fields: everyField, SingleThreaded: single})
		return q.CQ(), extendedPoll(q)
	}
}

// extendedPoll is CQ.Poll of an extended queue, for tests of what all ways to poll have in common: it tells what the completions tell. Those have no
// pkey_index.
func extendedPoll(q *CQEx) pollFunc {
	batch := make([]WCEx, 256)
	return func(wc []ibv.WC) (int, error) {
		n, err := q.Poll(batch[:min(len(wc), len(batch))])
		for i := range n {
			wc[i] = told(&batch[i])
		}
		return n, err
	}
}

func told(w *WCEx) (wc ibv.WC) {
	wc.WRID, wc.Status = w.WRID(), w.Status()
	wc.QPNum, _ = w.QPNum()
	if err := w.Err(); err != nil {
		wc.VendorErr = err.(*ibv.CompletionError).VendorErr
	}
	wc.Opcode, _ = w.Opcode()
	wc.WCFlags, _ = w.Flags()
	wc.ByteLen, _ = w.ByteLen()
	wc.SrcQP, _ = w.SrcQP()
	slid, _ := w.SLID()
	wc.SLID = uint16(slid)
	wc.SL, _ = w.SL()
	wc.DLIDPathBits, _ = w.DLIDPathBits()
	if imm, ok := w.ImmData(); ok {
		wc.SetRawImmData(ibv.ToBe32(imm))
	}
	if key, ok := w.InvalidatedRKey(); ok {
		wc.SetRawInvalidatedRKey(key)
	}
	return wc
}

// What every tier does that does what a case is about.
var tierCases = []struct {
	name   string
	needs  feature
	config softdev.Config
	run    func(t *testing.T, p *polled)
}{
	{name: "of no entries", needs: asks, run: tierNothing},
	{name: "one call for a batch", needs: asks | once, run: tierOneCall},
	{name: "more entries than C's int has numbers for", needs: fills, run: tierOversize},
	{name: "a negative result", needs: counts, run: tierNegative},
	{name: "more than asked for", needs: counts, run: tierTooMany},
	{name: "every value", run: tierValues},
	{name: "after an overrun", needs: asks, config: softdev.Config{Exact: true}, run: tierOverrun},
	{name: "once more after an overrun", needs: asks | once, run: tierOverrunOnceMore},
	{name: "no garbage", run: tierGarbage},
}

// A polled is a queue, and how it is polled.
type polled struct {
	tier
	d    *softdev.Device
	q    *CQ
	poll pollFunc
}

func TestTiers(t *testing.T) {
	for _, way := range tiers {
		for _, c := range tierCases {
			if c.needs&^way.does != 0 {
				continue
			}
			t.Run(way.name+"/"+c.name, func(t *testing.T) {
				d, ctx := testDeviceWith(t, c.config, OpenAttr{})
				cqe := 4096
				if c.config.Exact {
					cqe = 4
				}
				q, poll := way.open(t, ctx, cqe)
				c.run(t, &polled{way, d, q, poll})
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

// cxgb4 answers 1 to a poll of zero entries.
func tierNothing(t *testing.T, p *polled) {
	push(t, p.d, p.q, 7)
	before := calls(t, p.d, p.verb)
	wantIDs(t, p.poll, nil)
	wantIDs(t, p.poll, []ibv.WC{})
	if n := calls(t, p.d, p.verb) - before; n != 0 {
		t.Errorf("%d calls", n)
	}
	wantIDs(t, p.poll, make([]ibv.WC, 2), 7)
}

func tierOneCall(t *testing.T, p *polled) {
	push(t, p.d, p.q, make([]uint64, 50)...)
	before := calls(t, p.d, p.verb)
	if n, err := p.poll(make([]ibv.WC, 64)); n != 50 || err != nil {
		t.Error(n, err)
	}
	if n := calls(t, p.d, p.verb) - before; n != 1 {
		t.Errorf("%d calls for one batch", n)
	}
}

func tierOversize(t *testing.T, p *polled) {
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
	push(t, p.d, p.q, 1, 2, 3)
	for _, size := range []int{n, math.MaxInt32, math.MaxInt32 + 1} {
		wantIDs(t, p.poll, wc[:size], 1, 2, 3)
		push(t, p.d, p.q, 1, 2, 3)
	}
}

// A negative result is an error, whichever number it is, and says what it may mean: mlx5 and others forget completions then.
func tierNegative(t *testing.T, p *polled) {
	wc := make([]ibv.WC, 16)
	for value, errno := range map[int]syscall.Errno{-22: syscall.EINVAL, -12: syscall.ENOMEM, -1: 0, math.MinInt32: 0} {
		if err := p.d.Fail("poll_cq", softdev.Fault{Value: value}); err != nil {
			t.Fatal(err)
		}
		n, err := p.poll(wc)
		if n != 0 {
			t.Errorf("%d completions beside %v", n, err)
		}
		wantError(t, err, "ibv_poll_cq", p.q.name, errno, "completions may have been lost")
	}
	push(t, p.d, p.q, 5)
	wantIDs(t, p.poll, wc, 5)
}

func tierTooMany(t *testing.T, p *polled) {
	for _, value := range []int{17, 5000, math.MaxInt32} {
		p.d.Fail("poll_cq", softdev.Fault{Value: value})
		n, err := p.poll(make([]ibv.WC, 16))
		var e *Error
		if n != 0 || !errors.As(err, &e) || e.Verb != "ibv_poll_cq" || e.Object != p.q.name {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// Completions arrive as the device made them: each status, opcode and flag, and those that nobody knows.
func tierValues(t *testing.T, p *polled) {
	var sent []ibv.WC
	for status := range ibv.WCStatus(24) { // IBV_WC_SUCCESS to IBV_WC_TM_RNDV_INCOMPLETE
		wc := ibv.WC{WRID: 100 + uint64(status), Status: status, QPNum: 0xabcdef}
		if status != ibv.IBV_WC_SUCCESS {
			wc.VendorErr = 0x51
		}
		sent = append(sent, wc)
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
		if err := p.d.Complete(p.q.raw, &sent[i], false); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]ibv.WC, 64)
	n, err := p.poll(got)
	if err != nil || n != len(sent) {
		t.Fatal(n, err)
	}
	for i := range sent {
		if p.verb == "start_poll" {
			sent[i].PKeyIndex = 0
		}
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
func tierOverrun(t *testing.T, p *polled) {
	push(t, p.d, p.q, 1, 2, 3, 4)
	if err := p.d.Complete(p.q.raw, &ibv.WC{WRID: 5}, false); !errors.Is(err, syscall.EOVERFLOW) {
		t.Fatalf("the queue takes a fifth completion: %v", err)
	}
	eventually(t, "news of the overrun", p.q.events.overrun.Load)
	wc := make([]ibv.WC, 3)
	wantIDs(t, p.poll, wc, 1, 2, 3)
	wantIDs(t, p.poll, wc, 4)
	for range 3 {
		n, err := p.poll(wc)
		if n != 0 || !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%d, %v", n, err)
		}
		wantError(t, err, "ibv_"+p.verb, p.q.name, 0)
	}
	push(t, p.d, p.q, 6)
	before := calls(t, p.d, p.verb)
	for name, poll := range map[string]pollFunc{
		"the same": p.poll,
		"Poll":     p.q.Poll,
		"PollSpin": func(wc []ibv.WC) (int, error) { return p.q.PollSpin(wc, 0) },
		"Wait":     func(wc []ibv.WC) (int, error) { return p.q.Wait(t.Context(), wc) },
	} {
		if n, err := poll(wc); n != 0 || !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%s after the overrun: %d, %v", name, n, err)
		}
	}
	if n := calls(t, p.d, p.verb) - before; n != 0 {
		t.Errorf("the device was asked %d times after the overrun", n)
	}
}

// What comes between polling and the news of the overrun is not lost.
func tierOverrunOnceMore(t *testing.T, p *polled) {
	if err := p.d.RaiseCQ(p.q.raw, ibv.IBV_EVENT_CQ_ERR); err != nil {
		t.Fatal(err)
	}
	eventually(t, "news of the overrun", p.q.events.overrun.Load)
	nothing := softdev.Fault{NoErrno: true} // the first poll finds nothing, though there is something
	if p.verb == "start_poll" {
		nothing = softdev.Fault{Errno: syscall.ENOENT}
	}
	ok(t, p.d.Fail(p.verb, nothing))
	push(t, p.d, p.q, 1)
	wc := make([]ibv.WC, 2)
	wantIDs(t, p.poll, wc, 1)
	if _, err := p.poll(wc); !errors.Is(err, ErrCQOverrun) {
		t.Error(err)
	}
}

func tierGarbage(t *testing.T, p *polled) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	for _, pushed := range []int{0, 40} {
		push(t, p.d, p.q, make([]uint64, pushed)...)
		wc := make([]ibv.WC, 1)
		if n := testing.AllocsPerRun(30, func() {
			if _, err := p.poll(wc); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations, with %d completions", n, pushed)
		}
	}
}
