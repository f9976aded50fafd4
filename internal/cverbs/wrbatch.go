//go:build linux && cgo

package cverbs

// #include "wrbatch.h"
import "C"

import "unsafe"

var wrBatch = unsafe.Pointer(C.ibvgo_wr_batch)

// C has the same struct, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(WRBatch{})-C.sizeof_struct_ibvgo_wr_batch]
	_ = [1]struct{}{}[unsafe.Offsetof(WRBatch{}.QP)-unsafe.Offsetof(C.struct_ibvgo_wr_batch{}.qp)]
	_ = [1]struct{}{}[unsafe.Offsetof(WRBatch{}.Ops)-unsafe.Offsetof(C.struct_ibvgo_wr_batch{}.ops)]
	_ = [1]struct{}{}[unsafe.Offsetof(WRBatch{}.WRs)-unsafe.Offsetof(C.struct_ibvgo_wr_batch{}.wrs)]
	_ = [1]struct{}{}[unsafe.Offsetof(WRBatch{}.N)-unsafe.Offsetof(C.struct_ibvgo_wr_batch{}.n)]
	_ = [1]struct{}{}[unsafe.Offsetof(WRBatch{}.Index)-unsafe.Offsetof(C.struct_ibvgo_wr_batch{}.index)]
)

// Call posts the requests: all, or none. It returns 0 or the errno value, for [Posted].
func (b *WRBatch) Call() int32 { return cgocall(wrBatch, unsafe.Pointer(b)) }
