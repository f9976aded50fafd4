//go:build linux && cgo

package beside

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// A Loop makes n calls and returns how long that took.
type Loop func(n int) time.Duration

// chunk is how many calls are timed at once: few enough for the machine's speed to be the same for both loops most of the time.
const chunk = 2000

// Compare runs a loop in C, one in Go, and empty calls through cgo in turns, and reports the medians: nanoseconds of a call in Go as ns/op, in C,
// what Go adds, the median of the differences between neighbours, what an empty call takes on this machine at the moment, and a fixed loop as pace-ns.
func Compare(b *testing.B, inC, inGo, empty Loop) {
	b.Helper()
	inC(chunk) // warms up
	inGo(chunk)
	var c, g, added, e, p []float64
	for done := 0; done < b.N || len(c) < 5; done += chunk {
		p = append(p, pace())
		c = append(c, float64(inC(chunk))/chunk)
		g = append(g, float64(inGo(chunk))/chunk)
		e = append(e, float64(empty(chunk))/chunk)
		added = append(added, g[len(g)-1]-c[len(c)-1])
	}
	b.ReportMetric(median(g), "ns/op")
	b.ReportMetric(median(c), "C-ns/op")
	b.ReportMetric(median(added), "added-ns/op")
	b.ReportMetric(median(e), "cgo-ns/op")
	b.ReportMetric(median(p), "pace-ns")
	b.ReportMetric(median(g)/median(c), "Go/C")
}

// A Sleeper is woken len(took) times, and tells how long each took.
type Sleeper func(took []time.Duration)

// CompareWakes has two of Go's sleepers and one in C be woken in turns, and reports the medians of all times they were: the first one's as
// ns/op, a bare file's of Go's as eventfd-ns/op. Medians, since the few that find the machine busy take as long as all others together.
func CompareWakes(b *testing.B, inC, inGo, bare Sleeper) {
	b.Helper()
	const round = 100
	rounds := max(b.N/round, 5)
	var all [3][]time.Duration
	for i := range all {
		all[i] = make([]time.Duration, rounds*round)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for at := 0; at < rounds*round; at += round {
		for i, sleep := range []Sleeper{inC, inGo, bare} {
			sleep(all[i][at : at+round])
		}
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	// Of all that so many wake-ups do, which may be many more than b.N; whole ones, as elsewhere.
	b.ReportMetric(float64((after.Mallocs-before.Mallocs)/uint64(rounds*round)), "allocs/op")
	var m [3]float64
	for i := range all {
		slices.Sort(all[i])
		m[i] = float64(all[i][len(all[i])/2])
	}
	b.ReportMetric(m[1], "ns/op")
	b.ReportMetric(m[0], "C-ns/op")
	b.ReportMetric(m[1]/m[0], "Go/C")
	b.ReportMetric(m[2], "eventfd-ns/op")
	b.ReportMetric(m[1]/m[2], "Go/eventfd")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
