//go:build kernel

package kerneltest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	besideRuns   = 5 // an odd number: the median is one of them
	besideRounds = 50
)

// TestBesideC times the example between two processes of its own and rdma-core's program between two of its own, in turn. Emulated
// processors are no measure of anything, but one program's time in parts of the other's is one; it is reported, and no judge. A machine
// that has other things to do slows either down, often tenfold: the least tell most then.
func TestBesideC(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	own := example(t, "rcpingpong")
	flags := append(deviceFlags(t), "-n", fmt.Sprint(besideRounds))
	var table strings.Builder
	for _, mode := range []struct {
		name  string
		flags []string
	}{{"polling", nil}, {"events", []string{"-e"}}} {
		for _, size := range []int{64, 4096} {
			var theirs, ours []float64
			for range besideRuns {
				args := slices.Concat([]string{"-s", fmt.Sprint(size)}, flags, mode.flags)
				theirs = append(theirs, perRound(t, peer, args...))
				ours = append(ours, perRound(t, own, args...))
			}
			c, g := median(theirs), median(ours)
			fmt.Fprintf(&table, "%-7s %4d bytes: rdma-core %6.0f µs %5.0f, Go %6.0f µs %5.0f, ratio %.2f, of the least %.2f\n",
				mode.name, size, c, theirs, g, ours, g/c, slices.Min(ours)/slices.Min(theirs))
		}
	}
	t.Logf("the median round trip of %d runs with %d rounds, and all runs:\n%s", besideRuns, besideRounds, table.String())
}

var perRoundLine = regexp.MustCompile(`(?m)^\d+ iters in .* = (\d+\.\d\d) usec/iter$`)

// perRound has a program play with itself, and returns the microseconds that a round took, by the client's count.
func perRound(t *testing.T, program string, flags ...string) float64 {
	t.Helper()
	s, c := play(t, []string{program}, []string{program}, flags...)
	m := perRoundLine.FindStringSubmatch(c.out)
	if s.err != nil || c.err != nil || m == nil {
		t.Fatalf("the server is %vthe client is %v", s, c)
	}
	return must(strconv.ParseFloat(m[1], 64))
}

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }
