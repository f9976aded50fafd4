package verbstest

import (
	"fmt"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
	"github.com/goverbs/ibv/verbs"
)

// Fail makes a fault happen in calls of a verb, named as in C: ibv_create_cq, or create_cq. Faults of one verb follow one another: a
// second one's Skip counts from the first one's end. An unknown verb is an error, and so is a failure of an acknowledgement of events,
// which closing what they are about would wait for in vain: those can only take longer.
func (d *Device) Fail(verb string, f Fault) error {
	return prefixed(d.device().Fail(verb, softdev.Fault(f)))
}

// Heal forgets all faults.
func (d *Device) Heal() { d.device().Heal() }

// Calls returns how often a verb has been called, failed calls included. An unknown verb is an error.
func (d *Device) Calls(verb string) (uint64, error) {
	n, err := d.device().Calls(verb)
	return n, prefixed(err)
}

// FailNextSend makes the next send that a QP begins end with a status: ibv.IBV_WC_RETRY_EXC_ERR, say. A second one replaces the first, if that
// has not happened yet. A status that is none of a failure, 1 to 23, is an error, EINVAL; so it is with the others.
func (d *Device) FailNextSend(qp *verbs.QP, status ibv.WCStatus, vendorErr uint32) error {
	return d.failedNext(d.device().FailNextSend(qp.Raw(), status, vendorErr), "send", status, ofQP(qp))
}

// FailNextRecv makes the next receive of a QP end with a status, when something arrives for it.
func (d *Device) FailNextRecv(qp *verbs.QP, status ibv.WCStatus, vendorErr uint32) error {
	return d.failedNext(d.device().FailNextRecv(qp.Raw(), status, vendorErr), "receive", status, ofQP(qp))
}

// FailNextWQ makes the next receive of a work queue end with a status, when a packet arrives for it.
func (d *Device) FailNextWQ(wq *verbs.WQ, status ibv.WCStatus, vendorErr uint32) error {
	return d.failedNext(d.device().FailNextWQ(wq.Raw(), status, vendorErr), "receive", status, ofWQ(wq))
}

func (d *Device) failedNext(err error, what string, status ibv.WCStatus, t target) error {
	return d.failed(err, fmt.Sprintf("fail the next %s with %v on", what, status), t, "that is not the status of a failure")
}

// Complete puts a completion into a queue as it is, as if the device had made it; solicited tells whether it wakes who waits for such.
// If the queue is full the completion is lost, as on any overrun, and the error matches EOVERFLOW.
func (d *Device) Complete(cq *verbs.CQ, wc ibv.WC, solicited bool) error {
	return d.failed(d.device().Complete(cq.Raw(), &wc, solicited), "put a completion into", ofCQ(cq), "")
}
