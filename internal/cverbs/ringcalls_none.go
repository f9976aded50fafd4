//go:build !linux || !cgo

package cverbs

import (
	"syscall"
	"unsafe"
)

// RingCalls would return C functions. Here there are none.
func RingCalls() (poll, arm, take, ack unsafe.Pointer) { return nil, nil, nil, nil }

// RingPollError would make an error of what polling has returned.
func RingPollError(r int) error { return unsupported(VerbPollCQ) }

// RingErrno would be an errno value.
func RingErrno(r int) syscall.Errno { return syscall.ENOSYS }
