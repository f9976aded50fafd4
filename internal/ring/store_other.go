//go:build !amd64 || race

package ring

import "sync/atomic"

// storeRelease stores v after all that was done before, as seen by whoever loads it.
func storeRelease(p *atomic.Uint64, v uint64) { p.Store(v) }
