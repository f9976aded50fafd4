package main

import "slices"

// pace is the unit of how long a fixed loop took beside a run: longer if the core had something else to do, or ran slower.
const pace = "pace-ns"

// A run is quiet if the loop took at most so many times as long as beside the quietest run of all. So many of each benchmark are kept, if need be
// others too.
const (
	slowest = 1.1
	fewest  = 3
)

// A selection is how many runs of a benchmark there were, and how many of them were quiet.
type selection struct{ all, quiet int }

// quiet leaves out the runs that were slowed down by others, as happens to a virtual machine that shares its cores. Benchmarks without a pace are
// left as they are.
func (r results) quiet() map[string]selection {
	least := 0.0
	for _, metrics := range r {
		if p := metrics[pace]; len(p) > 0 && (least == 0 || slices.Min(p) < least) {
			least = slices.Min(p)
		}
	}
	selected := map[string]selection{}
	for name, metrics := range r {
		p := slices.Sorted(slices.Values(metrics[pace]))
		if len(p) == 0 {
			continue
		}
		limit := max(slowest*least, p[min(fewest, len(p))-1])
		keep(metrics, limit)
		n := len(p)
		for n > 0 && p[n-1] > slowest*least {
			n--
		}
		selected[name] = selection{len(p), n}
	}
	return selected
}

// keep keeps the values of runs with at most that pace, of metrics that each run has.
func keep(metrics map[string][]float64, limit float64) {
	p := metrics[pace]
	for unit, values := range metrics {
		if len(values) != len(p) {
			continue
		}
		var kept []float64
		for i, v := range values {
			if p[i] <= limit {
				kept = append(kept, v)
			}
		}
		metrics[unit] = kept
	}
}
