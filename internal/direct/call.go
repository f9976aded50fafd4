//go:build linux && cgo && !race && !asan && !msan && (amd64 || arm64)

package direct

import "unsafe"

// Available is why calls cannot be made here; empty if they can.
func Available() string { return registered() }

// call enters the gate, as [Gate.Call] says, and calls its function.
//
//go:noescape
func call(gate *Gate, a uintptr, b unsafe.Pointer) int

// enter enters the gate, and returns 1, or 0 if that is not as seen.
//
//go:noescape
func enter(gate *Gate) int
