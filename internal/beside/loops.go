//go:build linux && cgo

package beside

// #include "poll.h"
// #include "post.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Synthetic makes polls of all queues of a CQ's context return n completions, or as many as are asked for, until Genuine. Nobody may be
// polling during either, and only one context of the process can be synthetic.
func Synthetic(cq *ibv.CQ, n int) {
	C.beside_synthetic((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.int(n))
}

// Genuine undoes Synthetic.
func Genuine(cq *ibv.CQ) { C.beside_genuine((*C.struct_ibv_cq)(unsafe.Pointer(cq))) }

// Polls polls a CQ for up to so many entries, 64 at most, again and again, and reads each completion.
func Polls(cq *ibv.CQ, entries int) Loop {
	return func(n int) time.Duration {
		var sum C.uint64_t
		return time.Duration(C.beside_polls((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.int(entries), C.long(n), &sum))
	}
}

// Posts posts a chain n times; negative if a post failed.
func Posts(qp *ibv.QP, chain *ibv.SendWR, n int) time.Duration {
	return time.Duration(C.beside_posts((*C.struct_ibv_qp)(unsafe.Pointer(qp)), (*C.struct_ibv_send_wr)(unsafe.Pointer(chain)), C.long(n)))
}
