//go:build linux && cgo

package cverbs

// #include "posted.h"
import "C"

import "unsafe"

var (
	sendPost = unsafe.Pointer(C.ibvgo_send)
	recvPost = unsafe.Pointer(C.ibvgo_receive)
)

// C has the same structs, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(SendPost{})-C.sizeof_struct_ibvgo_send_post]
	_ = [1]struct{}{}[unsafe.Offsetof(SendPost{}.QP)-unsafe.Offsetof(C.struct_ibvgo_send_post{}.qp)]
	_ = [1]struct{}{}[unsafe.Offsetof(SendPost{}.WR)-unsafe.Offsetof(C.struct_ibvgo_send_post{}.wr)]
	_ = [1]struct{}{}[unsafe.Offsetof(SendPost{}.Bad)-unsafe.Offsetof(C.struct_ibvgo_send_post{}.bad)]

	_ = [1]struct{}{}[unsafe.Sizeof(RecvPost{})-C.sizeof_struct_ibvgo_recv_post]
	_ = [1]struct{}{}[unsafe.Offsetof(RecvPost{}.QP)-unsafe.Offsetof(C.struct_ibvgo_recv_post{}.qp)]
	_ = [1]struct{}{}[unsafe.Offsetof(RecvPost{}.WR)-unsafe.Offsetof(C.struct_ibvgo_recv_post{}.wr)]
	_ = [1]struct{}{}[unsafe.Offsetof(RecvPost{}.Bad)-unsafe.Offsetof(C.struct_ibvgo_recv_post{}.bad)]
)

// Call posts, and returns 0 or the errno value, for [Posted].
func (p *SendPost) Call() int32 { return cgocall(sendPost, unsafe.Pointer(p)) }

// Call posts, and returns 0 or the errno value, for [Posted].
func (p *RecvPost) Call() int32 { return cgocall(recvPost, unsafe.Pointer(p)) }
