//go:build linux && cgo

package beside

// #include "batches.h"
// #include "pollex.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// SyntheticEx makes batches of an extended CQ have n completions, for good. Nobody may be polling it, and only one of the process can be
// so.
func SyntheticEx(cq *ibv.CQEx, n int) {
	C.beside_synthetic_ex((*C.struct_ibv_cq_ex)(unsafe.Pointer(cq)), C.int(n))
}

// PollsEx polls an extended CQ for up to so many entries a batch, again and again, and reads id, status and four fields of each completion.
func PollsEx(cq *ibv.CQEx, entries int) Loop {
	return func(n int) time.Duration {
		var sum C.uint64_t
		return time.Duration(C.beside_polls_ex((*C.struct_ibv_cq_ex)(unsafe.Pointer(cq)), C.int(entries), C.long(n), &sum))
	}
}

// Batches builds and posts count RDMA writes n times; negative if that failed.
func Batches(qp *ibv.QPEx, wrs *ibv.SendWR, count, n int) time.Duration {
	return time.Duration(C.beside_batches((*C.struct_ibv_qp_ex)(unsafe.Pointer(qp)), (*C.struct_ibv_send_wr)(unsafe.Pointer(wrs)), C.int(count), C.long(n)))
}
