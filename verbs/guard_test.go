package verbs

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Calls run side by side, and never beside what has the lock; the count is exact; nothing gets in after the last unlock.
func TestGuard(t *testing.T) {
	var g guard
	g.init()
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
	before := g.count()
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
