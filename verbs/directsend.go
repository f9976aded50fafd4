package verbs

import (
	"runtime"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
)

// A DirectSend posts to a QP's send queue without the detour through cgo: see "Direct calls" in the package's documentation for what that is
// good for, and what not. It is for one goroutine at a time. Others may use the QP beside it, PostSend among its methods, which takes
// a microsecond or a few longer then. Close, of either, may be called by any.
type DirectSend struct {
	poster direct.Poster // first, for Post; without a gate if there is no fast way
	directHandle
	qp *QP
	sq *sendQueue
}

// DirectSend makes a handle to post sends by, of which there may be one at a time that is direct: else the error matches EBUSY. It needs closing, before the
// QP or after; the QP does not wait for it. If the provider is not known to return at once, or there are no direct calls here, or the QP has
// [QPAttr.SendOps], posts go by cgo instead: [DirectSend.Reason] tells why. ENOMEM: there is no memory for a stack.
func (q *QP) DirectSend(attr DirectAttr) (*DirectSend, error) {
	const verb = cverbs.VerbPostSend
	s, err := q.sending()
	if err != nil {
		return nil, err
	}
	d := &DirectSend{qp: q, sq: s}
	if err := begin(verb, q.core()); err != nil {
		return nil, err
	}
	defer end(q.object)
	if s.ex != nil {
		d.reason = "its requests are built: see QPAttr.SendOps"
		return d, nil
	}
	raw := q.raw
	if err := d.setUp(q.pd.ctx, verb, raw.Context.Ops.PostSend, uintptr(unsafe.Pointer(raw)), (*uint32)(&raw.State), uint32(ibv.IBV_QPS_RTS), uint32(ibv.IBV_QPS_ERR), attr); err != nil {
		return nil, creating(err, verb, q.name)
	}
	if gate := d.gate; gate != nil {
		if d.fast != nil {
			d.poster.Through(d.fast, &s.Queue)
		}
		if err := s.mu.attachDirect(verb, q.name, &d.directHandle); err != nil {
			return nil, err
		}
		attached(d, &d.directHandle, func() { s.mu.detach(gate) })
	}
	return d, nil
}

// attachDirect lets the handle's gate in. If there is one already the handle's stack is freed.
func (m *queueMutex) attachDirect(v cverbs.Verb, name string, h *directHandle) error {
	m.Lock()
	defer m.Unlock()
	if !m.attach(h.gate) {
		h.rest.stack.Free()
		return refused(v, name, syscall.EBUSY, "the queue has a direct handle already")
	}
	return nil
}

// Reason is why posts go by cgo; empty if they are direct.
func (d *DirectSend) Reason() string {
	if d == nil {
		return ""
	}
	return d.reason
}

// Close ends the handle, after a post that is under way. A second Close does nothing.
func (d *DirectSend) Close() error {
	if d != nil {
		d.close()
	}
	return nil
}

// Post is [QP.PostSend], with the same results, errors among them. After Close, of the handle or of the QP, the error matches [ErrClosed].
func (d *DirectSend) Post(r *SendRequests) (int, error) {
	return direct.Post((*direct.Poster)(unsafe.Pointer(d)), (*direct.Chain)(unsafe.Pointer(r)), postOtherwise)
}

// A handle is found by its poster, and requests by their chain, nil by nil.
var (
	_ [0]struct{} = [unsafe.Offsetof(DirectSend{}.poster)]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(SendRequests{}.chain)]struct{}{}
)

// postOtherwise is where a post goes on that was not direct, or is not over.
func postOtherwise(p *direct.Poster, chain *direct.Chain) (int, error) {
	d, r := (*DirectSend)(unsafe.Pointer(p)), (*SendRequests)(unsafe.Pointer(chain))
	switch result := p.Result(); result {
	case 0, direct.Refused:
		return d.postOther(r)
	default:
		return d.posted(r, result-direct.Held, (*ibv.SendWR)(p.Bad()))
	}
}

// posted ends a post that the provider has not taken as a whole, or that was refused.
func (d *DirectSend) posted(r *SendRequests, result int, bad *ibv.SendWR) (int, error) {
	if result == direct.Refused {
		return d.postInside(r)
	}
	defer d.gate.Leave()
	if result == 0 && bad == nil {
		d.sq.accept(r, r.Len())
		return r.Len(), nil
	}
	n, err := d.sq.rejected(r, cverbs.Posted(result), bad)
	runtime.KeepAlive(r)
	return n, err
}

// postInside posts by cgo, with the queue to itself by its gate, or, if that is shut, by the mutex. It knows all reasons to refuse requests.
func (d *DirectSend) postInside(r *SendRequests) (int, error) {
	if d.gate.Enter() {
		defer d.gate.Leave()
		n, err := d.sq.post(r)
		runtime.KeepAlive(r)
		return n, err
	}
	if d.closed.Load() {
		return 0, d.closedError()
	}
	n, err := d.qp.PostSend(r)
	d.gate.See()
	return n, err
}

// postOther is Post of what is not plain, and of a handle that has no fast way.
func (d *DirectSend) postOther(r *SendRequests) (int, error) {
	switch {
	case d == nil || d.qp == nil:
		return (*QP)(nil).PostSend(r)
	case d.closed.Load():
		return 0, d.closedError()
	case d.gate == nil:
		return d.qp.PostSend(r)
	case d.fast == nil:
		if err := d.begin(cverbs.VerbPostSend, d.qp.name); err != nil {
			return 0, err
		}
		defer d.end()
	}
	if r != nil && !d.sq.plain(r) && d.gate.Enter() {
		d.sq.free(r.Len()) // looks what has ended meanwhile
		d.gate.Leave()
	}
	if !d.sq.plain(r) {
		return d.postInside(r)
	}
	var bad *ibv.SendWR
	result := d.gate.Call(uintptr(unsafe.Pointer(&r.wrs[0])), unsafe.Pointer(&bad))
	return d.posted(r, result, bad)
}

func (d *DirectSend) closedError() error {
	return &Error{Verb: cverbs.VerbPostSend.String(), Object: d.qp.name, Err: ErrClosed, Hint: "its direct handle is closed"}
}
