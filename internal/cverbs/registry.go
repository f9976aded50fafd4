//go:build linux && cgo

package cverbs

// #include "registry.h"
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Register makes a provider in this process serve the calls on object, a *ibv.Context or *ibv.Device of its own, and on what
// belongs to that context. Exported functions are taken from ops; inlines go by the operations in the context itself. A *ibv.Buf
// does not tell its context, so a provider that makes some registers each.
//
// ops is an array of NumVerbs C functions, indexed by Verb, each with the signature of the verb in C; nil makes the verb fail with
// EOPNOTSUPP. Both are C memory that stays until Unregister returns. Registering must be finished before object is given to
// anyone. An object that is registered already is an error, EEXIST.
//
// These functions, and the operations in the context, may call back into Go, which then gets pointers as long as the call lasts.
// What programs call for each message may not; a callback there can end the program: PollCQ, PollCQEx, PollWithin, PollExWithin, SpinCQ,
// ReqNotifyCQ, the posts (PostSend, PostRecv, PostSRQRecv, PostSRQOps, PostWQRecv, SendPost, RecvPost), StartPoll, NextPoll, EndPoll, and all whose
// names begin with WCRead or WR. All of these have to return at once, too, as hardware's do: see [Registered]. In PollWithin, PollExWithin, SendPost,
// RecvPost and WRBatch the runtime does not notice a callback, and C may write to a stack that has moved.
//
// Any goroutine may call it at any time; so may the provider's functions.
func Register(object, ops unsafe.Pointer) error {
	return registryError("register", C.ibvgo_register(object, (*C.ibvgo_fn_t)(ops)))
}

// Unregister undoes Register. It does not wait: as before ibv_close_device, the caller makes sure that no call on object, or on
// what belongs to it, runs or is started. An object that is not registered is an error, ENOENT.
func Unregister(object unsafe.Pointer) error {
	return registryError("unregister", C.ibvgo_unregister(object))
}

// Registered reports whether a provider in this process serves the calls on a context, so that Register's promises hold for it.
func Registered(context *ibv.Context) bool {
	var owned C.int
	C.ibvgo_owner(unsafe.Pointer(context), 0, &owned)
	return owned != 0
}

// RegistryFunctions returns the C functions behind Register and Unregister, for providers whose own functions register contexts:
//
//	int register(void *object, void (*const *ops)(void))
//	int unregister(void *object)
//
// Each returns 0 or an errno value.
func RegistryFunctions() (register, unregister unsafe.Pointer) {
	return unsafe.Pointer(C.ibvgo_register), unsafe.Pointer(C.ibvgo_unregister)
}

func registryError(what string, r C.int) error {
	if r == 0 {
		return nil
	}
	return fmt.Errorf("%s provider's object: %w", what, syscall.Errno(r))
}
