//go:build linux && cgo

package cverbs

// #include "wrbatch.h"
import "C"

import "unsafe"

// C's function, and the struct that it has the same.
var (
	wrBatch = unsafe.Pointer(C.ibvgo_wr_batch)

	_ [unsafe.Sizeof(WRBatch{})]byte = [C.sizeof_struct_ibvgo_wr_batch]byte{}
)

// Call posts the requests: all, or none. It returns 0 or the errno value, for [Posted].
func (b *WRBatch) Call() int32 { return cgocall(wrBatch, unsafe.Pointer(b)) }
