//go:build linux && cgo

package cverbs

// #define IBVGO_FOR_GO
// #include "calls_generated.h"
// #include "wrbatch.h"
// #cgo noescape ibvgo_wr_batch
// #cgo nocallback ibvgo_wr_batch
import "C"

import (
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
)

// WRBatch posts n requests, at least 1, which lie one behind the other from wrs on, by one ibv_wr_start and ibv_wr_complete: all, or none. ops is what the
// QP was created with; an operation that is not in it gives EOPNOTSUPP. It returns 0 or the errno value, and with that the index of the
// request that could not be built, or n if ibv_wr_complete has failed.
func WRBatch(qp *ibv.QPEx, ops ibv.QPCreateSendOpsFlags, wrs *ibv.SendWR, n int32) (index int, errno syscall.Errno) {
	r := uint64(C.ibvgo_wr_batch((*C.struct_ibv_qp_ex)(unsafe.Pointer(qp)), C.uint64_t(ops), (*C.struct_ibv_send_wr)(unsafe.Pointer(wrs)), C.int32_t(n)))
	if r == 0 {
		return 0, 0
	}
	return int(r >> 32), plainErrno(int(int32(r)))
}
