//go:build linux && cgo

package soaktest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// A way polls one CQ.
type way struct {
	cq     *verbs.CQ
	poll   func(w *way, s *sequence, room int) (int, error)
	direct *verbs.DirectCQ
	ex     *verbs.CQEx
	ring   *verbs.Ring
	ctx    context.Context // of who waits
	more   []interface{ Close() error }
}

// A tier makes ways.
type tier struct {
	name string
	// made is for completions that are made up, and come without end, and without events. Who waits for those has none.
	made, open func(c *verbs.Context, entries int) (*way, error)
}

// most is how many completions are asked for at a time.
const most = 64

// The arrays that completions are written to are on the goroutine's stack, if the compiler lets them, so that they move with it.
var tiers = []tier{
	{"Poll", openPoll, openPoll},
	{"PollSpin", openSpin, openSpin},
	{"direct", openDirect, openDirect},
	{"extended", openExtended, openExtended},
	{"ring", openRing(-1), openRing(0)},
	{"Wait", nil, openWait},
}

func openPoll(c *verbs.Context, entries int) (*way, error) {
	return plain(c, entries, func(w *way, s *sequence, room int) (int, error) {
		var wc [most]ibv.WC
		n, err := w.cq.Poll(wc[:room])
		s.check(wc[:n])
		return n, err
	})
}

func openSpin(c *verbs.Context, entries int) (*way, error) {
	return plain(c, entries, func(w *way, s *sequence, room int) (int, error) {
		var wc [most]ibv.WC
		n, err := w.cq.PollSpin(wc[:room], 0)
		s.check(wc[:n])
		return n, err
	})
}

func plain(c *verbs.Context, entries int, poll func(w *way, s *sequence, room int) (int, error)) (*way, error) {
	q, err := c.CreateCQ(verbs.CQAttr{CQE: entries})
	return &way{cq: q, poll: poll}, err
}

func openDirect(c *verbs.Context, entries int) (*way, error) {
	w, err := plain(c, entries, func(w *way, s *sequence, room int) (int, error) {
		var wc [most]ibv.WC
		n, err := w.direct.Poll(wc[:room])
		s.check(wc[:n])
		return n, err
	})
	if err != nil {
		return w, err
	}
	if w.direct, err = w.cq.Direct(verbs.DirectAttr{}); err != nil {
		return w, errors.Join(err, w.cq.Close())
	}
	w.more = append(w.more, w.direct)
	return w, nil
}

const fields = ibv.IBV_WC_EX_WITH_BYTE_LEN | ibv.IBV_WC_EX_WITH_IMM | ibv.IBV_WC_EX_WITH_QP_NUM | ibv.IBV_WC_EX_WITH_SRC_QP

func openExtended(c *verbs.Context, entries int) (*way, error) {
	q, err := c.CreateCQEx(verbs.CQExAttr{CQAttr: verbs.CQAttr{CQE: entries}, Fields: fields})
	return &way{cq: q.CQ(), ex: q, poll: func(w *way, s *sequence, room int) (int, error) {
		var wc [most]verbs.WCEx
		n, err := w.ex.Poll(wc[:room])
		s.checkEx(wc[:n])
		return n, err
	}}, err
}

// The ring is full at times if completions come without end. As it is large its thread, and who takes from it, have something to do while the other has no
// processor.
func openRing(spin time.Duration) func(c *verbs.Context, entries int) (*way, error) {
	return func(c *verbs.Context, entries int) (*way, error) {
		r, err := c.CreateRing(verbs.RingAttr{Entries: 2 * entries, Spin: spin})
		if err != nil {
			return nil, err
		}
		q, err := r.CreateCQ(verbs.CQAttr{CQE: entries})
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		return &way{cq: q, ring: r, more: []interface{ Close() error }{r}, poll: func(w *way, s *sequence, room int) (int, error) {
			batch, err := w.ring.Next()
			s.check(batch)
			return len(batch), err
		}}, nil
	}
}

func openWait(c *verbs.Context, entries int) (*way, error) {
	ch, err := c.CreateCompChannel()
	if err != nil {
		return nil, err
	}
	q, err := c.CreateCQ(verbs.CQAttr{CQE: entries, Channel: ch})
	if err != nil {
		return nil, errors.Join(err, ch.Close())
	}
	return &way{cq: q, ctx: context.Background(), more: []interface{ Close() error }{ch}, poll: func(w *way, s *sequence, room int) (int, error) {
		var wc [most]ibv.WC
		n, err := w.cq.Wait(w.ctx, wc[:room])
		s.check(wc[:n])
		return n, err
	}}, nil
}

// close closes the CQ, and then what is beside it.
func (w *way) close() error {
	err := w.cq.Close()
	for _, o := range w.more {
		err = errors.Join(err, o.Close())
	}
	return err
}

// deep polls after so many calls have taken their part of the stack, which has to grow for it at times, and may move back later.
//
//go:noinline
func (w *way) deep(levels int, s *sequence, room int) (int, error) {
	if levels == 0 {
		return w.poll(w, s, room)
	}
	var part [1024]byte
	part[levels] = byte(levels)
	n, err := w.deep(levels-1, s, room)
	if part[levels] != byte(levels) {
		err = errors.Join(err, errors.New("the stack was written to"))
	}
	return n, err
}

// run polls until stop says so, which is asked now and then and whenever there is nothing, or until an error.
func (w *way) run(s *sequence, random *random, stop func() bool) error {
	for i := 0; ; i++ {
		levels := 0
		if i%256 == 0 {
			levels = random.below(64)
		}
		n, err := w.deep(levels, s, 1+random.below(most))
		if err == nil {
			err = s.err
		}
		if err != nil {
			return err
		}
		if (n == 0 || i%256 == 0) && stop() {
			return nil
		}
	}
}

// notes logs why direct polls are none, and what a ring has done.
func (w *way) notes(t *testing.T) {
	if w.ring != nil {
		t.Logf("ring: %+v", w.ring.Stats())
	}
	if w.direct != nil && w.direct.Reason() != "" {
		t.Log("not direct: ", w.direct.Reason())
	}
}
