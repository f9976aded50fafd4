package verbs

import (
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
)

// A DirectCQ polls a CQ without the detour through cgo: see "Direct calls" in the package's documentation for what that is good for, and what
// not. It is for one goroutine at a time; the CQ itself, and other DirectCQs of it, may be used beside it. Close, of either, may be called by any.
type DirectCQ struct {
	poller direct.Poller // first, for Poll; without a gate if there is no fast way
	directHandle
	cq    *CQ
	tally *tally
}

// Direct makes a handle to poll the queue by. It needs closing, before the queue or after; the queue does not wait for it. If the provider
// is not known to return at once, or there are no direct calls here, polls go by cgo instead: [DirectCQ.Reason] tells why. ENOMEM: there is no
// memory for a stack. EINVAL: a ring polls the queue.
func (c *CQ) Direct(attr DirectAttr) (*DirectCQ, error) {
	const verb = cverbs.VerbPollCQ
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	if c.ring != nil {
		end(c.object)
		return nil, c.polledByRing()
	}
	d := &DirectCQ{cq: c}
	err := d.setUp(c.ctx, verb, c.raw.Context.Ops.PollCQ, uintptr(unsafe.Pointer(c.raw)), c.events.overrun.word(), 0, 0, attr)
	end(c.object)
	if err != nil {
		return nil, creating(err, verb, c.name)
	}
	if d.gate == nil {
		return d, nil
	}
	o, gate := c.object, d.gate
	t, open := o.attachGate(gate)
	if !open {
		d.rest.stack.Free()
		return nil, c.closedError()
	}
	d.tally = t
	d.poller.Through(d.fast)
	attached(d, &d.directHandle, func() { o.detachGate(gate, t) })
	return d, nil
}

// Reason is why polls go by cgo; empty if they are direct.
func (d *DirectCQ) Reason() string {
	if d == nil {
		return ""
	}
	return d.reason
}

// Close ends the handle, after a poll that is under way. A second Close does nothing.
func (d *DirectCQ) Close() error {
	if d != nil {
		d.close()
	}
	return nil
}

// Poll is [CQ.Poll], with the same results, errors among them. After Close, of the handle or of the queue, the error matches [ErrClosed].
func (d *DirectCQ) Poll(wc []ibv.WC) (int, error) {
	return direct.Poll((*direct.Poller)(unsafe.Pointer(d)), unsafe.Pointer(unsafe.SliceData(wc)), len(wc), pollOtherwise)
}

// A handle is found by its poller, nil by nil.
var _ [0]struct{} = [unsafe.Offsetof(DirectCQ{}.poller)]struct{}{}

// pollOtherwise is where a poll goes on that was not direct, or is not over.
func pollOtherwise(p *direct.Poller, out unsafe.Pointer, n int) (int, error) {
	d, wc := (*DirectCQ)(unsafe.Pointer(p)), unsafe.Slice((*ibv.WC)(out), n)
	switch result := p.Result(); result {
	case 0:
		return d.pollOther(wc)
	case direct.Refused:
		return d.refused(wc)
	default:
		return d.polled(wc, result-direct.Held)
	}
}

// polled ends a poll that has returned n, and is still in.
func (d *DirectCQ) polled(wc []ibv.WC, n int) (int, error) {
	c := d.cq
	if n >= 0 && n <= len(wc) {
		if !d.gate.Counted(n) {
			if s := c.scan.Load(); s != nil {
				s.retire(wc[:n], held)
			}
		}
		d.gate.Leave()
		return n, nil
	}
	d.gate.Leave()
	_, err := cverbs.Polled(n, entries(wc))
	if !c.enter() {
		return 0, c.closedError()
	}
	return c.pollAgain(wc, err)
}

// refused ends a poll that the gate has refused: somebody wants the queue for himself, or did so since the last poll, or it is closed, or has
// overrun.
func (d *DirectCQ) refused(wc []ibv.WC) (int, error) {
	if d.closed.Load() {
		return 0, hinted(d.cq.closedError(), "its direct handle is closed")
	}
	n, err := d.cq.pollBeside(wc)
	d.gate.See()
	return n, err
}

// pollOther is Poll of a handle that has no fast way, or that needs none.
func (d *DirectCQ) pollOther(wc []ibv.WC) (int, error) {
	switch {
	case d == nil || d.cq == nil:
		return 0, (*CQ)(nil).closedError()
	case d.closed.Load():
		return 0, hinted(d.cq.closedError(), "its direct handle is closed")
	case d.gate == nil || len(wc) == 0:
		return d.cq.Poll(wc)
	}
	if err := d.begin(cverbs.VerbPollCQ, d.cq.name); err != nil {
		return 0, err
	}
	defer d.end()
	n := d.gate.Call(uintptr(entries(wc)), unsafe.Pointer(&wc[0]))
	if n == direct.Refused {
		return d.refused(wc)
	}
	return d.polled(wc, n)
}
