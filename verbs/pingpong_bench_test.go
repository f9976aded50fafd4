//go:build linux && cgo

package verbs

import (
	"errors"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

// A round of ping-pong over the software device, which delivers within the post: each side posts a send of 64 bytes, and the other side
// takes its receive. C does the same with the same requests. The loops are written out, as the C compiler does with its half a round.
func BenchmarkPingPong(b *testing.B) {
	b.Run("cgo", func(b *testing.B) {
		g := newPingPong(b)
		wc := make([]ibv.WC, 1)
		x, y, ping, pong, atX, atY := g.a, g.b, g.ping, g.pong, g.a.recvCQ, g.b.recvCQ
		g.compare(b, func(n int) bool {
			for range n {
				if _, err := x.PostSend(ping); err != nil {
					return false
				}
				if n, err := atY.Poll(wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
					return false
				}
				if _, err := y.PostSend(pong); err != nil {
					return false
				}
				if n, err := atX.Poll(wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
					return false
				}
			}
			return true
		})
	})
	// The same four calls with nothing around them: no lock, no accounting, no look whether anything is closed. It is the least that cgo takes.
	b.Run("bare", func(b *testing.B) {
		g := newPingPong(b)
		wc := make([]ibv.WC, 1)
		x, y, ping, pong, atX, atY := g.a.raw, g.b.raw, g.ping.At(0), g.pong.At(0), g.a.recvCQ.raw, g.b.recvCQ.raw
		g.compareUntold(b, func(n int) bool {
			for range n {
				if beside.BarePost(x, ping) != 0 {
					return false
				}
				if beside.BarePoll(atY, &wc[0]) != 1 || wc[0].Status != ibv.IBV_WC_SUCCESS {
					return false
				}
				if beside.BarePost(y, pong) != 0 {
					return false
				}
				if beside.BarePoll(atX, &wc[0]) != 1 || wc[0].Status != ibv.IBV_WC_SUCCESS {
					return false
				}
			}
			return true
		})
	})
	b.Run("direct", func(b *testing.B) {
		g := newPingPong(b)
		wc := make([]ibv.WC, 1)
		sendA, sendB := testDirectSend(b, g.a, DirectAttr{}), testDirectSend(b, g.b, DirectAttr{})
		recvA, recvB := testDirectCQ(b, g.a.recvCQ, DirectAttr{}), testDirectCQ(b, g.b.recvCQ, DirectAttr{})
		ping, pong := g.ping, g.pong
		g.compare(b, func(n int) bool {
			for range n {
				if _, err := sendA.Post(ping); err != nil {
					return false
				}
				if n, err := recvB.Poll(wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
					return false
				}
				if _, err := sendB.Post(pong); err != nil {
					return false
				}
				if n, err := recvA.Poll(wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
					return false
				}
			}
			return true
		})
	})
}

// A pingPong is two QPs, each with two CQs of its own, and what they send each other.
type pingPong struct {
	*pair
	ping, pong   *SendRequests
	recvA, recvB *RecvRequests
}

const rounds = 4096 // that there is room for

func newPingPong(b *testing.B) *pingPong {
	_, c := testDevice(b)
	p := &pair{c: c, pd: closing(b, must(c.AllocPD()))}
	p.mra, p.mrb = closing(b, must(p.pd.AllocMR(1<<16, pairAccess))), closing(b, must(p.pd.AllocMR(1<<16, pairAccess)))
	qp := func() *QP {
		return p.qp(b, QPAttr{MaxSendWR: rounds, MaxRecvWR: rounds, SendCQ: testCQ(b, c, rounds, false), RecvCQ: testCQ(b, c, rounds, false)})
	}
	p.a, p.b = qp(), qp()
	p.connect(b, ConnectAttr{})
	return &pingPong{p, oneSend(p.mra), oneSend(p.mrb), manyRecvs(p.mra), manyRecvs(p.mrb)}
}

// oneSend is a request to send 64 bytes.
func oneSend(m *MR) *SendRequests {
	r := must(NewSendRequests(1, 1, 0))
	must(0, r.Set(0, SendWR{Opcode: ibv.IBV_WR_SEND, SGList: sge(m, 0, 64), Flags: ibv.IBV_SEND_SIGNALED}))
	return r
}

func manyRecvs(m *MR) *RecvRequests {
	r := must(NewRecvRequests(rounds, 1))
	for i := range rounds {
		must(0, r.Set(i, RecvWR{SGList: sge(m, 64, 64)}))
	}
	return r
}

// compare has Go play as many rounds as it is told, beside C.
func (g *pingPong) compare(b *testing.B, play func(n int) bool) { g.compareTold(b, play, func(int) {}) }

// compareUntold is compare for what posts without the send queues' knowing.
func (g *pingPong) compareUntold(b *testing.B, play func(n int) bool) { g.compareTold(b, play, g.tell) }

// tell has the send queues account for n rounds.
func (g *pingPong) tell(n int) {
	postedInC(g.a, g.ping, n)
	postedInC(g.b, g.pong, n)
}

func (g *pingPong) compareTold(b *testing.B, play func(n int) bool, tell func(n int)) {
	b.ReportAllocs()
	beside.Compare(b, func(n int) time.Duration {
		g.prepare(b, n)
		took := beside.PingPong(g.a.raw, g.ping.At(0), g.b.raw, g.pong.At(0), n)
		if took < 0 {
			b.Fatal("a message failed")
		}
		g.tell(n)
		g.drain(b, n)
		return took
	}, func(n int) time.Duration {
		g.prepare(b, n)
		start := time.Now()
		ok := play(n)
		took := time.Since(start)
		if !ok {
			b.Fatal("a message failed")
		}
		tell(n)
		g.drain(b, n)
		return took
	}, beside.Empty)
}

// prepare posts receives for n rounds, and drain takes the completions of the sends after them. Neither is timed.
func (g *pingPong) prepare(b *testing.B, n int) {
	if err := errors.Join(g.recvA.SetLen(n), g.recvB.SetLen(n)); err != nil {
		b.Fatal(err)
	}
	must(g.a.PostRecv(g.recvA))
	must(g.b.PostRecv(g.recvB))
}

func (g *pingPong) drain(b *testing.B, n int) {
	drain(b, g.a.sendCQ, n)
	drain(b, g.b.sendCQ, n)
}
