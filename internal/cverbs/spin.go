//go:build linux && cgo

package cverbs

// #define IBVGO_FOR_GO
// #include "calls_generated.h"
// #include "spin.h"
// #cgo noescape ibvgo_spin_cq
// #cgo nocallback ibvgo_spin_cq
import "C"

import (
	"unsafe"

	"github.com/goverbs/ibv"
)

// SpinCQ calls ibv_poll_cq until it returns something other than 0, or ns nanoseconds have passed; at least once. It is one call
// from Go: the goroutine keeps its thread, and the thread its processor, all the time, so ns should be some tens of microseconds at most.
// Result and errors are those of PollCQ.
func SpinCQ(cq *ibv.CQ, numEntries int32, wc *ibv.WC, ns uint64) (int, error) {
	r := int(C.ibvgo_spin_cq((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.int32_t(numEntries), (*C.struct_ibv_wc)(unsafe.Pointer(wc)), C.uint64_t(ns)))
	return Polled(r, numEntries)
}
