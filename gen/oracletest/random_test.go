package oracletest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/internal/oracle"
)

var (
	randomSeed  = flag.Uint64("seed", envNumber("IBV_SEED", uint64(time.Now().UnixNano())%1e9), "first seed of the random headers (IBV_SEED)")
	randomCount = flag.Uint64("random", envNumber("IBV_RANDOM", 2000), "number of random types (IBV_RANDOM)")
)

func envNumber(name string, def uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("%s=%s: not a number", name, text))
	}
	return n
}

// Sizes of a header in types: the risky ones are small, as each refusal costs a run.
const (
	batchTypes = 200
	riskyTypes = 20
)

// A tally counts random types.
type tally struct{ accepted, refused atomic.Int64 }

// add counts what is left of a batch, and what was refused.
func (c *tally) add(b *batch, refused int) {
	c.refused.Add(int64(refused))
	for _, chunk := range b.chunks {
		c.accepted.Add(int64(chunk.types))
	}
}

// check fails the test if more than a share of the types was refused, so that it cannot become empty.
func (c *tally) check(t *testing.T, what string, most float64) {
	a, r := float64(c.accepted.Load()), float64(c.refused.Load())
	fmt.Printf("%s: %.0f types compared, %.0f refused\n", what, a, r)
	if a+r > 0 && r/(a+r) > most {
		t.Errorf("%s: %.1f%% of the types are refused, want at most %.0f%%", what, 100*r/(a+r), 100*most)
	}
}

// TestRandom compares random types with gcc: what load accepts must be right in every number; what it refuses must be refused at
// a line of the type concerned. Plain constructs must not be refused.
func TestRandom(t *testing.T) {
	var plain, risky tally
	fmt.Printf("random headers: IBV_SEED=%d IBV_RANDOM=%d\n", *randomSeed, *randomCount)
	t.Run("headers", func(t *testing.T) {
		seed := *randomSeed * 1_000_000
		for left := int64(*randomCount); left > 0; {
			// One type in ten is a risky one, one header in three has bit-fields.
			n := min(left, batchTypes*9/10)
			left -= n
			batch := newBatch(&seed, n, flavour{bits: seed%3 == 0})
			t.Run(batch.name, func(t *testing.T) { t.Parallel(); batch.check(t, &plain) })
			for rest := min(left, batchTypes/10); rest > 0; rest -= riskyTypes {
				left -= min(rest, riskyTypes)
				batch := newBatch(&seed, min(rest, riskyTypes), flavour{bits: true, risky: true})
				t.Run(batch.name, func(t *testing.T) { t.Parallel(); batch.check(t, &risky) })
			}
		}
	})
	plain.check(t, "plain", maxPlainRefused)
	risky.check(t, "risky", maxRiskyRefused)
}

// The shares that may be refused.
const (
	maxPlainRefused = 0.02
	maxRiskyRefused = 0.80
)

// differences compares a header that load accepts with gcc: types by DWARF, macros by their values in an object file, and all
// numbers, alignments too, by the probe.
func differences(t testing.TB, file string) []string {
	m, err := load.Load(load.Options{Header: file, Archs: []string{runtime.GOARCH}})
	if err != nil {
		return []string{err.Error()}
	}
	types, err := oracle.Read(gcc, nil, file)
	if err != nil {
		t.Fatalf("gcc refuses the random header: %v", err)
	}
	own := func(f string) bool { return f == file }
	diffs := compareTypes(m, types, runtime.GOARCH, own)
	macros, err := oracle.ReadMacros(gcc, nil, file, own)
	if err != nil {
		t.Fatal(err)
	}
	diffs = append(diffs, compareMacros(m, macros)...)
	return append(diffs, probeDifferences(t, m, gcc, file, runtime.GOARCH)...)
}

func probeDifferences(t testing.TB, m *model.Model, cc []string, file, arch string) []string {
	found, err := probe.Check(probe.Options{CC: cc, Header: file, Arch: arch}, m)
	if err != nil {
		t.Fatal(err)
	}
	var diffs []string
	for _, d := range found {
		diffs = append(diffs, arch+": "+d.String())
	}
	return diffs
}

// maxSmall is the number of small headers that a batch prints.
const maxSmall = 2
