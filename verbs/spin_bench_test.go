//go:build linux && cgo

package verbs

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

// What a probe of PollSpin takes that finds nothing, beside a loop in C that only polls: one in a thousand finds something, and ends the call.
func BenchmarkPollSpin(b *testing.B) {
	const probes = 1000
	_, c := testDevice(b)
	q := testCQ(b, c, 64, false)
	beside.Rare(q.raw, probes)
	defer beside.Genuine(q.raw)
	wc := make([]ibv.WC, 1)
	total := uint64(0)
	b.ReportAllocs()
	beside.Compare(b, beside.Spins(q.raw, probes), func(n int) time.Duration {
		start := time.Now()
		for range n / probes {
			got, err := 0, error(nil)
			for got == 0 && err == nil { // again if the thread has lost its processor for so long
				got, err = q.PollSpin(wc, MaxSpin)
			}
			if err != nil {
				b.Fatal(err)
			}
			total += wc[0].WRID
		}
		return time.Since(start)
	}, beside.Empty)
}

// When PollSpin returns that finds nothing, while as many other goroutines as there are processors are busy: the budget, and what passes
// until it has returned.
func BenchmarkPollSpinUnderLoad(b *testing.B) {
	b.ReportAllocs()
	_, c := testDevice(b)
	q := testCQ(b, c, 64, false)
	defer load(runtime.GOMAXPROCS(0))()
	wc := make([]ibv.WC, 1)
	took := make([]float64, 0, 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for len(took) < cap(took) {
		start := time.Now()
		if n, err := q.PollSpin(wc, DefaultSpin); n != 0 || err != nil {
			b.Fatal(n, err)
		}
		took = append(took, float64(time.Since(start)))
	}
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ns/op")
	b.ReportMetric(took[len(took)*999/1000], "p99.9-ns")
	b.ReportMetric(float64(DefaultSpin), "budget-ns")
	// Of all that so many calls do; whole ones, as elsewhere, since the runtime makes one of its own now and then.
	b.ReportMetric(float64((after.Mallocs-before.Mallocs)/uint64(len(took))), "allocs/op")
}

// load keeps so many goroutines busy until the function that it returns is called.
func load(n int) (end func()) {
	var stop atomic.Bool
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for !stop.Load() {
			}
		})
	}
	return func() { stop.Store(true); all.Wait() }
}
