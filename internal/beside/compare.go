package beside

import (
	"slices"
	"testing"
	"time"
)

// A Loop makes n calls and returns how long that took.
type Loop func(n int) time.Duration

// chunk is how many calls are timed at once: few enough for the machine's speed to be the same for both loops most of the time.
const chunk = 2000

// Compare runs a loop in C, one in Go, and empty calls through cgo in turns, and reports the medians: nanoseconds of a call in Go as ns/op, in C,
// what Go adds, the median of the differences between neighbours, and what an empty call takes on this machine at the moment.
func Compare(b *testing.B, inC, inGo, empty Loop) {
	b.Helper()
	inC(chunk) // warms up
	inGo(chunk)
	var c, g, added, e []float64
	for done := 0; done < b.N || len(c) < 5; done += chunk {
		c = append(c, float64(inC(chunk))/chunk)
		g = append(g, float64(inGo(chunk))/chunk)
		e = append(e, float64(empty(chunk))/chunk)
		added = append(added, g[len(g)-1]-c[len(c)-1])
	}
	b.ReportMetric(median(g), "ns/op")
	b.ReportMetric(median(c), "C-ns/op")
	b.ReportMetric(median(added), "added-ns/op")
	b.ReportMetric(median(e), "cgo-ns/op")
	b.ReportMetric(median(g)/median(c), "Go/C")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
