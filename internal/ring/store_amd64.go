//go:build !race

package ring

import (
	"sync/atomic"
	"unsafe"
)

// storeRelease stores v after all that was done before, as seen by whoever loads it. On amd64 every store does that, but Go's atomic one
// is an exchange, which costs as much as a lock. The compiler moves no load from before a store behind it.
func storeRelease(p *atomic.Uint64, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }
