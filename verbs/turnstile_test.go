//go:build linux && cgo

package verbs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
	"github.com/goverbs/ibv/internal/cverbs"
)

// Whoever has locked a queue is alone with it, though polls come without a locked instruction and go without one; and what each of them has got is counted.
func TestPollsKeepOutOfALock(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	beside.Synthetic(q.raw, 3)
	defer beside.Genuine(q.raw)
	var got, polls atomic.Uint64
	var stop atomic.Bool
	var wg sync.WaitGroup
	before := q.count()
	for range 3 {
		wg.Go(func() {
			var wc [8]ibv.WC
			for !stop.Load() {
				n, err := q.Poll(wc[:])
				if err != nil {
					t.Error(err)
					return
				}
				got.Add(uint64(n))
				polls.Add(1)
			}
		})
	}
	// Until polls have come between: a lock that is never left alone would let none in.
	for i, end := 0, time.Now().Add(20*time.Second); i < 2000 || polls.Load() < 1000 && time.Now().Before(end); i++ {
		if !q.lock() {
			t.Fatal("closed")
		}
		at := q.count()
		for range 20 {
			if q.count() != at {
				t.Error("a poll beside the lock")
			}
		}
		q.unlock(false)
		runtime.Gosched()
	}
	stop.Store(true)
	wg.Wait()
	if n := (q.count() - before) & countMask; n != got.Load() || polls.Load() < 1000 {
		t.Errorf("counted %d of %d completions, after %d polls", n, got.Load(), polls.Load())
	}
}

// A lock shuts a queue's turnstile, so that polls wait by the word; unlock opens it again, and Close does not.
func TestLockShutsTheTurnstile(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	beside.Synthetic(q.raw, 1)
	var wc [4]ibv.WC
	turn := q.turnstile.Turn()
	q.lock()
	polled := make(chan error)
	go func() {
		n, err := q.Poll(wc[:])
		if n != 1 {
			t.Errorf("%d completions", n)
		}
		polled <- err
	}()
	select {
	case err := <-polled:
		t.Fatal("polled beside the lock: ", err)
	case <-time.After(10 * time.Millisecond): // for one that does not wait
	}
	before := q.count()
	q.unlock(false)
	ok(t, <-polled)
	if n := (q.count() - before) & countMask; n != 1 || q.turnstile.Turn() != turn+2 {
		t.Errorf("%d completions counted; turn %d after %d", n, q.turnstile.Turn(), turn)
	}
	beside.Genuine(q.raw)
	ok(t, q.Close())
	p := cverbs.PollWithin{Turnstile: q.turnstile, Turn: turn + 2, WC: &wc[0], Entries: 1}
	if n := p.Call(); n != 0 || !p.Shut() {
		t.Errorf("after Close: %d, %v", n, p)
	}
}

// A lock waits for a poll that is under way, however long that takes.
func TestLockWaitsForAPoll(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	beside.Stays(q.raw)
	polled := make(chan error)
	go func() {
		var wc [4]ibv.WC
		_, err := q.Poll(wc[:])
		polled <- err
	}()
	eventually(t, "poll", func() bool { return beside.Inside() == 1 })
	locked := make(chan bool, 1)
	go func() { locked <- q.lock() }()
	select {
	case open := <-locked:
		t.Error("locked beside a poll")
		locked <- open
	case <-time.After(20 * time.Millisecond): // for one that does not wait
	}
	beside.Genuine(q.raw)
	ok(t, <-polled)
	if !<-locked {
		t.Error("closed")
	}
	q.unlock(false)
}

// Whoever shuts a turnstile is alone at once: a poll that is in, though nothing has yet made visible that it is, would count later. Without the
// kernel's fence it is seen within some thousand times on two processors.
func TestShutTurnstileAtTheVeryMoment(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	beside.Synthetic(q.raw, 1)
	defer beside.Genuine(q.raw)
	var stop atomic.Bool
	var polls atomic.Uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		var wc [1]ibv.WC
		for !stop.Load() {
			for range 50 { // without a locked instruction, which would make it visible
				n, _ := q.Poll(wc[:])
				polls.Store(polls.Load() + uint64(n))
			}
		}
	})
	g := q.turnstile
	end := time.Now().Add(2 * time.Second)
	for i := 0; time.Now().Before(end) && !t.Failed(); i++ {
		g.Shut()
		at := g.Count()
		for range 40 {
			if g.Count() != at {
				t.Errorf("a poll beside whoever has shut it, at attempt %d", i)
				break
			}
		}
		g.Open()
		for before, n := polls.Load(), 0; polls.Load() < before+3 && n < 100000; n++ {
			if n%1000 == 999 {
				runtime.Gosched() // there may be one processor only
			}
		}
	}
	stop.Store(true)
	wg.Wait()
}
