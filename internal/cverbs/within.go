//go:build linux && cgo

package cverbs

// #include "within.h"
// #cgo noescape ibvgo_turnstile_busy
// #cgo nocallback ibvgo_turnstile_busy
import "C"

import "unsafe"

var (
	pollWithin   = unsafe.Pointer(C.ibvgo_poll_cq_within)
	pollExWithin = unsafe.Pointer(C.ibvgo_poll_cq_ex_within)
)

// C has the same structs, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(PollWithin{})-C.sizeof_struct_ibvgo_poll_within]
	_ = [1]struct{}{}[unsafe.Offsetof(PollWithin{}.Turnstile)-unsafe.Offsetof(C.struct_ibvgo_poll_within{}.turnstile)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollWithin{}.Turn)-unsafe.Offsetof(C.struct_ibvgo_poll_within{}.turn)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollWithin{}.WC)-unsafe.Offsetof(C.struct_ibvgo_poll_within{}.wc)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollWithin{}.Entries)-unsafe.Offsetof(C.struct_ibvgo_poll_within{}.n)]

	_ = [1]struct{}{}[unsafe.Sizeof(PollExWithin{})-C.sizeof_struct_ibvgo_poll_ex_within]
	_ = [1]struct{}{}[unsafe.Offsetof(PollExWithin{}.Turnstile)-unsafe.Offsetof(C.struct_ibvgo_poll_ex_within{}.turnstile)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollExWithin{}.Turn)-unsafe.Offsetof(C.struct_ibvgo_poll_ex_within{}.turn)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollExWithin{}.WC)-unsafe.Offsetof(C.struct_ibvgo_poll_ex_within{}.wc)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollExWithin{}.Fields)-unsafe.Offsetof(C.struct_ibvgo_poll_ex_within{}.fields)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollExWithin{}.Entries)-unsafe.Offsetof(C.struct_ibvgo_poll_ex_within{}.n)]
	_ = [1]struct{}{}[unsafe.Offsetof(PollExWithin{}.failure)-unsafe.Offsetof(C.struct_ibvgo_poll_ex_within{}.failure)]
)

// busy reports whether a call is within.
func (g *Turnstile) busy() bool {
	return C.ibvgo_turnstile_busy((*C.struct_ibvgo_turnstile)(unsafe.Pointer(g))) != 0
}

// Call polls, and counts the completions. It returns what ibv_poll_cq has returned, for [Polled]; or 0 if it is Shut.
func (p *PollWithin) Call() int32 { return cgocall(pollWithin, unsafe.Pointer(p)) }

// Call polls, and counts the completions. It returns how many there are, for [PollExWithin.Polled]; or 0 if it is Shut.
func (p *PollExWithin) Call() int32 { return cgocall(pollExWithin, unsafe.Pointer(p)) }
