//go:build linux && cgo

package cverbs

// #define IBVGO_FOR_GO
// #include "calls_generated.h"
import "C"

import (
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Readers of events call these again and again until there is nothing left, which must not cost an error value each time.

// TakeCQEvent is GetCQEvent with a plain errno value, 0 for success. EAGAIN says that there is no event, if the channel's descriptor
// is set not to block.
func TakeCQEvent(channel *ibv.CompChannel, cq **ibv.CQ, cqContext *uintptr) syscall.Errno {
	r, err := C.ibvgo_ibv_get_cq_event((*C.struct_ibv_comp_channel)(unsafe.Pointer(channel)), (*C.uintptr_t)(unsafe.Pointer(cq)), (*C.uintptr_t)(unsafe.Pointer(cqContext)))
	return taken(int(r), err)
}

// TakeAsyncEvent is GetAsyncEvent with a plain errno value, in the same way.
func TakeAsyncEvent(context *ibv.Context, event *ibv.AsyncEvent) syscall.Errno {
	r, err := C.ibvgo_ibv_get_async_event((*C.struct_ibv_context)(unsafe.Pointer(context)), (*C.struct_ibv_async_event)(unsafe.Pointer(event)))
	return taken(int(r), err)
}

// taken is for functions that return 0, or -1 and set errno, like minus1Error. Failing without errno counts as EIO: it is no success.
func taken(r int, err error) syscall.Errno {
	errno, _ := err.(syscall.Errno)
	switch {
	case r == 0:
		return 0
	case errno != 0:
		return plainErrno(int(errno))
	case r == -1:
		return syscall.EIO
	}
	return plainErrno(r)
}
