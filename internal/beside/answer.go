//go:build linux && cgo

package beside

// #include "answer.h"
import "C"

import (
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
)

// PostsAnswer makes posts to all QPs of one's context return a value and do nothing, until PostsGenuine. If taken is not negative the request behind so many is
// named as the first that was not taken. None of them may be under way, and only one context of the process can be so.
func PostsAnswer(qp *ibv.QP, value, taken int) {
	C.beside_posts_answer((*C.struct_ibv_qp)(unsafe.Pointer(qp)), C.int(value), C.int(taken))
}

// PostsGenuine undoes PostsAnswer.
func PostsGenuine(qp *ibv.QP) { C.beside_posts_genuine((*C.struct_ibv_qp)(unsafe.Pointer(qp))) }

// LeaveErrno leaves an errno value on the thread, as a call of C that has failed.
func LeaveErrno(errno syscall.Errno) { C.beside_leave_errno(C.int(errno)) }
