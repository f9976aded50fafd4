//go:build linux && cgo

package kerneltest

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// fails wants an error of a verb with an errno value, EINVAL unless others are given.
func fails[T any](t *testing.T, verb string, v T, err error, also ...syscall.Errno) {
	t.Helper()
	var e *verbs.Error
	if !errors.As(err, &e) || e.Verb != verb {
		t.Errorf("got %v, %v; want an error of %s", v, err, verb)
		return
	}
	for _, errno := range append(also, syscall.EINVAL) {
		if errors.Is(err, errno) {
			return
		}
	}
	t.Errorf("got %v, want EINVAL or one of %v", err, also)
}

// What the device refuses is an error of the verb's, and makes nothing.
func TestRefused(t *testing.T) {
	c := open(t)
	a := must(c.QueryDevice())
	pd, cq := closing(t, must(c.AllocPD())), closing(t, must(c.CreateCQ(verbs.CQAttr{CQE: 16})))
	qp := func(change func(*verbs.QPAttr)) (*verbs.QP, error) {
		attr := verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}
		change(&attr)
		return pd.CreateQP(attr)
	}
	p, err := c.QueryPort(int(a.PhysPortCnt) + 1)
	fails(t, "ibv_query_port", p, err)
	q, err := c.CreateCQ(verbs.CQAttr{CQE: int(a.MaxCQE) + 1})
	fails(t, "ibv_create_cq", q, err, syscall.ENOMEM)
	q, err = c.CreateCQ(verbs.CQAttr{CQE: 0})
	fails(t, "ibv_create_cq", q, err)
	m, err := pd.AllocMR(4096, ibv.IBV_ACCESS_REMOTE_WRITE)
	fails(t, "ibv_reg_mr", m, err) // ibv_reg_mr(3): remote write needs local write
	m, err = pd.RegMR(nil, ibv.IBV_ACCESS_LOCAL_WRITE)
	fails(t, "ibv_reg_mr", m, err)
	r, err := qp(func(q *verbs.QPAttr) { q.MaxSendWR = int(a.MaxQPWR) + 1 })
	fails(t, "ibv_create_qp", r, err, syscall.ENOMEM)
	r, err = qp(func(q *verbs.QPAttr) { q.MaxRecvWR = int(a.MaxQPWR) + 1 })
	fails(t, "ibv_create_qp", r, err, syscall.ENOMEM)
	r, err = qp(func(q *verbs.QPAttr) { q.MaxRecvSGE = int(a.MaxSGE) + 1 })
	fails(t, "ibv_create_qp", r, err, syscall.ENOMEM)
	r, err = qp(func(q *verbs.QPAttr) { q.MaxInlineData = 1 << 20 })
	fails(t, "ibv_create_qp", r, err, syscall.ENOMEM)
}

// busy wants Close to be refused because of an object, which it names.
func busy(t *testing.T, o interface{ Close() error }, name string) {
	t.Helper()
	if err := o.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), name) {
		t.Errorf("got %v, want EBUSY and %q", err, name)
	}
}

// What others need cannot be closed, and works on.
func TestCloseOrder(t *testing.T) {
	a, b := connected(t, setup{channels: true})
	pd := a.qp.PD()
	busy(t, a.scq, a.qp.String())
	busy(t, a.scq.Channel(), a.scq.String())
	busy(t, pd, a.mr.String())
	busy(t, pd.Context(), a.scq.String()) // some of many are named
	ok(t, b.qp.Recv(verbs.RecvWR{WRID: 2}))
	passMessage(t, a, 1, 0)
	done(t, b.rcq, 2, ibv.IBV_WC_RECV)
	for range 2 {
		ok(t, a.qp.Close())
		ok(t, a.scq.Close())
	}
}

// Memory of Go's is registered, written to by a peer, and free again.
func TestRegisteredSlice(t *testing.T) {
	a, b := connected(t, setup{})
	buffer := make([]byte, 3*4096)
	mr := must(b.qp.PD().RegMR(buffer[100:9000], anyAccess))
	wr := writing(a, b)
	copy(a.mr.Bytes(), bytes.Repeat([]byte{0xa5}, 64))
	wr.RemoteAddr, wr.RKey, wr.Flags = mr.Addr()+8900-64, mr.RKey(), ibv.IBV_SEND_SIGNALED
	ok(t, a.qp.Send(wr))
	done(t, a.scq, 0, ibv.IBV_WC_RDMA_WRITE)
	want := make([]byte, len(buffer))
	copy(want[9000-64:], a.mr.Bytes()[:64])
	if !bytes.Equal(buffer, want) {
		t.Error("the bytes are not where they should be")
	}
	ok(t, mr.Close())
	ok(t, a.qp.Send(wr))
	ends(t, a.scq, a.qp, 0, remoteAccess)
}

// Contexts of one device reach each other's QPs, and keep their own objects.
func TestTwoContexts(t *testing.T) {
	c := open(t)
	d := closing(t, must(c.Device().Open()))
	a, b := newSide(t, closing(t, must(c.AllocPD())), setup{}), newSide(t, closing(t, must(d.AllocPD())), setup{})
	connect(t, a, b, verbs.ConnectAttr{})
	ok(t, b.qp.Recv(verbs.RecvWR{WRID: 2}))
	passMessage(t, a, 1, 0)
	done(t, b.rcq, 2, ibv.IBV_WC_RECV)
	q, err := a.qp.PD().CreateQP(verbs.QPAttr{SendCQ: b.scq, RecvCQ: b.rcq, MaxSendWR: 1, MaxRecvWR: 1})
	fails(t, "ibv_create_qp", q, err)
}
