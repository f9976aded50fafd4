//go:build linux && cgo

package verbs

import (
	"errors"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

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
