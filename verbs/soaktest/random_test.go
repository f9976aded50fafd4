//go:build linux && cgo

package soaktest

import "time"

// A random makes numbers from a seed. It is for one goroutine.
type random uint64

func newRandom(seed uint64) *random {
	r := random(seed*0x9e3779b97f4a7c15 | 1)
	return &r
}

// below is from 0 to n - 1.
func (r *random) below(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r>>32) * uint64(n) >> 32)
}

// sleep sleeps up to so long.
func (r *random) sleep(most time.Duration) { time.Sleep(time.Duration(r.below(int(most)))) }
