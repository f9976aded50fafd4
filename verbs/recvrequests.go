package verbs

import (
	"fmt"
	"runtime"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A RecvWR describes one request for a receive queue, as struct ibv_recv_wr does.
type RecvWR struct {
	// The caller's word, which comes back in the completion.
	WRID uint64
	// The buffers, filled in order. Their memory needs IBV_ACCESS_LOCAL_WRITE.
	SGList []ibv.SGE
}

// RecvRequests are receive requests in memory that C may read: built once, patched and posted again as often as wanted. They may be posted
// to any QP or WQ, but are for one goroutine at a time: if two post them at once anything may happen, a post beside Close included. The buffers have to
// stay in place until the requests have completed; the requests themselves may be changed as soon as a post returns.
//
// The memory is unmapped when nothing refers to the RecvRequests any more.
type RecvRequests struct {
	requestMemory[ibv.RecvWR]
	n       int
	mostSGE int32 // the most elements that a request has ever had
}

// NewRecvRequests makes n requests, each with room for maxSGE elements. They are zero: without a buffer. Sizes that are negative or beyond
// reason, or an n below 1, are refused with EINVAL; ENOMEM: no memory.
func NewRecvRequests(n, maxSGE int) (*RecvRequests, error) {
	r := new(RecvRequests)
	m, err := newRequestMemory[ibv.RecvWR](cverbs.VerbPostRecv, r, n, maxSGE, 0, false)
	if err != nil {
		return nil, err
	}
	r.requestMemory, r.n = m, n
	for i := range r.wrs {
		r.wrs[i].SGList = r.first(i)
		if i > 0 {
			r.wrs[i-1].Next = &r.wrs[i]
		}
	}
	return r, nil
}

// Cap is how many requests there are.
func (r *RecvRequests) Cap() int {
	if r == nil {
		return 0
	}
	return len(r.wrs)
}

// Len is how many of them a post takes, from the first: all, unless SetLen has been called.
func (r *RecvRequests) Len() int {
	if r == nil {
		return 0
	}
	return r.n
}

// SetLen makes posts take the first n requests. EINVAL: n is not between 0 and Cap.
func (r *RecvRequests) SetLen(n int) error {
	if n < 0 || n > r.Cap() {
		return refused(cverbs.VerbPostRecv, "", syscall.EINVAL, fmt.Sprintf("length %d of a chain of %d requests", n, r.Cap()))
	}
	if r == nil {
		return nil
	}
	if r.n > 0 && r.n < len(r.wrs) {
		r.wrs[r.n-1].Next = &r.wrs[r.n]
	}
	if r.n = n; n > 0 {
		r.wrs[n-1].Next = nil
	}
	runtime.KeepAlive(r) // this may be the last use of r, whose end unmaps what is written to
	return nil
}

// At is request i in C's form, to be patched in place: at once, with no check. Leave Next, SGList and NumSGE as they are. It is valid as
// long as r is. It is nil if there is no such request.
func (r *RecvRequests) At(i int) *ibv.RecvWR {
	if i < 0 || i >= r.Cap() {
		return nil
	}
	return &r.wrs[i]
}

// SGE is element k of request i, to be patched in place. It is valid as long as r is. It is nil if there is no room for such an element.
func (r *RecvRequests) SGE(i, k int) *ibv.SGE {
	if i < 0 || i >= r.Cap() || k < 0 || k >= r.maxSGE {
		return nil
	}
	return &r.list(i)[k]
}

// Set makes request i what wr says. EINVAL: there is no such request, or no room for so many elements; it is unchanged then.
func (r *RecvRequests) Set(i int, wr RecvWR) error {
	switch {
	case i < 0 || i >= r.Cap():
		return refused(cverbs.VerbPostRecv, "", syscall.EINVAL, fmt.Sprintf("request %d of a chain of %d", i, r.Cap()))
	case len(wr.SGList) > r.maxSGE:
		return refused(cverbs.VerbPostRecv, "", syscall.EINVAL, fmt.Sprintf("request %d has %d elements, and room for %d", i, len(wr.SGList), r.maxSGE))
	}
	w := &r.wrs[i]
	w.WRID, w.NumSGE = wr.WRID, int32(len(wr.SGList))
	copy(r.list(i), wr.SGList)
	r.mostSGE = max(r.mostSGE, w.NumSGE)
	runtime.KeepAlive(r)
	return nil
}

// unfit is the first request of those to be posted that has more elements than a queue has room for; -1: none.
func (r *RecvRequests) unfit(maxSGE uint32) int {
	if int64(r.mostSGE) <= int64(maxSGE) {
		return -1
	}
	for i := range r.wrs[:r.n] {
		if int64(r.wrs[i].NumSGE) > int64(maxSGE) {
			return i
		}
	}
	return -1
}
