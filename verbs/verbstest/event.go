package verbstest

import (
	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// RaiseCQ raises an asynchronous event of a completion queue. One that is not about such a queue is an error, EINVAL; so it is with the
// others.
func (d *Device) RaiseCQ(cq *verbs.CQ, event ibv.EventType) error {
	return d.device().RaiseCQ(cq.Raw(), event)
}

// RaiseQP raises an asynchronous event of a QP.
func (d *Device) RaiseQP(qp *verbs.QP, event ibv.EventType) error {
	return d.device().RaiseQP(qp.Raw(), event)
}

// RaiseWQ raises an asynchronous event of a work queue.
func (d *Device) RaiseWQ(wq *verbs.WQ, event ibv.EventType) error {
	return d.device().RaiseWQ(wq.Raw(), event)
}

// RaisePort raises an asynchronous event of a port, or of the device, in each open context.
func (d *Device) RaisePort(event ibv.EventType, port uint8) error {
	return d.device().RaisePort(event, port)
}

// SetPort makes the port active or not, and raises the event in each open context.
func (d *Device) SetPort(active bool) { d.device().SetPort(active) }

// Lose makes the device go, as if it had been pulled out: IBV_EVENT_DEVICE_FATAL in each open context, requests flushed, and all
// verbs fail with EIO but polling, taking and acknowledging events, and closing the context.
func (d *Device) Lose() { d.device().Lose() }

// Inject lets a packet arrive at an RSS QP: an Ethernet frame without FCS. It returns the Toeplitz hash over the fields that the QP
// hashes, 0 if the frame has none of them, and the table's entry that the hash selects. The error matches ENOBUFS if the packet was dropped,
// because the entry's work queue was not ready or had no receive, and EINVAL for another kind of QP.
func (d *Device) Inject(qp *verbs.QP, frame []byte) (hash uint32, entry int, err error) {
	return d.device().Inject(qp.Raw(), frame)
}

// Dropped returns how many injected packets were dropped.
func (d *Device) Dropped() uint64 { return d.device().Dropped() }
