package verbs

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A recvQueue is where receives are posted, to a QP or to a WQ.
type recvQueue struct {
	mu     queueMutex // of posts, which enter no guard
	closed bool
	verb   cverbs.Verb
	home   *home
	name   string
	qp     *ibv.QP // or nil
	wq     *ibv.WQ // or nil
	maxSGE uint32
	one    *RecvRequests // memory for a single request
}

// PostRecv posts a chain of requests to the receive queue, with one call of ibv_post_recv, and returns how many were accepted: with an
// error that is also the index of the first that was not. ErrQueueFull: there was no room.
//
// Refused with EINVAL, and none posted: no chain; a QP in IBV_QPS_RESET; a request with more elements than [QP.Cap] has. In IBV_QPS_ERR
// requests are accepted and complete with IBV_WC_WR_FLUSH_ERR; soft-RoCE flushes receives only when it next has to do with the QP, so those
// that are posted last may stay.
//
// Several goroutines may post to one QP, each with its own chain; their chains are not interleaved. Nothing is allocated unless it fails, but as in [QP.PostSend].
func (q *QP) PostRecv(r *RecvRequests) (int, error) {
	rq, err := q.receiving()
	if err != nil {
		return 0, err
	}
	return rq.post(r)
}

// Recv posts one request, as PostRecv does, from memory of the QP's own.
func (q *QP) Recv(wr RecvWR) error {
	rq, err := q.receiving()
	if err != nil {
		return err
	}
	return rq.postOne(wr)
}

// receiving is the receive queue of a QP that has one.
func (q *QP) receiving() (*recvQueue, error) {
	switch {
	case q == nil || q.object == nil:
		return nil, &Error{Verb: cverbs.VerbPostRecv.String(), Object: q.core().String(), Err: ErrClosed}
	case q.rq == nil:
		return nil, refused(cverbs.VerbPostRecv, q.name, syscall.EINVAL, "a QP with an indirection table has no queues: post to its WQs")
	}
	return q.rq, nil
}

// PostRecv posts a chain of requests to the queue, with one call of ibv_post_wq_recv, and returns how many were accepted: with an error
// that is also the index of the first that was not. ErrQueueFull: there was no room.
//
// Refused with EINVAL, and none posted: no chain; a WQ in IBV_WQS_RESET, where hardware accepts requests and drops them; a request with
// more elements than MaxSGE says. In IBV_WQS_ERR requests are accepted and complete with IBV_WC_WR_FLUSH_ERR.
//
// Several goroutines may post to one WQ, each with its own chain; their chains are not interleaved. Nothing is allocated unless it fails, but as in [QP.PostSend].
func (w *WQ) PostRecv(r *RecvRequests) (int, error) {
	if w == nil || w.object == nil {
		return 0, &Error{Verb: cverbs.VerbPostWQRecv.String(), Object: w.core().String(), Err: ErrClosed}
	}
	return w.rq.post(r)
}

// Recv posts one request, as PostRecv does, from memory of the WQ's own.
func (w *WQ) Recv(wr RecvWR) error {
	if w == nil || w.object == nil {
		return &Error{Verb: cverbs.VerbPostWQRecv.String(), Object: w.core().String(), Err: ErrClosed}
	}
	return w.rq.postOne(wr)
}

func (q *recvQueue) post(r *RecvRequests) (int, error) {
	chain := chainOf(r)
	term := q.mu.bias.enter(chain)
	if term == nil {
		q.mu.Lock()
	}
	n, err := q.postWithin(r)
	if term != nil {
		term.leave()
	} else {
		q.mu.unlockAfter(chain)
	}
	runtime.KeepAlive(r) // a refusal may have looked at a request last
	return n, err
}

func (q *recvQueue) postOne(wr RecvWR) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed: // post says so
	case len(wr.SGList) > int(q.maxSGE):
		return q.tooLong(0, len(wr.SGList))
	default:
		q.one.mostSGE = 0 // what was posted before does not count
		if err := q.one.Set(0, wr); err != nil {
			return err
		}
	}
	_, err := q.postWithin(q.one)
	return err
}

// postWithin is for whoever has mu.
func (q *recvQueue) postWithin(r *RecvRequests) (int, error) {
	if err := q.refuse(r); err != nil || r.n == 0 {
		return 0, err
	}
	if q.wq != nil {
		var bad *ibv.RecvWR
		errno := cverbs.PostWQRecv(q.wq, &r.wrs[0], &bad)
		return q.taken(r, errno, bad)
	}
	p := cverbs.RecvPost{QP: q.qp, WR: &r.wrs[0]}
	result := p.Call()
	runtime.KeepAlive(r)
	return q.taken(r, cverbs.Posted(int(result)), p.Bad)
}

// taken makes the result of a post.
func (q *recvQueue) taken(r *RecvRequests, errno syscall.Errno, bad *ibv.RecvWR) (int, error) {
	if errno == 0 && bad == nil {
		return r.n, nil
	}
	n := 0
	if bad != nil {
		if i, ok := r.index(bad); ok {
			n = i
		}
	}
	return n, q.home.rejection(q.verb, q.name, errno, n, r.n, q.hint(errno))
}

// hint tells why the device is likely to have refused a request.
func (q *recvQueue) hint(errno syscall.Errno) string {
	switch {
	case errno != syscall.ENOMEM:
		return ""
	case q.wq != nil:
		return "the device has no room for it: see WQAttr.MaxWR"
	}
	return "the device has no room for it: see QPAttr.MaxRecvWR"
}

// refuse refuses what the device would, or should.
func (q *recvQueue) refuse(r *RecvRequests) error {
	switch {
	case q.closed:
		return &Error{Verb: q.verb.String(), Object: q.name, Err: ErrClosed}
	case r == nil || len(r.wrs) == 0:
		return refused(q.verb, q.name, syscall.EINVAL, "there are no requests")
	case q.wq != nil && wqState(q.wq) == ibv.IBV_WQS_RESET:
		return refused(q.verb, q.name, syscall.EINVAL, "the WQ is in IBV_WQS_RESET: hardware would take requests and drop them")
	case q.qp != nil && qpState(q.qp) == ibv.IBV_QPS_RESET:
		return refused(q.verb, q.name, syscall.EINVAL, "the QP is in IBV_QPS_RESET, and receives from IBV_QPS_INIT on")
	}
	if i := r.unfit(q.maxSGE); i >= 0 {
		return q.tooLong(i, int(r.wrs[i].NumSGE))
	}
	return nil
}

func (q *recvQueue) tooLong(i, sges int) error {
	return refused(q.verb, q.name, syscall.EINVAL, fmt.Sprintf("request %d has %d elements, and the queue allows %d", i, sges, q.maxSGE))
}

// wqState is the state that the library keeps.
func wqState(wq *ibv.WQ) ibv.WQState {
	return ibv.WQState(atomic.LoadUint32((*uint32)(&wq.State)))
}
