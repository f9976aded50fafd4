//go:build !race

package direct

import (
	"sync/atomic"
	"unsafe"
)

// release stores 0 after all that was done before. On amd64 every store does that, but Go's atomic one is an exchange, which costs as much
// as a lock. The compiler moves no store over another one, nor over the call of assembly before.
func release(p *atomic.Uint32) { *(*uint32)(unsafe.Pointer(p)) = 0 }
