package verbs

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"syscall"
	"weak"

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

// QPAttr says what an RC QP is to be like.
type QPAttr struct {
	// Where sends and receives complete; they may be the same. A CQ that serves nothing but one QP's send queue is the fastest.
	SendCQ, RecvCQ *CQ
	// How many requests may be outstanding. The device may give more: see QP.Cap.
	MaxSendWR, MaxRecvWR int
	// How many elements a request may have; 0 is 1.
	MaxSendSGE, MaxRecvSGE int
	// How many bytes a send may carry inline.
	MaxInlineData int
	// Every send completes as if it had IBV_SEND_SIGNALED.
	SignalAll bool
}

// CreateQP creates a QP of type RC with ibv_create_qp, in state IBV_QPS_RESET. The domain and the CQs cannot be closed before it.
//
// Refused with EINVAL: a nil CQ, one of another context, a number outside of uint32. The hint of what the device refuses compares with the
// device's limits.
func (p *PD) CreateQP(attr QPAttr) (*QP, error) {
	v := cverbs.VerbCreateQP
	init := ibv.QPInitAttr{QPType: ibv.IBV_QPT_RC}
	if attr.SignalAll {
		init.SQSigAll = 1
	}
	var err error
	if init.Cap, err = attr.cap(v, p.core()); err != nil {
		return nil, err
	}
	q, err := p.create(v, attr.SendCQ, attr.RecvCQ, nil, func() (*ibv.QP, ibv.QPCap, error) {
		init.SendCQ, init.RecvCQ = attr.SendCQ.raw, attr.RecvCQ.raw
		raw, err := cverbs.CreateQP(p.raw, &init)
		return raw, init.Cap, p.limits(err, &attr)
	})
	if err != nil {
		return nil, err
	}
	if err := q.queues(attr.SignalAll); err != nil {
		_ = q.Close()
		return nil, creating(err, v, p.name)
	}
	return q, nil
}

// create makes a QP's handle. make is called within calls on all that the QP needs.
func (p *PD) create(v cverbs.Verb, send, recv *CQ, table *RWQIndTable, make func() (*ibv.QP, ibv.QPCap, error)) (*QP, error) {
	needs := []*object{p.core(), send.core(), recv.core()}
	if table != nil {
		needs = []*object{p.core(), table.core()}
	}
	if err := begin(v, needs...); err != nil {
		return nil, err
	}
	defer end(needs...)
	if err := sameHome(v, p.object, needs[1:]...); err != nil {
		return nil, err
	}
	raw, limits, err := make()
	if err != nil {
		return nil, err
	}
	o := newObject(p.home, fmt.Sprintf("qp %#06x on %s", raw.QPNum, p.home.device), needs...)
	q := track(&QP{object: o, raw: raw, pd: p, sendCQ: send, recvCQ: recv, table: table, cap: limits}, o)
	p.ctx.async.note(addressOf(raw), target{object: o, qp: weak.Make(q)})
	return q, nil
}

// queues makes what is needed to post.
func (q *QP) queues(all bool) error {
	send, err := NewSendRequests(1, int(q.cap.MaxSendSGE), int(q.cap.MaxInlineData))
	if err != nil {
		return err
	}
	recv, err := NewRecvRequests(1, int(q.cap.MaxRecvSGE))
	if err != nil {
		return err
	}
	q.rq = &recvQueue{verb: cverbs.VerbPostRecv, home: q.home, name: q.name, qp: q.raw, maxSGE: q.cap.MaxRecvSGE, one: recv}
	q.sq = &sendQueue{home: q.home, name: q.name, number: q.raw.QPNum, raw: q.raw, cap: q.cap, one: send}
	q.sq.init(q.cap.MaxSendWR, all)
	q.sq.full, q.sq.stuck = noRoom(q.name, 0, q.sq.room, false), noRoom(q.name, 0, q.sq.room, true)
	q.sendCQ.serve(q.sq)
	q.recvCQ.serve(nil)
	return nil
}

// cap is the attributes in C's form.
func (a *QPAttr) cap(v cverbs.Verb, on *object) (ibv.QPCap, error) {
	var r ibv.QPCap
	switch {
	case a.SendCQ == nil:
		return r, refused(v, on.String(), syscall.EINVAL, "QPAttr.SendCQ is nil")
	case a.RecvCQ == nil:
		return r, refused(v, on.String(), syscall.EINVAL, "QPAttr.RecvCQ is nil")
	}
	return r, uint32s(v, on, []number{
		{"QPAttr.MaxSendWR", a.MaxSendWR, &r.MaxSendWR},
		{"QPAttr.MaxRecvWR", a.MaxRecvWR, &r.MaxRecvWR},
		{"QPAttr.MaxSendSGE", orOne(a.MaxSendSGE), &r.MaxSendSGE},
		{"QPAttr.MaxRecvSGE", orOne(a.MaxRecvSGE), &r.MaxRecvSGE},
		{"QPAttr.MaxInlineData", a.MaxInlineData, &r.MaxInlineData},
	})
}

// A number is a caller's, and where it goes.
type number struct {
	name string
	from int
	to   *uint32
}

// uint32s refuses numbers that C has no room for.
func uint32s(v cverbs.Verb, on *object, numbers []number) error {
	for _, n := range numbers {
		if n.from < 0 || int64(n.from) > math.MaxUint32 {
			return refused(v, on.String(), syscall.EINVAL, fmt.Sprintf("%s is %d, and has to be between 0 and %d", n.name, n.from, uint32(math.MaxUint32)))
		}
		*n.to = uint32(n.from)
	}
	return nil
}

func orOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

// limits makes the error of a creation that failed, and compares with what the device can do if that may be the reason.
func (p *PD) limits(err error, a *QPAttr) error {
	if err == nil {
		return nil
	}
	err = p.failed(cverbs.VerbCreateQP, err)
	if e := errnoOf(err); e != syscall.EINVAL && e != syscall.ENOMEM {
		return err
	}
	d, failure := p.ctx.queryDevice()
	if failure != nil {
		return err
	}
	hints := above("QPAttr.MaxSendWR", a.MaxSendWR, "max_qp_wr", d.MaxQPWR)
	hints = append(hints, above("QPAttr.MaxRecvWR", a.MaxRecvWR, "max_qp_wr", d.MaxQPWR)...)
	hints = append(hints, above("QPAttr.MaxSendSGE", a.MaxSendSGE, "max_sge", d.MaxSGE)...)
	hints = append(hints, above("QPAttr.MaxRecvSGE", a.MaxRecvSGE, "max_sge", d.MaxSGE)...)
	if len(hints) == 0 && a.MaxInlineData > 0 {
		// No query tells how much a device can take.
		hints = []string{fmt.Sprintf("likely QPAttr.MaxInlineData %d is more than the device can take, with so many elements", a.MaxInlineData)}
	}
	return hinted(err, strings.Join(hints, "; "))
}

// above is a hint if what was asked for is above the device's limit.
func above(name string, asked int, limit string, most int32) []string {
	if int64(asked) <= int64(most) {
		return nil
	}
	return []string{fmt.Sprintf("%s %d is above the device's %s %d", name, asked, limit, most)}
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
			q.sq.closed, q.rq.closed = true, true
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
