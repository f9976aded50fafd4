//go:build linux && cgo

package kerneltest

import (
	"testing"

	"github.com/goverbs/ibv"
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
