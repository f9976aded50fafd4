//go:build !linux || !cgo

package cverbs

import (
	"syscall"

	"github.com/goverbs/ibv"
)

// Send would post sends. Here no verb can be called.
func Send(qp *ibv.QP, wr *ibv.SendWR) (errno syscall.Errno, bad *ibv.SendWR) {
	return PostSend(qp, wr, &bad), bad
}

// Receive would post receives. Here no verb can be called.
func Receive(qp *ibv.QP, wr *ibv.RecvWR) (errno syscall.Errno, bad *ibv.RecvWR) {
	return PostRecv(qp, wr, &bad), bad
}
