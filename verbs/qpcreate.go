package verbs

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"weak"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

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
	// The operations that will be posted, if they are to be posted by the calls of ibv_wr_start and its kin (IBV_QP_EX_WITH_SEND and others): the QP is
	// created with ibv_create_qp_ex then, and takes no others. Which calls a post makes is all that differs: hardware may like these better. 0
	// is for ibv_post_send, which soft-RoCE also gets for requests with several elements, as it would send them with a wrong length.
	SendOps ibv.QPCreateSendOpsFlags
}

// CreateQP creates a QP of type RC with ibv_create_qp, or ibv_create_qp_ex if it has SendOps, in state IBV_QPS_RESET. The domain and the CQs cannot be closed before it.
//
// Refused with EINVAL: a nil CQ, one of another context, a number outside of uint32. The hint of what the device refuses compares with the
// device's limits.
func (p *PD) CreateQP(attr QPAttr) (*QP, error) {
	v := cverbs.VerbCreateQP
	if attr.SendOps != 0 {
		v = cverbs.VerbCreateQPEx
	}
	init := ibv.QPInitAttr{QPType: ibv.IBV_QPT_RC}
	if attr.SignalAll {
		init.SQSigAll = 1
	}
	var err error
	if init.Cap, err = attr.cap(v, p.core()); err != nil {
		return nil, err
	}
	var ex *ibv.QPEx
	q, err := p.create(v, attr.SendCQ, attr.RecvCQ, nil, func() (*ibv.QP, ibv.QPCap, error) {
		init.SendCQ, init.RecvCQ = attr.SendCQ.raw, attr.RecvCQ.raw
		var raw *ibv.QP
		var err error
		if attr.SendOps != 0 {
			raw, ex, err = p.createForOps(&init, attr.SendOps)
		} else {
			raw, err = cverbs.CreateQP(p.raw, &init)
		}
		return raw, init.Cap, p.limits(v, err, &attr)
	})
	if err != nil {
		return nil, err
	}
	if err := q.queues(attr.SignalAll, ex, attr.SendOps); err != nil {
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
func (q *QP) queues(all bool, ex *ibv.QPEx, ops ibv.QPCreateSendOpsFlags) error {
	send, err := NewSendRequests(1, int(q.cap.MaxSendSGE), int(q.cap.MaxInlineData))
	if err != nil {
		return err
	}
	recv, err := NewRecvRequests(1, int(q.cap.MaxRecvSGE))
	if err != nil {
		return err
	}
	q.rq = &recvQueue{verb: cverbs.VerbPostRecv, home: q.home, name: q.name, qp: q.raw, maxSGE: q.cap.MaxRecvSGE, one: recv}
	q.sq = &sendQueue{home: q.home, name: q.name, number: q.raw.QPNum, raw: q.raw, ex: ex, ops: ops, cap: q.cap, one: send}
	q.sq.Takes = bounds(&q.cap)
	if ex != nil {
		q.sq.Takes = unusual // they are built
	}
	q.sq.noLists = ex != nil && countsWrong(ex)
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
func (p *PD) limits(v cverbs.Verb, err error, a *QPAttr) error {
	var named *Error
	if err == nil || errors.As(err, &named) { // which is of another verb
		return err
	}
	err = p.failed(v, err)
	if a.SendOps != 0 && errors.Is(err, ErrNotSupported) {
		return hinted(err, fmt.Sprintf("likely the device cannot do all of QPAttr.SendOps, %v, by these calls", a.SendOps))
	}
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
