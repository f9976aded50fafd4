//go:build linux && cgo

package cverbs

// #include "ringcalls.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// RingCalls returns the C functions that a thread calls which polls completion queues into a ring:
//
//	int32_t poll(void *cq, int32_t n, void *wc)                    a count, or a negative number
//	int32_t arm(void *cq)                                          0, or an errno value of either sign
//	int32_t take(void *channel, void **cq, uint64_t *cq_context)   0, or an errno value
//	void ack(void *cq, uint32_t events)
func RingCalls() (poll, arm, take, ack unsafe.Pointer) {
	return unsafe.Pointer(C.ibvgo_ring_poll), unsafe.Pointer(C.ibvgo_ring_arm), unsafe.Pointer(C.ibvgo_ring_take), unsafe.Pointer(C.ibvgo_ring_ack)
}

// RingPollError makes the error that PollCQ returns for what poll has returned for n entries, which is no count.
func RingPollError(r int) error {
	if r < 0 {
		return negativeError(VerbPollCQ, r)
	}
	return errnoError(VerbPollCQ, r)
}

// RingErrno is the errno value that the other two have returned, of either sign.
func RingErrno(r int) syscall.Errno { return plainErrno(r) }
