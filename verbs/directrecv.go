package verbs

import (
	"runtime"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
)

// A DirectRecv posts to a QP's receive queue without the detour through cgo: see "Direct calls" in the package's documentation for what that
// is good for, and what not. It is for one goroutine at a time. Others may use the QP beside it, PostRecv among its methods, which
// takes a microsecond or a few longer then. Close, of either, may be called by any.
type DirectRecv struct {
	directHandle
	qp *QP
	rq *recvQueue
}

// DirectRecv makes a handle to post receives by, of which there may be one at a time that is direct: else the error matches EBUSY. It needs closing, before
// the QP or after; the QP does not wait for it. If the provider is not known to return at once, or there are no direct calls here, posts go by
// cgo instead: [DirectRecv.Reason] tells why. ENOMEM: there is no memory for a stack.
func (q *QP) DirectRecv(attr DirectAttr) (*DirectRecv, error) {
	const verb = cverbs.VerbPostRecv
	rq, err := q.receiving()
	if err != nil {
		return nil, err
	}
	d := &DirectRecv{qp: q, rq: rq}
	if err := begin(verb, q.core()); err != nil {
		return nil, err
	}
	defer end(q.object)
	raw := q.raw
	if err := d.setUp(q.pd.ctx, verb, raw.Context.Ops.PostRecv, uintptr(unsafe.Pointer(raw)), (*uint32)(&raw.State), uint32(ibv.IBV_QPS_INIT), uint32(ibv.IBV_QPS_ERR), attr); err != nil {
		return nil, creating(err, verb, q.name)
	}
	if gate := d.gate; gate != nil {
		if err := rq.mu.attachDirect(verb, q.name, &d.directHandle); err != nil {
			return nil, err
		}
		attached(d, &d.directHandle, func() { rq.mu.detach(gate) })
	}
	return d, nil
}

// Reason is why posts go by cgo; empty if they are direct.
func (d *DirectRecv) Reason() string {
	if d == nil {
		return ""
	}
	return d.reason
}

// Close ends the handle, after a post that is under way. A second Close does nothing.
func (d *DirectRecv) Close() error {
	if d != nil {
		d.close()
	}
	return nil
}

// Post is [QP.PostRecv], with the same results, errors among them. After Close, of the handle or of the QP, the error matches [ErrClosed].
func (d *DirectRecv) Post(r *RecvRequests) (int, error) {
	if d == nil || d.fast == nil || !d.rq.plain(r) {
		return d.postOther(r)
	}
	var bad *ibv.RecvWR
	result := d.fast.Call(uintptr(unsafe.Pointer(&r.wrs[0])), unsafe.Pointer(&bad))
	if result == 0 && bad == nil {
		d.fast.Leave()
		runtime.KeepAlive(r)
		return r.n, nil
	}
	return d.posted(r, result, bad)
}

// plain reports whether all of r fits.
func (q *recvQueue) plain(r *RecvRequests) bool {
	return r != nil && r.n > 0 && int64(r.mostSGE) <= int64(q.maxSGE)
}

// posted ends a post that the provider has not taken as a whole, or that was refused.
func (d *DirectRecv) posted(r *RecvRequests, result int, bad *ibv.RecvWR) (int, error) {
	if result == direct.Refused {
		return d.postInside(r)
	}
	defer d.gate.Leave()
	n, err := d.rq.taken(r, cverbs.Posted(result), bad)
	runtime.KeepAlive(r)
	return n, err
}

// postInside posts by cgo, with the queue to itself by its gate, or, if that is shut, by the mutex. It knows all reasons to refuse requests.
func (d *DirectRecv) postInside(r *RecvRequests) (int, error) {
	if d.gate.Enter() {
		defer d.gate.Leave()
		n, err := d.rq.postWithin(r)
		runtime.KeepAlive(r)
		return n, err
	}
	if d.closed.Load() {
		return 0, d.closedError()
	}
	n, err := d.qp.PostRecv(r)
	d.gate.See()
	return n, err
}

// postOther is Post of what is not plain, and of a handle that has no fast way.
func (d *DirectRecv) postOther(r *RecvRequests) (int, error) {
	switch {
	case d == nil || d.qp == nil:
		return (*QP)(nil).PostRecv(r)
	case d.closed.Load():
		return 0, d.closedError()
	case d.gate == nil:
		return d.qp.PostRecv(r)
	case d.fast == nil:
		if err := d.begin(cverbs.VerbPostRecv, d.qp.name); err != nil {
			return 0, err
		}
		defer d.end()
	}
	if !d.rq.plain(r) {
		return d.postInside(r)
	}
	var bad *ibv.RecvWR
	result := d.gate.Call(uintptr(unsafe.Pointer(&r.wrs[0])), unsafe.Pointer(&bad))
	return d.posted(r, result, bad)
}

func (d *DirectRecv) closedError() error {
	return &Error{Verb: cverbs.VerbPostRecv.String(), Object: d.qp.name, Err: ErrClosed, Hint: "its direct handle is closed"}
}
