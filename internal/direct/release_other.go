//go:build !amd64 || race

package direct

import "sync/atomic"

// release stores 0 after all that was done before.
func release(p *atomic.Uint32) { p.Store(0) }
