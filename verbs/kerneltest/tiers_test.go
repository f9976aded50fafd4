//go:build linux && cgo

package kerneltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// A pollFunc fills wc with completions, as CQ.Poll does.
type pollFunc func(wc []ibv.WC) (int, error)

// A tier is a way to poll a CQ. All have to do the same. What it takes a device for that does as it is told has its cases in package verbs.
type tier struct {
	name string
	does feature
	open func(t testing.TB, c *verbs.Context, cqe int) *polled
}

// A feature is something that a tier does, or lets others do, and that some cases are about.
type feature int

const (
	holds  feature = 1 << iota // what has come stays in the queue until it is asked for, so that the queue overruns if nobody does
	array                      // it takes an array, which may be of no entries
	shares                     // others may poll the queue beside it
	closes                     // others may close the queue beside it
)

// A polled is a queue, and how it is polled. Its first side's sends complete there.
type polled struct {
	tier
	q    *verbs.CQ
	poll pollFunc
	// came waits until n completions in all, which are in the queue, can be polled; nil: they can.
	came func(t testing.TB, n uint64)
	more []interface{ Close() error } // to be closed after the queue
	a, b *side
}

const everything = holds | array | shares | closes

var tiers = []tier{
	{"Poll", everything, by(func(t testing.TB, q *verbs.CQ) pollFunc { return q.Poll })},
	{"PollSpin", everything, by(func(t testing.TB, q *verbs.CQ) pollFunc {
		return func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, 0) }
	})},
	{"PollSpin once", everything, by(func(t testing.TB, q *verbs.CQ) pollFunc {
		return func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, -1) }
	})},
	// To wait for no entries is an error.
	{"Wait", holds | shares | closes, by(func(t testing.TB, q *verbs.CQ) pollFunc {
		done, cancel := context.WithCancel(t.Context())
		cancel()
		return func(wc []ibv.WC) (int, error) {
			n, err := q.Wait(done, wc)
			if err == context.Canceled {
				err = nil
			}
			return n, err
		}
	})},
	{"direct", everything, direct(verbs.DirectAttr{})},
	{"direct, checked", everything, direct(verbs.DirectAttr{Check: true})},
	{"direct, off", everything, direct(verbs.DirectAttr{Off: true})},
	{"extended", everything, extended(false)},
	// One goroutine at a time has to do with it.
	{"extended, single", holds | array, extended(true)},
	// A thread takes what comes, into an array of the ring's, and nobody else may poll.
	{"ring", closes, openRing},
}

// by is a way to poll an ordinary queue.
func by(poll func(t testing.TB, q *verbs.CQ) pollFunc) func(testing.TB, *verbs.Context, int) *polled {
	return func(t testing.TB, c *verbs.Context, cqe int) *polled {
		q, _ := newCQ(t, c, setup{cqe: cqe, channels: true})
		return &polled{q: q, poll: poll(t, q)}
	}
}

func direct(attr verbs.DirectAttr) func(testing.TB, *verbs.Context, int) *polled {
	return by(func(t testing.TB, q *verbs.CQ) pollFunc { return closing(t, must(q.Direct(attr))).Poll })
}

func extended(single bool) func(testing.TB, *verbs.Context, int) *polled {
	return func(t testing.TB, c *verbs.Context, cqe int) *polled {
		hasExtended(t)
		q, ex := newCQ(t, c, setup{cqe: cqe, channels: true, extended: &verbs.CQExAttr{Fields: standardFields, SingleThreaded: single}})
		batch := make([]verbs.WCEx, 64)
		return &polled{q: q, poll: func(wc []ibv.WC) (int, error) {
			n, err := ex.Poll(batch[:min(len(wc), len(batch))])
			for i := range n {
				wc[i] = told(&batch[i])
			}
			return n, err
		}}
	}
}

// told is what the cases look at of an extended completion.
func told(w *verbs.WCEx) (wc ibv.WC) {
	wc.WRID, wc.Status = w.WRID(), w.Status()
	wc.QPNum, _ = w.QPNum()
	wc.Opcode, _ = w.Opcode()
	var e *ibv.CompletionError
	if errors.As(w.Err(), &e) {
		wc.VendorErr = e.VendorErr
	}
	return wc
}

func openRing(t testing.TB, c *verbs.Context, cqe int) *polled {
	r := closing(t, must(c.CreateRing(verbs.RingAttr{Entries: 1024})))
	q := closing(t, must(r.CreateCQ(verbs.CQAttr{CQE: cqe})))
	var rest []ibv.WC
	return &polled{q: q, more: []interface{ Close() error }{r},
		came: func(t testing.TB, n uint64) {
			eventually(t, "completions in the ring", func() bool { return r.Stats().Taken >= n })
		},
		poll: func(wc []ibv.WC) (n int, err error) {
			for err == nil && n < len(wc) {
				if len(rest) == 0 {
					if rest, err = r.Next(); len(rest) == 0 {
						break
					}
				}
				k := copy(wc[n:], rest)
				n, rest = n+k, rest[k:]
			}
			return n, err
		}}
}

// close closes what completes into the queue, the queue, and what is beside it.
func (p *polled) close() error {
	err := errors.Join(p.a.qp.Close(), p.b.qp.Close(), p.q.Close())
	for _, o := range p.more {
		err = errors.Join(err, o.Close())
	}
	return err
}

// written waits until all that a has posted so far has ended, which none of it tells itself: a reads what b has, and reads come behind all else.
func (p *polled) written(t testing.TB) {
	t.Helper()
	const from, to = bufferSize - 8, bufferSize - 16
	p.b.mr.Bytes()[from]++
	wr := reading(p.a, p.b)
	wr.RemoteAddr, wr.SGList = p.b.mr.Addr()+from, p.a.part(to, 1)
	ok(t, p.a.qp.Send(wr))
	eventually(t, "answer", func() bool { return p.a.mr.Bytes()[to] == p.b.mr.Bytes()[from] })
	if which() == hardware { // which may tell of what has ended later
		time.Sleep(10 * time.Millisecond)
	}
}

// write has a write these, the first n of its memory, and waits until the completions can be polled: before there were so many.
func (p *polled) write(t testing.TB, before int, ids ...uint64) {
	t.Helper()
	wr := writing(p.a, p.b)
	wr.Flags = ibv.IBV_SEND_SIGNALED
	for _, wr.WRID = range ids {
		ok(t, p.a.qp.Send(wr))
	}
	p.written(t)
	if p.came != nil {
		p.came(t, uint64(before+len(ids)))
	}
}

// eventually waits until f is true.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(50 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("there is no %s", what)
		}
	}
}
