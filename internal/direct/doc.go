// Package direct calls C functions from Go without telling Go's scheduler: on a stack of the caller's own, from assembly, in a few
// nanoseconds. A call through cgo costs some 30 ns more, most of which is for what such a call may do and a poll of a queue does not: take
// long, or call back into Go.
//
// It is for functions that return at once, whatever happens: that neither sleep nor wait for anything in Go, and need less than [StackSize].
//
// # Why it is sound
//
// The goroutine counts as running Go code during the call, so nothing takes its processor away, its stack does not move, and what its
// arguments point to stays, even if that is on its stack. C runs on a mapped stack, with pages on both sides that nobody may touch, so it
// does not matter how little room the goroutine has. The assembly keeps to both worlds' rules: Go's assembly functions may change every
// register but the stack's and the frame's, and have g, the zero register and the flags put right again by their caller; C preserves the
// one in which the goroutine's stack pointer waits, the frame pointer, and on arm64 g's.
//
// Signals: all of Go's handlers run on stacks of their own. One that comes during the call finds g where it always is, and a program counter
// that is in no Go function, or in this assembly; the scheduler does not preempt there, and the profiler books it as external code. So the
// collector, when it stops the world, waits for the call to return.
//
// Where a poll or post is not over, since nothing was called, or what C returned wants a second look, the assembly ends with a jump to a Go function that
// has the same arguments in the same places, as if the caller had called that: whatever happens there, the assembly is no part of it.
//
// # The word
//
// Whoever wants to destroy what is called upon has to keep callers out, and wait for the one that is in. A [Gate] does that at no cost to
// callers, who use plain stores and loads: the assembly sets busy, looks at the gate's turn, and calls C if that is what it was when its
// owner looked last. Who wants callers out changes turn, and then waits while busy is set. That needs a fence between each side's store and
// its load. The callers' is left to the other side, who has the kernel run one on all processors on which the program is
// running (membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED): before it, the caller's store is visible, or after it, the caller's load
// finds the new turn. Shutting a gate takes a microsecond or a few for that.
//
// # Where it works
//
// On Linux with cgo, on amd64 and arm64, if the kernel has membarrier(2), from 4.14 on. It does not under the race, address and memory
// sanitizers, whose instruments follow stacks. Elsewhere [Available] says why not.
package direct
