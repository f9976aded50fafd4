//go:build linux && cgo

package cverbs

// #define IBVGO_FOR_GO
// #include "calls_generated.h"
// #include "pollex.h"
// #cgo noescape ibvgo_poll_cq_ex
// #cgo nocallback ibvgo_poll_cq_ex
import "C"

import (
	"unsafe"

	"github.com/goverbs/ibv"
)

// PollCQEx takes up to n completions out of an extended queue, in one batch and one call from Go, and fills wc with them: n is 1 at least.
// fields is what is to be read of them, and the queue was created with all of it. 0 without an error says that the queue is empty.
//
// An error of ibv_start_poll comes without completions, and one of ibv_next_poll with those before it, which are valid.
func PollCQEx(cq *ibv.CQEx, fields ibv.CreateCQWCFlags, n int32, wc *WCEx) (int, error) {
	r := int64(C.ibvgo_poll_cq_ex((*C.struct_ibv_cq_ex)(unsafe.Pointer(cq)), C.uint32_t(fields), C.int32_t(n), (*C.struct_ibvgo_wc_ex)(unsafe.Pointer(wc))))
	return polledEx(int(int32(r)), int(r>>32))
}
