//go:build linux && cgo

package verbs

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
)

// everywhere runs all of f, again and again and side by side, for a while. They have to come to an end.
func everywhere(t *testing.T, f ...func() error) {
	t.Helper()
	stop := time.Now().Add(200 * time.Millisecond)
	var wg sync.WaitGroup
	for _, f := range f {
		wg.Go(func() {
			for time.Now().Before(stop) {
				if err := f(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	soon(t, "that", wg.Wait)
}

// making is a QP's short life.
func making(p *PD, send, recv *CQ, reset bool) func() error {
	return func() error {
		q, err := p.CreateQP(QPAttr{SendCQ: send, RecvCQ: recv, MaxSendWR: 1, MaxRecvWR: 1})
		if err == nil && reset {
			err = q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE)
		}
		return errors.Join(err, q.Close())
	}
}

// busy is a close that is refused.
func busy(close func() error) func() error {
	return func() error {
		if err := close(); !errors.Is(err, syscall.EBUSY) {
			return errors.Join(errors.New("closed what is in use"), err)
		}
		return nil
	}
}

// QPs that share CQs, in any order, come and go at the same time.
func TestSharedCQsDoNotBlockEachOther(t *testing.T) {
	for name, reset := range map[string]bool{"create and close": false, "to RESET as well": true} {
		t.Run(name, func(t *testing.T) {
			_, c := testDevice(t)
			pd := must(c.AllocPD())
			a, b := must(c.CreateCQ(CQAttr{CQE: 16})), must(c.CreateCQ(CQAttr{CQE: 16}))
			keep := must(pd.CreateQP(QPAttr{SendCQ: a, RecvCQ: b}))
			everywhere(t,
				making(pd, a, b, reset), making(pd, b, a, reset), making(pd, a, a, reset), making(pd, a, b, false), making(pd, b, a, false),
				making(pd, b, b, false), busy(a.Close), busy(b.Close), busy(pd.Close), busy(c.Close),
				func() error { _, err := a.Poll(make([]ibv.WC, 1)); return err },
				func() error { _, err := c.QueryDevice(); return err })
			for _, o := range []interface{ Close() error }{keep, a, b, pd} {
				ok(t, o.Close())
			}
		})
	}
}

// Tables that name a WQ many times are made while others try to close it, and WQs come and go on the CQ.
func TestTablesDoNotBlockWQs(t *testing.T) {
	_, c := testDevice(t)
	pd, cq := must(c.AllocPD()), must(c.CreateCQ(CQAttr{CQE: 16}))
	wq := must(c.CreateWQ(WQAttr{MaxWR: 1, PD: pd, CQ: cq}))
	keep := must(c.CreateRWQIndTable(wq))
	list := make([]*WQ, 64)
	for i := range list {
		list[i] = wq
	}
	table := func() error {
		t, err := c.CreateRWQIndTable(list...)
		return errors.Join(err, t.Close())
	}
	queue := func() error {
		w, err := c.CreateWQ(WQAttr{MaxWR: 1, PD: pd, CQ: cq})
		return errors.Join(err, w.Close())
	}
	everywhere(t, table, table, queue, queue, making(pd, cq, cq, true), busy(wq.Close), busy(cq.Close), busy(pd.Close), busy(c.Close))
	for _, o := range []interface{ Close() error }{keep, wq, cq, pd} {
		ok(t, o.Close())
	}
}
