//go:build linux && cgo

package cverbs

// #define IBVGO_FOR_GO
// #include "calls_generated.h"
// #include "within.h"
// #cgo noescape ibvgo_poll_cq_within
// #cgo nocallback ibvgo_poll_cq_within
// #cgo noescape ibvgo_poll_cq_ex_within
// #cgo nocallback ibvgo_poll_cq_ex_within
// #cgo noescape ibvgo_turnstile_busy
// #cgo nocallback ibvgo_turnstile_busy
import "C"

import (
	"unsafe"

	"github.com/goverbs/ibv"
)

// busy reports whether a call is within.
func (g *Turnstile) busy() bool {
	return C.ibvgo_turnstile_busy((*C.struct_ibvgo_turnstile)(unsafe.Pointer(g))) != 0
}

// PollCQWithin is PollCQ within a turnstile, which counts the completions. It reports false, without a call, if the turnstile's turn is another one.
func PollCQWithin(g *Turnstile, turn uint64, cq *ibv.CQ, numEntries int32, wc *ibv.WC) (n int, ok bool, err error) {
	var result C.int64_t
	C.ibvgo_poll_cq_within((*C.struct_ibvgo_turnstile)(unsafe.Pointer(g)), C.uint64_t(turn), (*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.int32_t(numEntries), (*C.struct_ibv_wc)(unsafe.Pointer(wc)), &result)
	r := int(result)
	if uint(r) <= uint(numEntries) {
		return r, true, nil
	}
	if r == C.IBVGO_SHUT {
		return 0, false, nil
	}
	n, err = Polled(r, numEntries)
	return n, true, err
}

// PollCQExWithin is PollCQEx within a turnstile, as PollCQWithin.
func PollCQExWithin(g *Turnstile, turn uint64, cq *ibv.CQEx, fields ibv.CreateCQWCFlags, n int32, wc *WCEx) (got int, ok bool, err error) {
	var result C.int64_t
	C.ibvgo_poll_cq_ex_within((*C.struct_ibvgo_turnstile)(unsafe.Pointer(g)), C.uint64_t(turn), (*C.struct_ibv_cq_ex)(unsafe.Pointer(cq)), C.uint32_t(fields), C.int32_t(n), (*C.struct_ibvgo_wc_ex)(unsafe.Pointer(wc)), &result)
	if result == C.IBVGO_SHUT {
		return 0, false, nil
	}
	got, err = polledEx(int64(result))
	return got, true, err
}
