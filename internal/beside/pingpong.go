//go:build linux && cgo

package beside

// #include "pingpong.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// PingPong sends one request from a to b, takes the receive, and sends the other back, n times; negative if that failed. The queues have
// room for the sends, and the receives are posted.
func PingPong(a *ibv.QP, ping *ibv.SendWR, b *ibv.QP, pong *ibv.SendWR, n int) time.Duration {
	return time.Duration(C.beside_pingpong((*C.struct_ibv_qp)(unsafe.Pointer(a)), (*C.struct_ibv_send_wr)(unsafe.Pointer(ping)),
		(*C.struct_ibv_qp)(unsafe.Pointer(b)), (*C.struct_ibv_send_wr)(unsafe.Pointer(pong)), C.long(n)))
}
