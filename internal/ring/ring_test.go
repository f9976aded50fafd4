package ring

import (
	"runtime"
	"sync"
	"testing"

	"github.com/goverbs/ibv"
)

// put puts completions in as a producer does, and returns how many there was room for.
func (r *Ring) put(wrids ...uint64) int {
	tail := r.shared.tail.Load()
	for i, id := range wrids {
		if tail-r.shared.head.Load() == uint64(len(r.entries)) {
			return i
		}
		r.entries[tail&r.shared.mask] = ibv.WC{WRID: id, QPNum: uint32(id)}
		tail++
		r.shared.tail.Store(tail)
	}
	return len(wrids)
}

func TestBatches(t *testing.T) {
	r := New(4)
	want := func(wrids ...uint64) {
		t.Helper()
		wc := r.Next()
		if len(wc) != len(wrids) || cap(wc) != len(wc) {
			t.Fatalf("%d completions of %d, want %v", len(wc), cap(wc), wrids)
		}
		for i := range wc {
			if wc[i].WRID != wrids[i] {
				t.Errorf("number %d, want %d", wc[i].WRID, wrids[i])
			}
		}
	}
	quiet := func(want bool) {
		t.Helper()
		if r.Quiet() != want {
			t.Errorf("quiet: %v", !want)
		}
	}
	quiet(true)
	want()
	if n := r.put(0, 1, 2, 3, 4); n != 4 {
		t.Errorf("room for %d", n)
	}
	quiet(false)
	want(0, 1, 2, 3)
	quiet(false) // the batch is out
	if n := r.put(4); n != 0 {
		t.Error("a batch that is out is written to")
	}
	r.Release()
	r.Release()
	quiet(true)
	if n := r.put(4, 5); n != 2 {
		t.Errorf("room for %d", n)
	}
	want(4, 5)
	r.put(6, 7) // to the end
	want(6, 7)
	if n := r.put(8, 9, 10); n != 2 {
		t.Errorf("room for %d", n)
	}
	want(8, 9)
	r.Release()
	if n := r.put(10, 11, 12); n != 3 {
		t.Errorf("room for %d", n)
	}
	want(10, 11) // and not beyond the end
	want(12)
	want()
	quiet(true)
	if r.Taken() != 13 || r.Produced() != 13 {
		t.Error(r.Taken(), r.Produced())
	}
}

// News and sleeping: whoever tells of something wakes a consumer that sleeps, once.
func TestNews(t *testing.T) {
	r := New(1)
	if r.Tell() || r.Quiet() || !r.Unheard(r.News()) {
		t.Error("news that nobody hears")
	}
	if r.Doze() {
		t.Error("sleeps over news")
	}
	r.Heard(r.News())
	if !r.Quiet() || r.Unheard(r.News()) || !r.Doze() || r.shared.sleeping.Load() != 1 {
		t.Error("does not sleep")
	}
	if !r.Tell() || r.Tell() {
		t.Error("woken otherwise than once")
	}
	r.Heard(r.News())
	if r.put(1); r.Doze() || r.shared.sleeping.Load() != 0 {
		t.Error("sleeps over a completion")
	}
}

// Two goroutines, which the race detector watches: what the consumer reads was written before, and is written again only after.
func TestExchange(t *testing.T) {
	const n = 100000
	for _, entries := range []int{1, 8, 1024} {
		r := New(entries)
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := uint64(0); i < n; {
				k := r.put(i)
				i += uint64(k)
				if k == 0 {
					runtime.Gosched()
				}
			}
		})
		for next := uint64(0); next < n; {
			wc := r.Next()
			for i := range wc {
				if wc[i].WRID != next || wc[i].QPNum != uint32(next) {
					t.Fatalf("number %d is %+v", next, wc[i])
				}
				next++
			}
			if wc == nil {
				runtime.Gosched()
			}
		}
		wg.Wait()
	}
}

func TestNoGarbage(t *testing.T) {
	r := New(64)
	if n := testing.AllocsPerRun(100, func() {
		if r.put(1, 2, 3); len(r.Next()) == 0 || r.Quiet() {
			t.Error("nothing there")
		}
		r.Release()
		r.Next()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
