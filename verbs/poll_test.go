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

// ibv_poll_cq(3) takes at most so many, those that were there first first, and takes them out.
func TestPollTakesAtMostSoManyInOrderAndNoneTwice(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	push(t, d, q, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	wc := make([]ibv.WC, 4)
	for _, want := range [][]uint64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}, {}} {
		n, err := q.Poll(wc)
		if err != nil || !slices.Equal(ids(wc[:n]), want) {
			t.Errorf("%v, %v, want %v", ids(wc[:n]), err, want)
		}
	}
}

func TestPollReturnsFewerWithoutWaiting(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	soon(t, "a poll of an empty queue", func() {
		if n, err := q.Poll(make([]ibv.WC, 8)); n != 0 || err != nil {
			t.Error(n, err)
		}
	})
	push(t, d, q, 7)
	if n, err := q.Poll(make([]ibv.WC, 8)); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// cxgb4 answers 1 to a poll of zero entries.
func TestPollOfNothingCallsNothing(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	push(t, d, q, 7)
	before := calls(t, d, "poll_cq")
	for _, wc := range [][]ibv.WC{nil, {}} {
		if n, err := q.Poll(wc); n != 0 || err != nil {
			t.Error(n, err)
		}
		if n, err := q.PollSpin(wc, time.Hour); n != 0 || err != nil {
			t.Error(n, err)
		}
	}
	if n := calls(t, d, "poll_cq") - before; n != 0 {
		t.Errorf("%d calls", n)
	}
}

// A batch is one call of the verb, however many completions it has.
func TestPollIsOneCall(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	push(t, d, q, make([]uint64, 50)...)
	before := calls(t, d, "poll_cq")
	if n, err := q.Poll(make([]ibv.WC, 64)); n != 50 || err != nil {
		t.Error(n, err)
	}
	if n := calls(t, d, "poll_cq") - before; n != 1 {
		t.Errorf("%d calls for one batch", n)
	}
}

// More entries than C's int has numbers for.
func TestPollOversize(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
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
	if n, err := q.Poll(wc); err != nil || !slices.Equal(ids(wc[:n]), []uint64{1, 2, 3}) {
		t.Error(n, err)
	}
	push(t, d, q, 4)
	if n, err := q.PollSpin(wc, 0); err != nil || !slices.Equal(ids(wc[:n]), []uint64{4}) {
		t.Error(n, err)
	}
}

// A negative result is an error, whichever number it is, and says what it may mean: mlx5 and others forget completions then.
func TestPollNegative(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	wc := make([]ibv.WC, 16)
	for value, errno := range map[int]syscall.Errno{-22: syscall.EINVAL, -12: syscall.ENOMEM, -1: 0, math.MinInt32: 0} {
		for name, poll := range map[string]func() (int, error){
			"Poll":     func() (int, error) { return q.Poll(wc) },
			"PollSpin": func() (int, error) { return q.PollSpin(wc, 0) },
		} {
			if err := d.Fail("poll_cq", softdev.Fault{Value: value}); err != nil {
				t.Fatal(err)
			}
			n, err := poll()
			if n != 0 {
				t.Errorf("%s: %d completions beside %v", name, n, err)
			}
			wantError(t, err, "ibv_poll_cq", q.name, errno, "completions may have been lost")
		}
	}
	push(t, d, q, 5)
	if n, err := q.Poll(wc); n != 1 || err != nil {
		t.Errorf("afterwards %d, %v", n, err)
	}
}

func TestPollMoreThanAskedIsAnError(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	for _, value := range []int{17, 5000} {
		d.Fail("poll_cq", softdev.Fault{Value: value})
		n, err := q.Poll(make([]ibv.WC, 16))
		var e *Error
		if n != 0 || !errors.As(err, &e) || e.Verb != "ibv_poll_cq" || e.Object != q.name {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// Completions arrive as the device made them: each status, opcode and flag, and those that nobody knows.
func TestPollPassesEveryValue(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
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
	n, err := q.Poll(got)
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

// Immediate data is four bytes in network order, swapped once and no more.
func TestImmediateDataIsInHostOrder(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 4, false)
	wire := [4]byte{0x01, 0x02, 0x03, 0x04}
	sent := ibv.WC{Opcode: ibv.IBV_WC_RECV, WCFlags: ibv.IBV_WC_WITH_IMM}
	*(*[4]byte)(unsafe.Add(unsafe.Pointer(&sent), 24)) = wire // offset of imm_data in C
	if err := d.Complete(q.raw, &sent, false); err != nil {
		t.Fatal(err)
	}
	wc := make([]ibv.WC, 1)
	if n, err := q.Poll(wc); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if imm, ok := wc[0].ImmData(); !ok || imm != 0x01020304 {
		t.Errorf("%#x, %v", imm, ok)
	}
}

// A full queue loses the completion: what is there comes first, then the error, for good.
func TestOverrun(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	q := testCQ(t, c, 4, true)
	push(t, d, q, 1, 2, 3, 4)
	if err := d.Complete(q.raw, &ibv.WC{WRID: 5}, false); !errors.Is(err, syscall.EOVERFLOW) {
		t.Fatalf("the queue takes a fifth completion: %v", err)
	}
	eventually(t, "news of the overrun", q.events.overrun.Load)
	wc := make([]ibv.WC, 3)
	for _, want := range [][]uint64{{1, 2, 3}, {4}} {
		if n, err := q.Poll(wc); err != nil || !slices.Equal(ids(wc[:n]), want) {
			t.Errorf("%v, %v, want %v", ids(wc[:n]), err, want)
		}
	}
	for range 3 {
		n, err := q.Poll(wc)
		if n != 0 || !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%d, %v", n, err)
		}
		wantError(t, err, "ibv_poll_cq", q.name, 0)
	}
	push(t, d, q, 6)
	before := calls(t, d, "poll_cq")
	for name, poll := range map[string]func() (int, error){
		"Poll":     func() (int, error) { return q.Poll(wc) },
		"PollSpin": func() (int, error) { return q.PollSpin(wc, 0) },
		"Wait":     func() (int, error) { return q.Wait(t.Context(), wc) },
	} {
		if n, err := poll(); n != 0 || !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%s after the overrun: %d, %v", name, n, err)
		}
	}
	if n := calls(t, d, "poll_cq") - before; n != 0 {
		t.Errorf("the device was asked %d times after the overrun", n)
	}
}

// What comes between polling and the news of the overrun is not lost.
func TestOverrunPollsOnceMore(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 4, false)
	if err := d.RaiseCQ(q.raw, ibv.IBV_EVENT_CQ_ERR); err != nil {
		t.Fatal(err)
	}
	eventually(t, "news of the overrun", q.events.overrun.Load)
	d.Fail("poll_cq", softdev.Fault{NoErrno: true}) // the first poll finds nothing, though there is something
	push(t, d, q, 1)
	wc := make([]ibv.WC, 2)
	if n, err := q.Poll(wc); n != 1 || err != nil || wc[0].WRID != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := q.Poll(wc); !errors.Is(err, ErrCQOverrun) {
		t.Error(err)
	}
}

func TestOverrunWakesWhoWaits(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 4, true)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if n, err := q.Wait(t.Context(), make([]ibv.WC, 1)); n != 0 || !errors.Is(err, ErrCQOverrun) {
				t.Errorf("%d, %v", n, err)
			}
		})
	}
	eventually(t, "waiting", func() bool { return waiting(q) == 3 })
	d.RaiseCQ(q.raw, ibv.IBV_EVENT_CQ_ERR)
	soon(t, "Wait", wg.Wait)
}

// Each completion goes to one of those that poll.
func TestSeveralPollers(t *testing.T) {
	d, c := testDevice(t)
	const total = 20000
	q := testCQ(t, c, total, false)
	var mu sync.Mutex
	seen := make(map[uint64]int)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			wc := make([]ibv.WC, 1+i*5)
			for done := false; !done; {
				poll := q.Poll
				if i == 3 {
					poll = func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, time.Microsecond) }
				}
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

func TestPollSpin(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	wc := make([]ibv.WC, 4)
	spin := func(budget time.Duration) (polls int, took time.Duration) {
		t.Helper()
		before, start := calls(t, d, "poll_cq"), time.Now()
		n, err := q.PollSpin(wc, budget)
		took = time.Since(start)
		if n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		return calls(t, d, "poll_cq") - before, took
	}
	if polls, _ := spin(-1); polls != 1 {
		t.Errorf("a negative budget polls %d times", polls)
	}
	if polls, took := spin(0); polls < 2 || took < DefaultSpin {
		t.Errorf("no budget polls %d times in %v", polls, took)
	}
	if _, took := spin(300 * time.Microsecond); took < 300*time.Microsecond {
		t.Errorf("300 µs end after %v", took)
	}
	if _, took := spin(time.Hour); took < MaxSpin || took > 5*time.Second {
		t.Errorf("an hour takes %v, want about %v", took, MaxSpin)
	}
	push(t, d, q, 1, 2)
	if n, err := q.PollSpin(wc, time.Hour); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		d.Complete(q.raw, &ibv.WC{WRID: 3}, false)
	}()
	eventually(t, "completion", func() bool {
		n, err := q.PollSpin(wc, MaxSpin)
		return n == 1 && err == nil && wc[0].WRID == 3
	})
}

func TestPollingMakesNoGarbage(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	d, c := testDevice(t)
	q := testCQ(t, c, 1<<14, false)
	wc := make([]ibv.WC, 16)
	for name, f := range map[string]func() (int, error){
		"Poll":     func() (int, error) { return q.Poll(wc) },
		"PollSpin": func() (int, error) { return q.PollSpin(wc, time.Microsecond) },
		"Poll of an own array": func() (int, error) {
			var own [4]ibv.WC
			return q.Poll(own[:])
		},
	} {
		push(t, d, q, make([]uint64, 1600)...)
		if n := testing.AllocsPerRun(500, func() {
			if _, err := f(); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
