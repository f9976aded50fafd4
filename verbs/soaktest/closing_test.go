//go:build linux && cgo

package soaktest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// soakClosing opens a queue, polls it, and closes it beside that, again and again.
func soakClosing(t *testing.T, way tier, g *goal, seed uint64) {
	c, r := device(t), newRandom(seed)
	n := uint64(0)
	for ; !g.over(n); n++ {
		if err := openAndClose(c, way, r); err != nil {
			t.Errorf("time %d: %v", n, err)
			return
		}
	}
	g.reached(t, n, "queues closed beside who polls them")
}

// openAndClose closes one queue at some time after somebody has begun to poll it. Every other one gets completions meanwhile.
func openAndClose(c *verbs.Context, way tier, r *random) error {
	w, err := way.open(c, 64)
	if err != nil {
		return err
	}
	var p *pair
	if r.below(2) == 0 {
		if p, err = openPair(c, w.cq, 16, 0); err != nil {
			return errors.Join(err, w.close())
		}
	}
	ended, seed := make(chan error, 1), uint64(r.below(1<<30))
	go func() { ended <- w.untilClosed(newRandom(seed)) }()
	if p != nil {
		for range r.below(8) {
			err = errors.Join(err, p.b.Recv(verbs.RecvWR{}), p.a.Send(verbs.SendWR{Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED}))
		}
	}
	for range r.below(2000) { // some microseconds, as no sleep is that short
		r.below(2)
	}
	if p != nil {
		err = errors.Join(err, p.close())
	}
	if err = errors.Join(err, w.close()); err != nil {
		return err
	}
	select {
	case err = <-ended:
		return err
	case <-time.After(time.Minute):
		return errors.New("the poller of a closed queue does not end")
	}
}

// untilClosed polls until the queue is closed, which has to be a clear error, the next times as well.
func (w *way) untilClosed(r *random) error {
	for again := 0; again < 3; {
		var s sequence // of which nothing is asked here: a closed queue's completions may be anything
		n, err := w.poll(w, &s, 1+r.below(most))
		switch {
		case err == nil && again == 0:
			continue
		case n != 0 || !errors.Is(err, verbs.ErrClosed):
			return fmt.Errorf("%d completions and %w, want ErrClosed", n, err)
		}
		var e *verbs.Error
		if !errors.As(err, &e) || e.Object != w.name() {
			return fmt.Errorf("%w does not name %s", err, w.name())
		}
		again++
	}
	return nil
}

// name is that of what its errors are about.
func (w *way) name() string {
	if w.ring != nil {
		return w.ring.String()
	}
	return w.cq.String()
}
