//go:build linux && cgo

package verbs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A queue that goes takes nothing from another one that has its number by then, though what it had was polled before, and is told of later.
func TestNumberOfAQueueThatIsGone(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	first, old, young := &sendQueue{number: 1}, &sendQueue{number: 7}, &sendQueue{number: 7}
	for _, s := range []*sendQueue{first, old} {
		s.init(4, true)
		q.serve(s)
	}
	turn, before := q.turnstile.Turn(), q.scan.Load()
	young.init(4, true)
	q.serve(young)
	q.lock()
	q.dismiss(old)
	q.unlock(false)
	wc := []ibv.WC{{QPNum: 7, Opcode: ibv.IBV_WC_SEND}}
	done := func(s *sendQueue) uint64 { return s.tallied.Load().done.Load() }
	q.scan.Load().retire(wc, q.turnstile.Turn())
	if done(old) != 0 || done(young) != 1 {
		t.Errorf("%d completions for the one that is gone, %d for the other", done(old), done(young))
	}
	before.retire(wc, turn)
	if done(old) != 1 || done(young) != 1 {
		t.Errorf("%d completions for the one that is gone, %d for the other", done(old), done(young))
	}
	had := q.scan.Load()
	q.lock()
	q.dismiss(young)
	q.unlock(false)
	if s := q.scan.Load(); s.sends.len() != 1 || s.sends.get(1) != first {
		t.Errorf("left: %d", s.sends.len())
	}
	if had.sends.get(7) != young {
		t.Error("what pollers may have was changed")
	}
}

// What was polled before a QP went to RESET is not told to it afterwards: neither successes, which would free places that are taken, nor failures,
// which would end the counting. What is polled after that is.
func TestToldAfterReset(t *testing.T) {
	_, c := testDevice(t)
	q := testCQ(t, c, 16, false)
	p := newPair(t, nil, c, QPAttr{SendCQ: q, RecvCQ: q}, ConnectAttr{})
	s := p.a.sq
	good, bad := ibv.WC{QPNum: p.a.Num(), Opcode: ibv.IBV_WC_SEND}, ibv.WC{QPNum: p.a.Num(), Status: ibv.IBV_WC_RETRY_EXC_ERR}
	tell := func(turn uint64, scan *scanner) (done uint64, broken bool) {
		scan.retire([]ibv.WC{good, bad}, turn)
		scan.retireEx([]WCEx{
			{cverbs.WCEx{QPNum: good.QPNum, Opcode: good.Opcode}},
			{cverbs.WCEx{QPNum: bad.QPNum, Status: bad.Status}},
		}, turn)
		told := s.tallied.Load()
		return told.done.Load(), told.broken.Load()
	}
	turn, scan := q.turnstile.Turn(), q.scan.Load()
	ok(t, p.a.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
	if done, broken := tell(turn, scan); done != 0 || broken {
		t.Errorf("of an earlier life: %d completions, broken: %v", done, broken)
	}
	if q.turnstile.Turn() == turn {
		t.Fatal("RESET was no turn")
	}
	if done, broken := tell(q.turnstile.Turn(), q.scan.Load()); done != 2 || !broken {
		t.Errorf("of this life: %d completions, broken: %v", done, broken)
	}
}

// The polls themselves tell at which turn they were made: beside several pollers, which the collector stops at any place, nothing of an earlier life is
// told after RESET.
func TestPollsTellTheirTurn(t *testing.T) {
	for name, extended := range map[string]bool{"plain": false, "extended": true} {
		t.Run(name, func(t *testing.T) {
			d, c := testDevice(t)
			var q *CQEx
			var cq *CQ
			if extended {
				q = testCQEx(t, c, CQExAttr{CQAttr: CQAttr{CQE: 512}})
				cq = q.CQ()
			} else {
				cq = testCQ(t, c, 512, false)
			}
			p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
			p.a, p.b = p.qp(t, QPAttr{SendCQ: cq, MaxSendWR: 8, SignalAll: true}), p.qp(t, QPAttr{})
			_ = p.qp(t, QPAttr{SendCQ: cq}) // so that completions are looked at
			p.connect(t, ConnectAttr{})
			var stop atomic.Bool
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					var wc [8]ibv.WC
					var ex [8]WCEx
					for !stop.Load() {
						if extended {
							_, _ = q.Poll(ex[:])
						} else {
							_, _ = cq.Poll(wc[:])
						}
					}
				})
			}
			wg.Go(func() {
				var m runtime.MemStats
				for !stop.Load() {
					runtime.ReadMemStats(&m) // stops everybody
					time.Sleep(20 * time.Microsecond)
				}
			})
			for i := 0; i < 20 && !t.Failed(); i++ {
				for range 8 {
					_ = p.a.Send(SendWR{})
				}
				for _, qp := range []*QP{p.a, p.b} {
					ok(t, qp.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
				}
				for range 20 {
					if done := p.a.sq.tallied.Load().done.Load(); done != 0 {
						t.Errorf("after %d: %d completions of an earlier life", i, done)
						break
					}
					runtime.Gosched()
				}
				p.connect(t, ConnectAttr{})
			}
			stop.Store(true)
			wg.Wait()
		})
	}
}
