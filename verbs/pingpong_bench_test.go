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
// takes its receive. C does the same with the same requests.
func BenchmarkPingPong(b *testing.B) {
	b.Run("cgo", func(b *testing.B) {
		benchmarkPingPong(b, func(q *QP) player { return player{q.PostSend, q.recvCQ.Poll} })
	})
	b.Run("direct", func(b *testing.B) {
		benchmarkPingPong(b, func(q *QP) player {
			return player{testDirectSend(b, q, DirectAttr{}).Post, testDirectCQ(b, q.recvCQ, DirectAttr{}).Poll}
		})
	})
}

// A player is how one side posts sends, and polls for receives.
type player struct {
	post func(*SendRequests) (int, error)
	poll func([]ibv.WC) (int, error)
}

const rounds = 8192 // that there is room for

func benchmarkPingPong(b *testing.B, how func(*QP) player) {
	_, c := testDevice(b)
	cq := func() *CQ { return testCQ(b, c, rounds, false) }
	attr := QPAttr{MaxSendWR: rounds, MaxRecvWR: rounds}
	p := &pair{c: c, pd: closing(b, must(c.AllocPD()))}
	p.mra, p.mrb = closing(b, must(p.pd.AllocMR(1<<16, pairAccess))), closing(b, must(p.pd.AllocMR(1<<16, pairAccess)))
	attr.SendCQ, attr.RecvCQ = cq(), cq()
	p.a = p.qp(b, attr)
	attr.SendCQ, attr.RecvCQ = cq(), cq()
	p.b = p.qp(b, attr)
	p.connect(b, ConnectAttr{})
	ping, pong := oneSend(p.mra), oneSend(p.mrb)
	a, z := how(p.a), how(p.b)
	b.ReportAllocs()
	beside.Compare(b, p.played(b, ping, pong, func(n int) time.Duration { return pingPongInC(b, p, ping, pong, n) }),
		p.played(b, ping, pong, func(n int) time.Duration { return pingPongInGo(b, a, ping, z, pong, n) }), beside.Empty)
}

// oneSend is a request to send 64 bytes.
func oneSend(m *MR) *SendRequests {
	r := must(NewSendRequests(1, 1, 0))
	must(0, r.Set(0, SendWR{Opcode: ibv.IBV_WR_SEND, SGList: sge(m, 0, 64), Flags: ibv.IBV_SEND_SIGNALED}))
	return r
}

// played posts receives before play, and takes the completions of the sends after it. Neither is timed.
func (p *pair) played(b *testing.B, ping, pong *SendRequests, play beside.Loop) beside.Loop {
	ra, rb := manyRecvs(p.mra), manyRecvs(p.mrb)
	return func(n int) time.Duration {
		must(0, errors.Join(ra.SetLen(n), rb.SetLen(n)))
		must(p.a.PostRecv(ra))
		must(p.b.PostRecv(rb))
		took := play(n)
		drain(b, p.a.sendCQ, n)
		drain(b, p.b.sendCQ, n)
		return took
	}
}

func manyRecvs(m *MR) *RecvRequests {
	r := must(NewRecvRequests(rounds, 1))
	for i := range rounds {
		must(0, r.Set(i, RecvWR{SGList: sge(m, 64, 64)}))
	}
	return r
}

func pingPongInC(b *testing.B, p *pair, ping, pong *SendRequests, n int) time.Duration {
	took := beside.PingPong(p.a.raw, ping.At(0), p.b.raw, pong.At(0), n)
	if took < 0 {
		b.Fatal("a message failed")
	}
	postedInC(p.a, ping, n)
	postedInC(p.b, pong, n)
	return took
}

func pingPongInGo(b *testing.B, a player, ping *SendRequests, z player, pong *SendRequests, n int) time.Duration {
	wc := make([]ibv.WC, 1)
	half := func(from player, r *SendRequests, to player) bool {
		if _, err := from.post(r); err != nil {
			return false
		}
		got, err := to.poll(wc)
		return err == nil && got == 1 && wc[0].Status == ibv.IBV_WC_SUCCESS
	}
	start := time.Now()
	for range n {
		if !half(a, ping, z) || !half(z, pong, a) {
			b.Fatal("a message failed")
		}
	}
	return time.Since(start)
}
