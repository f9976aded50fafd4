//go:build !linux || !cgo

package cverbs

import (
	"syscall"

	"github.com/goverbs/ibv"
)

// WRBatch would post requests. Here no verb can be called, and the errno value is ENOSYS.
func WRBatch(qp *ibv.QPEx, ops ibv.QPCreateSendOpsFlags, wrs *ibv.SendWR, n int32) (index int, errno syscall.Errno) {
	return 0, syscall.ENOSYS
}
