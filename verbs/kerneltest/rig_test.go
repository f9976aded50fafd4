//go:build linux && cgo

package kerneltest

import (
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// A kind is what the tests run on.
type kind int

const (
	hardware kind = iota
	rxe
	software
)

// must is for what a test needs to go on.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ok is for calls that must not fail.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// closing closes an object at the test's end, which has to succeed.
func closing[T interface{ Close() error }](t testing.TB, o T) T {
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return o
}

// A side is one end of a connection: a QP, a CQ for each of its queues, and a buffer.
type side struct {
	qp       *verbs.QP
	scq, rcq *verbs.CQ
	sex, rex *verbs.CQEx // the same, if they are extended ones
	mr       *verbs.MR
}

// A setup says what the sides of a connection are to be like; the zero value is a good one.
type setup struct {
	cqe      int       // 64 if 0
	oneCQ    bool      // for both queues
	scq      *verbs.CQ // for the send queues of both sides, if it is there already
	channels bool      // to wait by, one for each CQ
	channel  *verbs.CompChannel
	extended *verbs.CQExAttr // for CQs that tell this
	qp       verbs.QPAttr
	connect  verbs.ConnectAttr
	access   ibv.AccessFlags // of the buffers; everything if 0
}

const (
	bufferSize = 1 << 16
	anyAccess  = ibv.IBV_ACCESS_LOCAL_WRITE | ibv.IBV_ACCESS_REMOTE_WRITE | ibv.IBV_ACCESS_REMOTE_READ
)

// connected makes two sides of one context that are connected.
func connected(t testing.TB, s setup) (a, b *side) {
	t.Helper()
	c := open(t)
	pd := closing(t, must(c.AllocPD()))
	a, b = newSide(t, pd, s), newSide(t, pd, s)
	connect(t, a, b, s.connect)
	return a, b
}

func newSide(t testing.TB, pd *verbs.PD, s setup) *side {
	t.Helper()
	if s.access == 0 {
		s.access = anyAccess
	}
	if s.qp.MaxSendWR == 0 {
		s.qp.MaxSendWR = 16
	}
	if s.qp.MaxRecvWR == 0 {
		s.qp.MaxRecvWR = 16
	}
	e := &side{mr: closing(t, must(pd.AllocMR(bufferSize, s.access)))}
	if e.scq = s.scq; e.scq == nil {
		e.scq, e.sex = newCQ(t, pd.Context(), s)
	}
	if e.rcq, e.rex = e.scq, e.sex; !s.oneCQ {
		e.rcq, e.rex = newCQ(t, pd.Context(), s)
	}
	s.qp.SendCQ, s.qp.RecvCQ = e.scq, e.rcq
	e.qp = closing(t, must(pd.CreateQP(s.qp)))
	return e
}

func newCQ(t testing.TB, c *verbs.Context, s setup) (*verbs.CQ, *verbs.CQEx) {
	t.Helper()
	attr := verbs.CQAttr{CQE: s.cqe, Channel: s.channel}
	if s.cqe == 0 {
		attr.CQE = 64
	}
	if s.channels {
		attr.Channel = closing(t, must(c.CreateCompChannel()))
	}
	if s.extended != nil {
		ex := *s.extended
		ex.CQAttr = attr
		q := closing(t, must(c.CreateCQEx(ex)))
		return q.CQ(), q
	}
	return closing(t, must(c.CreateCQ(attr))), nil
}

// patient fills in what soft-RoCE needs: GID 1, as the other one is link-local, and a long timeout, since an emulated processor may well
// stand still for longer than the usual 67 ms.
func patient(attr verbs.ConnectAttr) verbs.ConnectAttr {
	if which() == rxe {
		attr.GIDIndex = new(1)
		if attr.Timeout == nil {
			attr.Timeout = new(18) // 1 s
		}
	}
	return attr
}

// connect connects two sides that are in IBV_QPS_RESET.
func connect(t testing.TB, a, b *side, attr verbs.ConnectAttr) {
	t.Helper()
	attr = patient(attr)
	for _, e := range []*side{a, b} {
		ok(t, e.qp.Init(attr))
	}
	for _, e := range [][2]*side{{a, b}, {b, a}} {
		ok(t, e[0].qp.Connect(must(e[1].qp.Endpoint()), attr))
		if state := e[0].qp.State(); state != ibv.IBV_QPS_RTS {
			t.Fatalf("%v is in %v", e[0].qp, state)
		}
	}
}

// reconnect takes two sides back to IBV_QPS_RESET, and connects them again.
func reconnect(t testing.TB, a, b *side, attr verbs.ConnectAttr) {
	t.Helper()
	for _, e := range []*side{a, b} {
		ok(t, e.qp.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
	}
	connect(t, a, b, attr)
}

// part is a part of a side's buffer, as a request has it.
func (e *side) part(offset, length int) []ibv.SGE { return []ibv.SGE{must(e.mr.SGE(offset, length))} }

const patience = 20 * time.Second

// take polls until there is a completion.
func take(t testing.TB, cq *verbs.CQ) ibv.WC {
	t.Helper()
	wc := make([]ibv.WC, 1)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Microsecond) {
		n, err := cq.Poll(wc)
		ok(t, err)
		if n == 1 {
			return wc[0]
		}
	}
	t.Fatalf("no completion on %v", cq)
	return wc[0]
}

// done takes the completion of a request that has succeeded.
func done(t testing.TB, cq *verbs.CQ, wrid uint64, opcode ibv.WCOpcode) ibv.WC {
	t.Helper()
	wc := take(t, cq)
	if wc.Err() != nil || wc.WRID != wrid || wc.Opcode != opcode {
		t.Fatalf("%d has ended with %v, %v; want success of %d, %v", wc.WRID, wc.Err(), wc.Opcode, wrid, opcode)
	}
	return wc
}

// none wants a queue to be empty.
func none(t testing.TB, cq *verbs.CQ) {
	t.Helper()
	wc := make([]ibv.WC, 1)
	if n, err := cq.Poll(wc); n != 0 || err != nil {
		t.Errorf("%v has %+v, %v; want nothing", cq, wc[:n], err)
	}
}
