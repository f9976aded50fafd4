//go:build linux && cgo

package verbstest_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

// What cannot be done from outside names the object and the cause, with the package in front once.
func TestControlErrors(t *testing.T) {
	d, other := verbstest.New(t, verbstest.Config{}), verbstest.New(t, verbstest.Config{Name: "other"})
	ctx, foreign := verbstest.Must(d.Open()), verbstest.Must(other.Open())
	defer ctx.Close()
	defer foreign.Close()
	cq, strange := verbstest.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 1})), verbstest.Must(foreign.CreateCQ(verbs.CQAttr{CQE: 1}))
	defer cq.Close()
	defer strange.Close()
	pd := verbstest.Must(ctx.AllocPD())
	defer pd.Close()
	qp := verbstest.Must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq}))
	defer qp.Close()
	_, _, inject := d.Inject(qp, make([]byte, 64))
	_, calls := d.Calls("ibv_frobnicate")
	const refused = ": invalid argument: "
	for want, err := range map[string]error{
		"raise IBV_EVENT_QP_FATAL on cq 1 on softdev0" + refused + "the event is not about a CQ":                               d.RaiseCQ(cq, ibv.IBV_EVENT_QP_FATAL),
		"raise IBV_EVENT_CQ_ERR on nil" + refused + "it is nil or closed":                                                      d.RaiseCQ(nil, ibv.IBV_EVENT_CQ_ERR),
		"raise IBV_EVENT_CQ_ERR on cq 1 on other" + refused + "it is not of this device, softdev0":                             d.RaiseCQ(strange, ibv.IBV_EVENT_CQ_ERR),
		"raise IBV_EVENT_PORT_ERR on port 2 of softdev0" + refused + "there is port 1 only":                                    d.RaisePort(ibv.IBV_EVENT_PORT_ERR, 2),
		"raise IBV_EVENT_CQ_ERR on port 1 of softdev0" + refused + "the event is about an object":                              d.RaisePort(ibv.IBV_EVENT_CQ_ERR, 1),
		"fail the next send with IBV_WC_SUCCESS on " + qp.String() + refused + "that is not the status of a failure":           d.FailNextSend(qp, ibv.IBV_WC_SUCCESS, 0),
		"fail the next receive with WCStatus(24) on " + qp.String() + refused + "that is not the status of a failure":          d.FailNextRecv(qp, 24, 0),
		"put a completion into nil" + refused + "it is nil or closed":                                                          d.Complete(nil, ibv.WC{}, false),
		"inject a packet into " + qp.String() + refused + "it has no indirection table, or the frame is shorter than 14 bytes": inject,
		`there is no verb "ibv_frobnicate"`: calls,
	} {
		if err == nil || err.Error() != "verbstest: "+want {
			t.Errorf("%v, want verbstest: %s", err, want)
		}
	}
	verbstest.Check(d.FailNextSend(qp, ibv.IBV_WC_TM_RNDV_INCOMPLETE, 0)) // 23, the last
	verbstest.Check(d.Complete(cq, ibv.WC{}, false))
	if err := d.Complete(cq, ibv.WC{}, false); !errors.Is(err, syscall.EOVERFLOW) && cq.CQE() == 1 {
		t.Errorf("%v, want EOVERFLOW", err)
	}
	gone := verbstest.Must(verbstest.Open(verbstest.Config{}))
	verbstest.Check(gone.Close())
	for _, err := range []error{gone.RaiseCQ(cq, ibv.IBV_EVENT_CQ_ERR), gone.Fail("alloc_pd", verbstest.Fault{}), gone.RaisePort(ibv.IBV_EVENT_PORT_ERR, 1), gone.Close()} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%v, want os.ErrClosed", err)
		}
	}
}

// A second order to fail takes the place of the first, which has not happened yet.
func TestFailNextReplaces(t *testing.T) {
	d := verbstest.New(t, verbstest.Config{})
	ctx := verbstest.Must(d.Open())
	defer ctx.Close()
	cq, pd := verbstest.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 8})), verbstest.Must(ctx.AllocPD())
	defer cq.Close()
	defer pd.Close()
	qp := verbstest.Must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
	defer qp.Close()
	verbstest.Check(qp.Connect(verbstest.Must(qp.Endpoint()), verbs.ConnectAttr{}))
	verbstest.Check(d.FailNextSend(qp, ibv.IBV_WC_RETRY_EXC_ERR, 1))
	verbstest.Check(d.FailNextSend(qp, ibv.IBV_WC_REM_ACCESS_ERR, 2))
	verbstest.Check(qp.Send(verbs.SendWR{WRID: 7}))
	wc := make([]ibv.WC, 4)
	if n := verbstest.Must(cq.Poll(wc)); n != 1 || wc[0].WRID != 7 || wc[0].Status != ibv.IBV_WC_REM_ACCESS_ERR || wc[0].VendorErr != 2 {
		t.Errorf("%d completions, %+v", n, wc[0])
	}
}
