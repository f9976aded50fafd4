package main

import (
	"context"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

// The requests' ids are bits, as what has to complete before the next message is sent.
const (
	received = 1 << iota
	sent
)

// A player is one side of the game, with its requests.
type player struct {
	qp       *verbs.QP
	cq       *verbs.CQ
	send     *verbs.SendRequests
	recvs    *verbs.RecvRequests
	received int // receives that are posted
}

// prepare makes the requests and the message, and returns where messages arrive. The client sends from another place, so that it cannot
// take its own message for the server's; the server sends back what has arrived.
func (p *player) prepare(mr *verbs.MR, client bool) []byte {
	in, out := vt.Must(mr.SGE(0, *size)), vt.Must(mr.SGE(*size, *size))
	if !client {
		out = in
	}
	fill(mr.Bytes()[*size:])
	for i := range mr.Bytes()[:*size] {
		mr.Bytes()[i] = ^byte(filler) // is in no message
	}
	p.send = vt.Must(verbs.NewSendRequests(1, 1, 0))
	vt.Check(p.send.Set(0, verbs.SendWR{WRID: sent, Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED, SGList: []ibv.SGE{out}}))
	p.recvs = vt.Must(verbs.NewRecvRequests(*depth, 1))
	for i := range *depth {
		vt.Check(p.recvs.Set(i, verbs.RecvWR{WRID: received, SGList: []ibv.SGE{in}}))
	}
	return mr.Bytes()[:*size]
}

// receive posts as many receives as there is room for.
func (p *player) receive() {
	vt.Check(p.recvs.SetLen(*depth - p.received))
	n, err := p.qp.PostRecv(p.recvs)
	vt.Check(err)
	p.received += n
}

// play sends and receives so many messages; the client begins. The next one is sent when the last one has completed and its answer is there.
func (p *player) play(client bool, rounds int) {
	sends, recvs, pending := 0, 0, received
	post := func() {
		vt.Must(p.qp.PostSend(p.send))
		pending = received | sent
	}
	if client {
		post()
	}
	wc := make([]ibv.WC, 2)
	for sends < rounds || recvs < rounds {
		for _, wc := range wc[:p.take(wc)] {
			vt.Check(wc.Err())
			if wc.WRID == sent {
				sends++
			} else {
				recvs++
				p.received--
			}
			if pending &^= int(wc.WRID); pending == 0 && sends < rounds {
				post()
			}
		}
		if p.received <= 1 {
			p.receive()
		}
	}
}

// take waits for completions.
func (p *player) take(wc []ibv.WC) int {
	if *events {
		return vt.Must(p.cq.Wait(context.Background(), wc))
	}
	n := 0
	for n == 0 {
		n = vt.Must(p.cq.PollSpin(wc, 100*time.Microsecond))
	}
	return n
}
