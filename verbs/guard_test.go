package verbs

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv/internal/cverbs"
)

// Calls run side by side, and never beside what has the lock; the count is exact; nothing gets in after the last unlock.
func TestGuard(t *testing.T) {
	var g guard
	g.init()
	before := g.count()
	var inside, counted atomic.Int64
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for g.enter() {
				inside.Add(1)
				counted.Add(int64(i))
				inside.Add(-1)
				g.leave(i)
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 500 {
				if !g.lock() {
					return
				}
				if n := inside.Load(); n != 0 {
					t.Errorf("%d calls beside the lock", n)
				}
				g.unlock(false)
			}
		})
	}
	for range 500 {
		g.lock()
		g.unlock(false)
	}
	if !g.lock() {
		t.Error("closed too early")
	}
	g.unlock(true)
	wg.Wait()
	if got := (g.count() - before) & countMask; got != uint64(counted.Load()) {
		t.Errorf("counted %d, want %d", got, counted.Load())
	}
	if g.enter() || g.lock() {
		t.Error("entered after the end")
	}
}

// A token that was left from an earlier time does not end the wait for calls that are still in.
func TestGuardWithAnOldToken(t *testing.T) {
	var g guard
	g.init()
	g.idle <- struct{}{}
	if !g.enter() {
		t.Fatal("it is closed")
	}
	var left atomic.Bool
	locked := make(chan bool)
	go func() {
		g.lock()
		locked <- left.Load()
	}()
	for g.word.Load()&guardLocked == 0 {
		runtime.Gosched()
	}
	time.Sleep(10 * time.Millisecond)
	left.Store(true)
	g.leave(0)
	select {
	case ok := <-locked:
		if !ok {
			t.Error("the lock got in beside a call")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the lock does not get in after the call")
	}
}

// Nothing is held while begin waits for what is locked: the objects before it can be locked meanwhile, itself among them if it comes twice.
func TestBeginHoldsNothingWhileItWaits(t *testing.T) {
	h := newHome("test", nil)
	a, b := newObject(h, "a"), newObject(h, "b")
	b.lock()
	begun := make(chan error)
	go func() { begun <- begin(cverbs.VerbCreateQP, a, b, a) }()
	time.Sleep(10 * time.Millisecond) // so that it waits, almost certainly
	locked := make(chan bool)
	go func() { locked <- a.lock() }()
	select {
	case <-locked:
	case <-time.After(5 * time.Second):
		t.Fatal("one object cannot be locked while a call waits for another")
	}
	b.unlock(false)
	time.Sleep(10 * time.Millisecond)
	if !b.lock() {
		t.Fatal("b is closed")
	}
	b.unlock(false)
	a.unlock(false)
	select {
	case err := <-begun:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the call does not begin")
	}
	if n, m := a.word.Load()&guardCalls, b.word.Load()&guardCalls; n != 2 || m != 1 {
		t.Errorf("entered %d and %d times", n, m)
	}
	end(a, b, a)
	b.lock()
	b.unlock(true)
	var e *Error
	if err := begin(cverbs.VerbCreateQP, a, b); !errors.Is(err, ErrClosed) || !errors.As(err, &e) || e.Object != "b" {
		t.Errorf("%v, want b to be closed", err)
	}
	if n := a.word.Load() & guardCalls; n != 0 {
		t.Errorf("%d calls are left", n)
	}
}

// Whoever has locked the object is alone with it, though calls of the kind that leaves without a locked instruction come and go; and each
// of them is counted.
func TestGuardSoloCallsKeepOutOfALock(t *testing.T) {
	g := new(guard)
	g.init()
	var within, solos, counted atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	before := g.count()
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				if was, ok := g.enterSolo(); ok {
					within.Add(1)
					solos.Add(1)
					within.Add(-1)
					g.leaveSolo(was, 3)
				} else if g.enter() {
					within.Add(1)
					within.Add(-1)
					g.leave(3)
				}
				counted.Add(3)
			}
		})
	}
	for i, end := 0, time.Now().Add(20*time.Second); i < 20000 || solos.Load() < 1000 && time.Now().Before(end); i++ {
		if !g.lock() {
			t.Fatal("closed")
		}
		for range 3 {
			if n := within.Load(); n != 0 {
				t.Errorf("%d calls beside the lock", n)
			}
		}
		g.unlock(false)
		runtime.Gosched()
	}
	stop.Store(true)
	wg.Wait()
	if got := (g.count() - before) & countMask; got != uint64(counted.Load()) || solos.Load() < 1000 {
		t.Errorf("counted %d, want %d; %d solo calls", got, counted.Load(), solos.Load())
	}
}

// A lock waits for the solo call that is in, and lets none in until it is gone.
func TestGuardLockWaitsForASoloCall(t *testing.T) {
	g := new(guard)
	g.init()
	was, ok := g.enterSolo()
	if !ok {
		t.Fatal("there is another call")
	}
	if _, second := g.enterSolo(); second {
		t.Fatal("there are two")
	}
	var left atomic.Bool
	locked := make(chan bool)
	go func() {
		g.lock()
		locked <- left.Load()
	}()
	for g.word.Load()&guardLocked == 0 {
		runtime.Gosched()
	}
	time.Sleep(5 * time.Millisecond) // for a lock that does not wait
	left.Store(true)
	g.leaveSolo(was, 7)
	if !<-locked {
		t.Error("locked beside a call")
	}
	if _, ok := g.enterSolo(); ok {
		t.Error("entered beside the lock")
	}
	g.unlock(false)
	was, ok = g.enterSolo()
	if !ok || g.count() != 7 {
		t.Errorf("entered %v, counted %d, want 7", ok, g.count())
	}
	g.leaveSolo(was, 0)
	g.lock()
	g.unlock(true)
	if _, ok := g.enterSolo(); ok {
		t.Error("entered after the end")
	}
}
