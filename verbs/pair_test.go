//go:build linux && cgo

package verbs

import (
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A pair is two RC QPs of one device that talk to each other.
type pair struct {
	d        *softdev.Device
	c        *Context
	pd       *PD
	a, b     *QP
	mra, mrb *MR
}

const pairAccess = ibv.IBV_ACCESS_LOCAL_WRITE | ibv.IBV_ACCESS_REMOTE_WRITE | ibv.IBV_ACCESS_REMOTE_READ

// testPair makes a pair, connected as attr says. CQs that attr does not name are made, one for each queue. It is closed when the test ends.
func testPair(t testing.TB, attr QPAttr, connect ConnectAttr) *pair {
	t.Helper()
	d, c := testDevice(t)
	return newPair(t, d, c, attr, connect)
}

func newPair(t testing.TB, d *softdev.Device, c *Context, attr QPAttr, connect ConnectAttr) *pair {
	t.Helper()
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	p.mra, p.mrb = closing(t, must(p.pd.AllocMR(1<<16, pairAccess))), closing(t, must(p.pd.AllocMR(1<<16, pairAccess)))
	p.a, p.b = p.qp(t, attr), p.qp(t, attr)
	p.connect(t, connect)
	return p
}

// qp makes a QP with CQs of its own for what attr does not say.
func (p *pair) qp(t testing.TB, attr QPAttr) *QP {
	t.Helper()
	if attr.MaxSendWR == 0 {
		attr.MaxSendWR = 16
	}
	if attr.MaxRecvWR == 0 {
		attr.MaxRecvWR = 16
	}
	if attr.SendCQ == nil {
		attr.SendCQ = testCQ(t, p.c, 256, false)
	}
	if attr.RecvCQ == nil {
		attr.RecvCQ = testCQ(t, p.c, 256, false)
	}
	return closing(t, must(p.pd.CreateQP(attr)))
}

func (p *pair) connect(t testing.TB, attr ConnectAttr) {
	t.Helper()
	ea, eb := must(p.a.Endpoint()), must(p.b.Endpoint())
	if err := p.a.Connect(eb, attr); err != nil {
		t.Fatal(err)
	}
	if err := p.b.Connect(ea, attr); err != nil {
		t.Fatal(err)
	}
}

// sge is a part of an MR.
func sge(m *MR, offset, length int) []ibv.SGE { return []ibv.SGE{must(m.SGE(offset, length))} }

// poll takes what is in a queue, which has to be n completions.
func poll(t testing.TB, q *CQ, n int) []ibv.WC {
	t.Helper()
	wc := make([]ibv.WC, n+16)
	got, err := q.Poll(wc)
	if err != nil || got != n {
		t.Fatalf("%d completions, %v; want %d: %+v", got, err, n, wc[:max(got, 0)])
	}
	return wc[:n]
}

// one takes the one completion that is in a queue, which has to be of a request with an end.
func one(t testing.TB, q *CQ, wrid uint64, status ibv.WCStatus) ibv.WC {
	t.Helper()
	wc := poll(t, q, 1)[0]
	if wc.WRID != wrid || wc.Status != status {
		t.Fatalf("completion of %d with %v, want %d with %v", wc.WRID, wc.Status, wrid, status)
	}
	return wc
}

// ok is for calls that must not fail.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// faultOf is a call that returns a value and sets no errno.
func faultOf(value int) softdev.Fault { return softdev.Fault{Value: value, NoErrno: true} }
