package verbs

import (
	"sync"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A QP is a queue pair: of type RC, made by [PD.CreateQP], or an RSS QP, made by [PD.CreateRSSQP], which has no queues of its own. All
// methods may be called by any goroutines at the same time, but only one changes the state at a time.
type QP struct {
	*object
	raw            *ibv.QP
	pd             *PD
	sendCQ, recvCQ *CQ          // nil of an RSS QP, as the queues are
	table          *RWQIndTable // of an RSS QP; else nil
	sq             *sendQueue
	rq             *recvQueue
	cap            ibv.QPCap

	modify   sync.Mutex // held while the state changes; the following
	local    local      // the own side of a connection
	defaults bool       // in INIT by a Connect, so that what stands there was nobody else's wish
}

func (q *QP) core() *object {
	if q == nil {
		return nil
	}
	return q.object
}

// String is the QP's name, with its number: "qp 0x00002a on mlx5_0".
func (q *QP) String() string { return q.core().String() }

// Raw returns the C object, which is valid until Close, or nil if the QP is closed. What is posted to it directly is not accounted for: see
// [QP.PostSend].
func (q *QP) Raw() *ibv.QP {
	if !q.core().enter() {
		return nil
	}
	defer q.leave(0)
	return q.raw
}

// PD is the domain that it was created in.
func (q *QP) PD() *PD {
	if q == nil {
		return nil
	}
	return q.pd
}

// SendCQ is where sends complete; nil of an RSS QP.
func (q *QP) SendCQ() *CQ {
	if q == nil {
		return nil
	}
	return q.sendCQ
}

// RecvCQ is where receives complete; nil of an RSS QP.
func (q *QP) RecvCQ() *CQ {
	if q == nil {
		return nil
	}
	return q.recvCQ
}

// Cap is the size that the queues really have, which may be more than was asked for.
func (q *QP) Cap() ibv.QPCap {
	if q == nil {
		return ibv.QPCap{}
	}
	return q.cap
}

// Num is the QP's number, by which peers name it, in host order; 0 if the QP is closed.
func (q *QP) Num() uint32 {
	if !q.core().enter() {
		return 0
	}
	defer q.leave(0)
	return q.raw.QPNum
}

// State is the state that the QP was last put in, or in which Query last found it; IBV_QPS_UNKNOWN if the QP is closed. After an error the
// device has moved it to IBV_QPS_ERR, of which only Query knows.
func (q *QP) State() ibv.QPState {
	if !q.core().enter() {
		return ibv.IBV_QPS_UNKNOWN
	}
	defer q.leave(0)
	return qpState(q.raw)
}

// Query asks the device for the attributes in mask, by ibv_query_qp. Others may be set as well, or zero.
func (q *QP) Query(mask ibv.QPAttrMask) (*ibv.QPAttr, *ibv.QPInitAttr, error) {
	if err := begin(cverbs.VerbQueryQP, q.core()); err != nil {
		return nil, nil, err
	}
	defer end(q.object)
	attr, init := new(ibv.QPAttr), new(ibv.QPInitAttr)
	if err := cverbs.QueryQP(q.raw, attr, int32(mask), init); err != nil {
		return nil, nil, q.failed(cverbs.VerbQueryQP, err)
	}
	return attr, init, nil
}

// Close destroys the QP with ibv_destroy_qp, after the calls and posts under way. What is outstanding does not complete, and completions
// that were not polled yet may be gone. A second call does nothing. On an error the QP stays as it was.
func (q *QP) Close() error {
	return q.core().close(cverbs.VerbDestroyQP, func() error {
		q.lockQueues()
		defer q.unlockQueues()
		err := cverbs.DestroyQP(q.raw)
		if err != nil && !q.home.gone(err) {
			return err
		}
		if q.sq != nil {
			q.sq.closed, q.sq.Takes, q.rq.closed = true, unusual, true
			q.sq.mu.end()
			q.rq.mu.end()
			q.sendCQ.dismiss(q.sq)
		}
		q.pd.ctx.async.forget(addressOf(q.raw), q.object)
		return err
	})
}

// lockQueues keeps posts waiting, and everybody from polling the send queue's completions, until unlockQueues. Receives are not counted.
func (q *QP) lockQueues() {
	if q.sq != nil {
		q.sendCQ.lock()
		q.sq.mu.Lock()
		q.rq.mu.Lock()
	}
}

func (q *QP) unlockQueues() {
	if q.sq != nil {
		q.rq.mu.Unlock()
		q.sq.mu.Unlock()
		q.sendCQ.unlock(false)
	}
}
