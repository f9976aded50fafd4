//go:build linux && cgo

package cverbs

// #include "posted.h"
// #cgo noescape ibvgo_send
// #cgo nocallback ibvgo_send
// #cgo noescape ibvgo_receive
// #cgo nocallback ibvgo_receive
import "C"

import (
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Send is PostSend in less time. bad is the first request that was not taken; nil: there is none. wr, too, must be C memory or pinned, and kept by
// the caller: cgo sees numbers here.
func Send(qp *ibv.QP, wr *ibv.SendWR) (errno syscall.Errno, bad *ibv.SendWR) {
	var out C.struct_ibvgo_posted
	C.ibvgo_send(C.uintptr_t(uintptr(unsafe.Pointer(qp))), C.uintptr_t(uintptr(unsafe.Pointer(wr))), &out)
	if out.result != 0 {
		errno = plainErrno(int(out.result))
	}
	return errno, *(**ibv.SendWR)(unsafe.Pointer(&out.bad))
}

// Receive is PostRecv in less time, with results and conditions as Send's.
func Receive(qp *ibv.QP, wr *ibv.RecvWR) (errno syscall.Errno, bad *ibv.RecvWR) {
	var out C.struct_ibvgo_posted
	C.ibvgo_receive(C.uintptr_t(uintptr(unsafe.Pointer(qp))), C.uintptr_t(uintptr(unsafe.Pointer(wr))), &out)
	if out.result != 0 {
		errno = plainErrno(int(out.result))
	}
	return errno, *(**ibv.RecvWR)(unsafe.Pointer(&out.bad))
}
