//go:build linux && cgo

package soaktest

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

const (
	room  = 8192 // requests that are outstanding at a time, on either side
	chain = 16   // requests of a post
)

// A pair is two QPs, all of whose completions go to one CQ. Messages go from a to b.
type pair struct {
	pd   *verbs.PD
	mr   *verbs.MR
	a, b *verbs.QP
}

// openPair opens it; ops is QPAttr.SendOps.
func openPair(c *verbs.Context, cq *verbs.CQ, room int, ops ibv.QPCreateSendOpsFlags) (p *pair, err error) {
	p = &pair{}
	if p.pd, err = c.AllocPD(); err == nil {
		p.mr, err = p.pd.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE)
	}
	attr := verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: room, MaxRecvWR: room, SendOps: ops}
	for _, q := range []**verbs.QP{&p.a, &p.b} {
		if err == nil {
			*q, err = p.pd.CreateQP(attr)
		}
	}
	if err == nil {
		err = connect(p.a, p.b)
	}
	if err != nil {
		err = errors.Join(err, p.close())
	}
	return p, err
}

func connect(a, b *verbs.QP) error {
	for _, q := range [][2]*verbs.QP{{a, b}, {b, a}} {
		remote, err := q[1].Endpoint()
		if err == nil {
			err = q[0].Connect(remote, verbs.ConnectAttr{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pair) close() error {
	return errors.Join(p.a.Close(), p.b.Close(), p.mr.Close(), p.pd.Close())
}

// A sender posts numbered messages, and receives for them.
type sender struct {
	postSend       func(*verbs.SendRequests) (int, error)
	postRecv       func(*verbs.RecvRequests) (int, error)
	handles        []interface{ Close() error }
	sends          *verbs.SendRequests
	recvs          *verbs.RecvRequests
	sent, expected uint64 // the next numbers
}

// newSender posts as w polls: directly, if that does.
func newSender(p *pair, w *way) (*sender, error) {
	s := &sender{postSend: p.a.PostSend, postRecv: p.b.PostRecv}
	if w.direct != nil {
		send, err := p.a.DirectSend(verbs.DirectAttr{})
		if err != nil {
			return nil, err
		}
		recv, err := p.b.DirectRecv(verbs.DirectAttr{})
		if err != nil {
			return nil, errors.Join(err, send.Close())
		}
		s.postSend, s.postRecv, s.handles = send.Post, recv.Post, append(s.handles, send, recv)
	}
	sge, err := p.mr.SGE(0, 64)
	if err == nil {
		s.sends, err = verbs.NewSendRequests(chain, 1, 0)
	}
	if err == nil {
		s.recvs, err = verbs.NewRecvRequests(chain, 1)
	}
	for i := 0; i < chain && err == nil; i++ {
		err = errors.Join(s.recvs.Set(i, verbs.RecvWR{SGList: []ibv.SGE{sge}}),
			s.sends.Set(i, verbs.SendWR{Opcode: ibv.IBV_WR_SEND_WITH_IMM, Flags: ibv.IBV_SEND_SIGNALED, SGList: []ibv.SGE{sge}}))
	}
	return s, err
}

// post posts a chain of each kind, as far as there is room, and reports whether there was any.
func (s *sender) post() (bool, error) {
	for i := range uint64(chain) {
		s.recvs.At(int(i)).WRID = s.expected + i
		wr := s.sends.At(int(i))
		wr.WRID = s.sent + i
		wr.SetImmData(ibv.ToBe32(data(s.sent + i)))
		s.sends.SGE(int(i), 0).Length = length(s.sent + i)
	}
	r, err := s.postRecv(s.recvs)
	s.expected += uint64(r)
	if err != nil && !errors.Is(err, verbs.ErrQueueFull) {
		return false, err
	}
	if s.expected-s.sent < chain {
		return r > 0, nil
	}
	n, err := s.postSend(s.sends)
	s.sent += uint64(n)
	if errors.Is(err, verbs.ErrQueueFull) {
		err = nil
	}
	return r+n > 0, err
}

// run posts until it is told to stop.
func (s *sender) run(stop *atomic.Bool) error {
	for !stop.Load() {
		some, err := s.post()
		if err != nil {
			return err
		}
		if !some {
			runtime.Gosched()
		}
	}
	return nil
}

// soakQPs polls a queue of QPs that exchange messages.
func soakQPs(t *testing.T, way tier, g *goal, seed uint64) {
	w, err := way.open(device(t), 4*room)
	if err != nil {
		t.Fatal(err)
	}
	ops := ibv.QPCreateSendOpsFlags(0)
	if w.ex != nil { // who polls in batches sends in such
		ops = ibv.IBV_QP_EX_WITH_SEND_WITH_IMM
	}
	p, err := openPair(w.cq.Context(), w.cq, room, ops)
	if err != nil {
		t.Fatal(err)
	}
	sender, err := newSender(p, w)
	if err != nil {
		t.Fatal(err)
	}
	var (
		stop   atomic.Bool
		posted = make(chan error, 1)
		s      = &sequence{a: p.a.Num(), b: p.b.Num()}
	)
	go func() { posted <- sender.run(&stop) }()
	err = w.run(s, newRandom(seed), func() bool { return g.over(s.seen()) })
	stop.Store(true)
	if err = errors.Join(err, <-posted); err != nil {
		t.Error(err)
	}
	// All of that has ended, or does before long.
	for late := time.Now().Add(patience); err == nil && s.seen() < 2*sender.sent; {
		if time.Now().After(late) {
			t.Errorf("%d messages were sent; %d of these completions are there, and %d of receives", sender.sent, s.sent, s.came)
			break
		}
		err = w.run(s, newRandom(seed), func() bool { return true })
	}
	if s.err != nil {
		t.Error(s.err)
	}
	var closed error
	for _, h := range sender.handles {
		closed = errors.Join(closed, h.Close())
	}
	if err := errors.Join(closed, p.close(), w.close()); err != nil {
		t.Error(err)
	}
	w.notes(t)
	g.reached(t, s.seen(), "completions")
}
