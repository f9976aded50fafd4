//go:build !race

package release

import (
	"sync/atomic"
	"unsafe"
)

// On amd64 every store is such a one. The compiler moves no load or store from before it behind it, nor a call of C or of assembly.

// Store64 stores v. Whoever else writes to p meanwhile may be undone.
func Store64(p *atomic.Uint64, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }

// Store32 stores v. Whoever else writes to p meanwhile may be undone.
func Store32(p *atomic.Uint32, v uint32) { *(*uint32)(unsafe.Pointer(p)) = v }
