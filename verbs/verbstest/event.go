package verbstest

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// RaiseCQ raises an asynchronous event of a completion queue. One that is not about such a queue is an error, EINVAL; so it is with the
// others.
func (d *Device) RaiseCQ(cq *verbs.CQ, event ibv.EventType) error {
	return d.raised(d.device().RaiseCQ(cq.Raw(), event), event, ofCQ(cq), "CQ")
}

// RaiseQP raises an asynchronous event of a QP.
func (d *Device) RaiseQP(qp *verbs.QP, event ibv.EventType) error {
	return d.raised(d.device().RaiseQP(qp.Raw(), event), event, ofQP(qp), "QP")
}

// RaiseWQ raises an asynchronous event of a work queue.
func (d *Device) RaiseWQ(wq *verbs.WQ, event ibv.EventType) error {
	return d.raised(d.device().RaiseWQ(wq.Raw(), event), event, ofWQ(wq), "WQ")
}

func (d *Device) raised(err error, event ibv.EventType, t target, kind string) error {
	return d.failed(err, fmt.Sprintf("raise %v on", event), t, "the event is not about a "+kind)
}

// RaisePort raises an asynchronous event of a port, or of the device, in each open context. There is port 1 only; another one is an error,
// EINVAL, unless the event is the device's; so is an event that is about an object.
func (d *Device) RaisePort(event ibv.EventType, port uint8) error {
	what := fmt.Sprintf("raise %v on port %d of %s", event, port, d.Device().Name())
	if port != 1 && event != ibv.IBV_EVENT_DEVICE_FATAL {
		return fmt.Errorf("verbstest: %s: %w: there is port 1 only", what, syscall.EINVAL)
	}
	err := d.device().RaisePort(event, port)
	if errors.Is(err, syscall.EINVAL) {
		err = fmt.Errorf("%w: the event is about an object", err)
	}
	if err != nil {
		return fmt.Errorf("verbstest: %s: %w", what, err)
	}
	return nil
}

// SetPort makes the port active or not, which QueryPort then tells, and raises the event in each open context. That is all: messages go on to
// pass between the device's QPs, so that tests need no time for retries. FailNextSend with IBV_WC_RETRY_EXC_ERR is what a sender gets to see
// of a link that is down.
func (d *Device) SetPort(active bool) { d.device().SetPort(active) }

// Lose makes the device go, as if it had been pulled out: IBV_EVENT_DEVICE_FATAL in each open context, requests flushed, and all
// verbs fail with EIO but polling, taking and acknowledging events, and closing the context.
func (d *Device) Lose() { d.device().Lose() }

// Inject lets a packet arrive at an RSS QP: an Ethernet frame without FCS. It returns the Toeplitz hash over the fields that the QP
// hashes, 0 if the frame has none of them, and the table's entry that the hash selects. The error matches ENOBUFS if the packet was dropped,
// because the entry's work queue was not ready or had no receive, and EINVAL for another kind of QP.
func (d *Device) Inject(qp *verbs.QP, frame []byte) (hash uint32, entry int, err error) {
	hash, entry, err = d.device().Inject(qp.Raw(), frame)
	return hash, entry, d.failed(err, "inject a packet into", ofQP(qp), "it has no indirection table, or the frame is shorter than 14 bytes")
}

// Dropped returns how many injected packets were dropped.
func (d *Device) Dropped() uint64 { return d.device().Dropped() }
