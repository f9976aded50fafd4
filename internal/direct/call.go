//go:build linux && cgo && !race && !asan && !msan && (amd64 || arm64)

package direct

import (
	"unsafe"

	"github.com/goverbs/ibv/internal/membarrier"
)

// Available is why calls cannot be made here; empty if they can.
func Available() string { return membarrier.Unavailable() }

// call enters the gate, as [Gate.Call] says, and calls its function.
//
//go:noescape
func call(gate *Gate, a uintptr, b unsafe.Pointer) int

// callCounting is call for [Gate.CallCounting].
//
//go:noescape
func callCounting(gate *Gate, a uintptr, b unsafe.Pointer) int

// post is [Gate.Post]. It writes the gate's result unless that is 0.
//
//go:noescape
func post(gate *Gate, chain *Chain)

// enter enters the gate, and returns 1, or 0 if that is not as seen.
//
//go:noescape
func enter(gate *Gate) int
