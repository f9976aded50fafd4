//go:build linux && cgo

package verbs

import (
	"fmt"
	"testing"
	"time"

	"github.com/goverbs/ibv/internal/beside"
)

// benchRing is a ring without a CQ, of which a thread in C is the producer instead.
func benchRing(b *testing.B) *Ring {
	_, c := testDevice(b)
	r, _ := testRing(b, c, RingAttr{Entries: 1024})
	r.state.poller.Flush()
	return r
}

// To see that there is nothing.
func BenchmarkRingEmpty(b *testing.B) {
	for name, look := range map[string]func(*Ring, int) bool{
		"Empty": func(r *Ring, n int) bool {
			for range n {
				if !r.Empty() {
					return false
				}
			}
			return true
		},
		"Next": func(r *Ring, n int) bool {
			for range n {
				if wc, err := r.Next(); wc != nil || err != nil {
					return false
				}
			}
			return true
		},
	} {
		b.Run(name, func(b *testing.B) {
			r := benchRing(b)
			b.ReportAllocs()
			beside.Compare(b, beside.Looks(r.ring.Raw()), func(n int) time.Duration {
				start := time.Now()
				if !look(r, n) {
					b.Fatal("there is something")
				}
				return time.Since(start)
			}, beside.Empty)
		})
	}
}

// Completions that a thread in C puts in, batch at a time, taken and read, beside C that does so with another ring.
func BenchmarkRingHandOver(b *testing.B) {
	for _, batch := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			r, other := benchRing(b), benchRing(b)
			f := must(beside.NewFiller())
			defer f.Close()
			total := uint64(0)
			b.ReportAllocs()
			beside.Compare(b, f.Empty(other.ring.Raw(), batch), func(n int) time.Duration {
				sum := uint64(0) // in a register, as in C
				start := time.Now()
				f.Order(r.ring.Raw(), n, batch)
				for n > 0 {
					wc, err := r.Next()
					if err != nil {
						b.Fatal(err)
					}
					for i := range wc {
						sum += wc[i].WRID
					}
					n -= len(wc)
				}
				r.Release()
				took := time.Since(start)
				total += sum
				return took
			}, beside.Empty)
		})
	}
}
