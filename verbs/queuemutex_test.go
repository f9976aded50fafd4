//go:build linux && cgo

package verbs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Nobody is in beside another, whoever waits.
func TestQueueMutex(t *testing.T) {
	var m queueMutex
	var inside atomic.Int32
	total := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 5000 {
				m.Lock()
				if inside.Add(1) != 1 {
					t.Error("two are in")
				}
				total++
				if i%100 == 0 {
					runtime.Gosched() // so that others have to wait
				}
				inside.Add(-1)
				m.Unlock()
			}
		})
	}
	wg.Wait()
	if total != 4*5000 || m.held.Load() != 0 || m.wanted.Load() != 0 {
		t.Errorf("%d times; held %d, wanted %d", total, m.held.Load(), m.wanted.Load())
	}
}

// Who has had it does not get it again before one who has waited long.
func TestQueueMutexLetsOthersIn(t *testing.T) {
	var m queueMutex
	for range 20 {
		m.Lock()
		var had atomic.Bool
		go func() {
			m.Lock()
			had.Store(true)
			m.Unlock()
		}()
		eventually(t, "somebody who has waited long", func() bool { return m.wanted.Load() != 0 })
		m.Unlock()
		m.Lock()
		if !had.Load() {
			t.Fatal("whoever has had it has it again first")
		}
		m.Unlock()
	}
}

// One who wants it now and then gets it from one who takes it again and again: never more often than so many times before.
func TestQueueMutexIsFair(t *testing.T) {
	var m queueMutex
	var stop atomic.Bool
	var times atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			m.Lock()
			times.Add(1)
			for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
			}
			m.Unlock()
		}
	})
	for range 50 {
		before := times.Load()
		m.Lock()
		if n := times.Load() - before; n > 20*patience {
			t.Errorf("the other has had it %d times before", n)
		}
		m.Unlock()
		time.Sleep(100 * time.Microsecond)
	}
	stop.Store(true)
	wg.Wait()
}
