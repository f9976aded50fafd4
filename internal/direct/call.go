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

// Poll calls the function of p's gate, with n and out as further arguments. If that returns 0, or up to n and the gate counts, that is the result, and it
// is counted. Otherwise the result is other's, with the same arguments: [Poller.Result] tells it why. What it does with out ends when it
// returns, since out may be on a stack: the compiler is not told of the call.
//
// All of it is one function in assembly, and there is nothing for its caller to do afterwards, so that a method that only calls it is inlined: neither are
// arguments written to memory twice, nor is anything kept of them.
//
//go:noescape
func Poll(p *Poller, out unsafe.Pointer, n int, other func(p *Poller, out unsafe.Pointer, n int) (int, error)) (got int, err error)

// Post calls the function of p's gate with a chain's request, if there is one, and it fits, and the queue has a place. If that is posted it is accounted
// for, and the result is 1. Otherwise the result is other's, with the same arguments: [Poster.Result] tells it why. It is one function for
// the same reason as Poll.
//
//go:noescape
func Post(p *Poster, chain *Chain, other func(p *Poster, chain *Chain) (int, error)) (n int, err error)

// enter enters the gate, and returns 1, or 0 if that is not as seen.
//
//go:noescape
func enter(gate *Gate) int
