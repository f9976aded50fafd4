//go:build linux && cgo

package kerneltest

import (
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

func TestPortEvents(t *testing.T) {
	if which() == hardware {
		t.Skip("a link of hardware is not taken down")
	}
	c := open(t)
	for _, step := range []struct {
		up    bool
		event ibv.EventType
		state ibv.PortState
	}{
		{false, ibv.IBV_EVENT_PORT_ERR, ibv.IBV_PORT_DOWN},
		{true, ibv.IBV_EVENT_PORT_ACTIVE, ibv.IBV_PORT_ACTIVE},
	} {
		setPort(t, step.up)
		if e := event(t, c, step.event); e.Port != 1 || e.Count != 1 || e.CQ != nil || e.QP != nil || e.WQ != nil {
			t.Errorf("%+v, want one of port 1", e)
		}
		if a := must(c.QueryPort(1)); a.State != step.state {
			t.Errorf("the port is %v, want %v", a.State, step.state)
		}
	}
}

// The QP whose memory a peer has no right to tells it by an event: ibv_get_async_event(3).
func TestAccessEvent(t *testing.T) {
	if which() == rxe {
		t.Skip("soft-RoCE raises no IBV_EVENT_QP_ACCESS_ERR for RC")
	}
	a, b := connected(t, setup{})
	wr := writing(a, b)
	badRKey(&wr)
	ok(t, a.qp.Send(wr))
	if e := event(t, b.qp.PD().Context(), ibv.IBV_EVENT_QP_ACCESS_ERR); e.QP != b.qp {
		t.Errorf("%+v, want one of %v", e, b.qp)
	}
	ends(t, a.scq, a.qp, 0, remoteAccess)
}

// A QP that is told to drain tells by an event that nothing is under way any more, and takes requests that wait until it goes on.
func TestDrain(t *testing.T) {
	a, b := connected(t, setup{})
	attr := &ibv.QPAttr{QPState: ibv.IBV_QPS_SQD, EnSqdAsyncNotify: 1}
	ok(t, a.qp.Modify(attr, ibv.IBV_QP_STATE|ibv.IBV_QP_EN_SQD_ASYNC_NOTIFY))
	if e := event(t, a.qp.PD().Context(), ibv.IBV_EVENT_SQ_DRAINED); e.QP != a.qp {
		t.Errorf("%+v, want one of %v", e, a.qp)
	}
	wr := writing(a, b)
	wr.Flags = ibv.IBV_SEND_SIGNALED
	ok(t, a.qp.Send(wr))
	none(t, a.scq)
	ok(t, moving(a, ibv.IBV_QPS_RTS))
	if which() == rxe { // it goes on when it next hears of a request, not when it is told to
		ok(t, a.qp.Send(writing(a, b)))
	}
	done(t, a.scq, 0, ibv.IBV_WC_RDMA_WRITE)
}

// The first message to a QP that is not ready to send yet is told by an event: ibv_get_async_event(3).
func TestEstablished(t *testing.T) {
	if which() == rxe {
		t.Skip("soft-RoCE raises no IBV_EVENT_COMM_EST")
	}
	a, b := connected(t, setup{})
	at, _, err := b.qp.Query(ibv.IBV_QP_AV | ibv.IBV_QP_PATH_MTU | ibv.IBV_QP_DEST_QPN | ibv.IBV_QP_RQ_PSN | ibv.IBV_QP_MAX_DEST_RD_ATOMIC | ibv.IBV_QP_MIN_RNR_TIMER)
	ok(t, err)
	ok(t, moving(b, ibv.IBV_QPS_RESET))
	ok(t, b.qp.Init(patient(verbs.ConnectAttr{})))
	at.QPState = ibv.IBV_QPS_RTR
	ok(t, b.qp.Modify(at, ibv.IBV_QP_STATE|ibv.IBV_QP_AV|ibv.IBV_QP_PATH_MTU|ibv.IBV_QP_DEST_QPN|ibv.IBV_QP_RQ_PSN|ibv.IBV_QP_MAX_DEST_RD_ATOMIC|ibv.IBV_QP_MIN_RNR_TIMER))
	wr := writing(a, b)
	wr.Flags = ibv.IBV_SEND_SIGNALED
	ok(t, a.qp.Send(wr))
	done(t, a.scq, 0, ibv.IBV_WC_RDMA_WRITE)
	if e := event(t, b.qp.PD().Context(), ibv.IBV_EVENT_COMM_EST); e.QP != b.qp || e.Count != 1 {
		t.Errorf("%+v, want one of %v", e, b.qp)
	}
}
