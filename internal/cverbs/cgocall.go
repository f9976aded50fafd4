//go:build linux && cgo

package cverbs

import "unsafe"

// cgocall calls a C function that takes one pointer and returns an int. It is what the functions that cgo writes call: while C runs the thread counts as in a
// system call, so that nobody waits for it, and C has the thread's own stack. Whoever calls it himself saves, of some 35 ns, what those do for any function:
// copies of arguments and results on both sides, checks of pointers, and a look-out for callbacks.
//
// arg is to a struct that C has the same, mostly in a local variable, where cgo keeps arguments as well. What is in it may be pointers to Go memory, as
// arguments may: C does not keep them, and does not call back into Go, where stacks move. The caller keeps alive what they point to.
//
// The runtime promises those who call it past cgo to keep its name and its type: go.dev/issue/67401.
//
//go:noescape
//go:linkname cgocall runtime.cgocall
func cgocall(fn, arg unsafe.Pointer) int32
