//go:build linux && cgo

package cverbs

// #include "within.h"
// #cgo noescape ibvgo_turnstile_busy
// #cgo nocallback ibvgo_turnstile_busy
import "C"

import "unsafe"

// C's functions.
var (
	pollWithin   = unsafe.Pointer(C.ibvgo_poll_cq_within)
	pollExWithin = unsafe.Pointer(C.ibvgo_poll_cq_ex_within)
)

// busy reports whether a call is within.
func (g *Turnstile) busy() bool {
	return C.ibvgo_turnstile_busy((*C.struct_ibvgo_turnstile)(unsafe.Pointer(g))) != 0
}

// Call polls, and counts the completions. It returns what ibv_poll_cq has returned, for [Polled]; or 0 if it is Shut.
func (p *PollWithin) Call() int32 { return cgocall(pollWithin, unsafe.Pointer(p)) }

// Call polls, and counts the completions. It returns how many there are, for [PollExWithin.Polled]; or 0 if it is Shut.
func (p *PollExWithin) Call() int32 { return cgocall(pollExWithin, unsafe.Pointer(p)) }
