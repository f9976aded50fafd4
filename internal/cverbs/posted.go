//go:build linux && cgo

package cverbs

// #include "posted.h"
import "C"

import "unsafe"

// C's functions, and structs that it has the same.
var (
	send    = unsafe.Pointer(C.ibvgo_send)
	receive = unsafe.Pointer(C.ibvgo_receive)

	_ [unsafe.Sizeof(SendPost{})]byte = [C.sizeof_struct_ibvgo_send_post]byte{}
	_ [unsafe.Sizeof(RecvPost{})]byte = [C.sizeof_struct_ibvgo_recv_post]byte{}
)

// Call posts, and returns 0 or the errno value, for [Posted].
func (p *SendPost) Call() int32 { return cgocall(send, unsafe.Pointer(p)) }

// Call posts, and returns 0 or the errno value, for [Posted].
func (p *RecvPost) Call() int32 { return cgocall(receive, unsafe.Pointer(p)) }
