//go:build linux && cgo && ibvcount

package cverbs

// #cgo CFLAGS: -DIBVGO_COUNTING
// #include "count.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Counts returns how often each verb was called, indexed by Verb. It is nil without the build tag ibvcount.
func Counts() []uint64 {
	r := make([]uint64, len(verbTable))
	for i := range r {
		r[i] = uint64(atomic.LoadUintptr((*uintptr)(unsafe.Pointer(&C.ibvgo_counts[i])))) // unsigned long is a word
	}
	return r
}
