//go:build linux && cgo

package cverbs

import "unsafe"

// cgocall calls a C function that takes one pointer and returns an int. It is what the functions that cgo writes call: while C runs the goroutine counts as in a
// system call, so that neither the scheduler nor the collector waits for it, and C has the thread's own stack. Calling it past those functions saves what they do for
// any C function: copies of arguments and results on both sides, checks of pointers, and a look-out for callbacks.
//
// arg is to a struct that C has as well, mostly in a local variable, as are cgo's own arguments. What is in it may be pointers to Go memory, as
// arguments may: the struct is in use until the call returns, and keeps that alive; and C neither keeps it nor calls back into Go, so that the stack stays where
// it is. Instruments of C's that want to know how Go orders threads (-fsanitize=thread) are not told, as cgo's functions would.
//
// The runtime's source says that name and type stay, since others call it as well: go.dev/issue/67401.
//
//go:noescape
//go:linkname cgocall runtime.cgocall
func cgocall(fn, arg unsafe.Pointer) int32
