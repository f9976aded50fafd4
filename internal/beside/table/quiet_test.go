package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Runs that a busy machine has slowed down are left out, and where there are too few quiet ones that is said.
func TestQuiet(t *testing.T) {
	var in strings.Builder
	run := func(bench string, ns, pace float64) {
		fmt.Fprintf(&in, "Benchmark%s-2 100 %v ns/op 2 C-ns/op %v Go/C %v added-ns/op 34 cgo-ns/op %v pace-ns 0 allocs/op\n", bench, ns, ns/2, ns-2, pace)
	}
	for i, pace := range []float64{1000, 1099, 1101, 1500, 1100, 1050, 1600} {
		run("Poll/completions=0", 40+float64(i), pace)
	}
	for i, pace := range []float64{1500, 1700, 1000, 1600, 1300} {
		run("DirectPoll/completions=0", 5+float64(i), pace)
	}
	fmt.Fprintln(&in, "BenchmarkPollSpin-2 10 3 ns/op 2 C-ns/op 1.5 Go/C 1000 pace-ns\nBenchmarkPollSpin-2 10 5 ns/op 2 C-ns/op") // one has no pace
	// The times are those of neighbours: 1.2 in the median, though 9000 is 1.5 times 6000.
	for _, pair := range [][3]any{{6600, 6000, 1.1}, {9000, 7500, 1.2}, {7150, 5500, 1.3}, {13000, 5800, 2.24}, {12000, 12000, 1.0}} {
		fmt.Fprintf(&in, "BenchmarkWakeUp-2 10 %v ns/op 5000 C-ns/op 1.8 Go/C %v eventfd-ns/op %v Go/eventfd 0 allocs/op\n", pair[:]...)
	}
	r := reportOf(t, in.String())
	for i, want := range []Figure{
		{Go: 44, Added: 42, Runs: 7, Quiet: 4}, // of 40, 41, 44 and 45
		{Go: 7, Added: 5, Runs: 5, Quiet: 1},   // of 5, 7 and 9
		{Go: 5, Runs: 1, Quiet: 1},
		{Go: 9000, Runs: 5, Quiet: 5},
	} {
		if f := r.Figures[i]; f.Go != want.Go || f.Added != want.Added || f.Runs != want.Runs || f.Quiet != want.Quiet {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
	var b bytes.Buffer
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"C + 45        | met      |", "C + 3         | missed * |", "1.2 × eventfd | met      |", "\n11 of 18 runs were quiet", "takes 1.20 times as long", "1.1 times"} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "was. ", "was.\n"), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}
