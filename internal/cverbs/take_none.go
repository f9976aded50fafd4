//go:build !linux || !cgo

package cverbs

import (
	"syscall"

	"github.com/goverbs/ibv"
)

// TakeCQEvent would take an event. Here no verb can be called, and the result is ENOSYS.
func TakeCQEvent(channel *ibv.CompChannel, cq **ibv.CQ, cqContext *uintptr) syscall.Errno {
	return syscall.ENOSYS
}

// TakeAsyncEvent would take an event. Here no verb can be called, and the result is ENOSYS.
func TakeAsyncEvent(context *ibv.Context, event *ibv.AsyncEvent) syscall.Errno {
	return syscall.ENOSYS
}
