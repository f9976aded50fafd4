package verbs

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
)

// DirectAttr says how direct calls are made; the zero value is a good one. The environment variable IBV_DIRECT says the same for the whole
// program, if it is off or check.
type DirectAttr struct {
	// Make none: everything goes by cgo.
	Off bool
	// Look whether two goroutines are in at once, which is an error that matches EBUSY then, and may be anything otherwise. It costs about
	// twenty nanoseconds a call.
	Check bool
}

// directVariable is the environment variable.
const directVariable = "IBV_DIRECT"

// direct is what all handles for direct calls have in common.
type directHandle struct {
	fast   *direct.Gate // as gate; nil if there is none, or calls are checked
	gate   *direct.Gate // nil: calls go by cgo
	reason string       // why; else empty
	inside atomic.Bool  // somebody is, if calls are checked
	closed atomic.Bool
	rest   directRest
	lost   runtime.Cleanup
}

// A directRest is what is left to be done when the handle goes.
type directRest struct {
	stack  *direct.Stack
	detach func() // shuts the gate for good, and waits for a call that is in; it does not lead to the handle
}

func (r directRest) end() {
	r.detach()
	r.stack.Free()
}

// setUp makes the gate, or says why there is none. Attaching it is left to the caller.
func (h *directHandle) setUp(c *Context, v cverbs.Verb, function, object uintptr, level *uint32, least, most uint32, attr DirectAttr) error {
	variable := os.Getenv(directVariable)
	switch {
	case attr.Off:
		h.reason = "DirectAttr.Off is set"
	case variable == "off":
		h.reason = directVariable + "=off"
	case variable != "" && variable != "check":
		h.reason = directVariable + "=" + variable + ", which is neither off nor check"
	case direct.Available() != "":
		h.reason = direct.Available()
	default:
		h.reason = c.unprompt(v, function)
	}
	if h.reason != "" {
		return nil
	}
	stack, err := direct.NewStack()
	if err != nil {
		return hinted(failed(v, "", err), "no memory for a stack")
	}
	h.rest.stack = stack
	h.gate = direct.NewGate(stack, function, object, level, least, most)
	if !attr.Check && variable != "check" {
		h.fast = h.gate
	}
	return nil
}

// attached has the rest done when the handle is closed or lost.
func attached[H any](handle *H, h *directHandle, detach func()) {
	h.rest.detach = detach
	// Shutting may wait for somebody's lock, and other cleanups are not to.
	h.lost = runtime.AddCleanup(handle, func(r directRest) { go r.end() }, h.rest)
}

// close ends the handle, once.
func (h *directHandle) close() {
	if !h.closed.Swap(true) && h.gate != nil {
		h.lost.Stop()
		h.rest.end()
	}
}

// begin notes, for the check, that somebody is in. It is an error if there is somebody already.
func (h *directHandle) begin(v cverbs.Verb, object string) error {
	if h.inside.CompareAndSwap(false, true) {
		return nil
	}
	return refused(v, object, syscall.EBUSY, "another goroutine is in a call of the same direct handle, which is for one at a time")
}

func (h *directHandle) end() { h.inside.Store(false) }
