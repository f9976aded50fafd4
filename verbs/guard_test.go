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
