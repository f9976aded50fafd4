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
// polling during either, but for polls that stay, and only one context of the process can be synthetic.
func Synthetic(cq *ibv.CQ, n int) {
	C.beside_synthetic((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.int(n))
}

// Rare is Synthetic with one completion in so many polls, and none in the others.
func Rare(cq *ibv.CQ, polls int) {
	C.beside_rare((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.long(polls))
}

// Stays makes polls stay until Genuine, and find nothing. Inside is how many are under way.
func Stays(cq *ibv.CQ) { C.beside_stays((*C.struct_ibv_cq)(unsafe.Pointer(cq))) }

// Inside is how many polls stay.
func Inside() int { return int(C.beside_inside()) }

// Genuine undoes Synthetic, Rare and Stays.
func Genuine(cq *ibv.CQ) { C.beside_genuine((*C.struct_ibv_cq)(unsafe.Pointer(cq))) }

// Polls polls a CQ for up to so many entries, 64 at most, again and again, and reads each completion.
func Polls(cq *ibv.CQ, entries int) Loop {
	return func(n int) time.Duration {
		var sum C.uint64_t
		return time.Duration(C.beside_polls((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.int(entries), C.long(n), &sum))
	}
}

// Spins polls a CQ until there is a completion, and reads it; n counts the polls, of which it takes so many to find one.
func Spins(cq *ibv.CQ, polls int) Loop {
	return func(n int) time.Duration {
		var sum C.uint64_t
		return time.Duration(C.beside_spins((*C.struct_ibv_cq)(unsafe.Pointer(cq)), C.long(n/polls), &sum))
	}
}

// Posts posts a chain n times; negative if a post failed.
func Posts(qp *ibv.QP, chain *ibv.SendWR, n int) time.Duration {
	return time.Duration(C.beside_posts((*C.struct_ibv_qp)(unsafe.Pointer(qp)), (*C.struct_ibv_send_wr)(unsafe.Pointer(chain)), C.long(n)))
}
