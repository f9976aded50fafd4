//go:build linux && cgo

package softdev

// #include "softdev.h"
import "C"

import (
	"unsafe"

	"github.com/goverbs/ibv"
)

func rawCQ(cq *ibv.CQ) *C.struct_ibv_cq { return (*C.struct_ibv_cq)(unsafe.Pointer(cq)) }
func rawQP(qp *ibv.QP) *C.struct_ibv_qp { return (*C.struct_ibv_qp)(unsafe.Pointer(qp)) }
func rawWQ(wq *ibv.WQ) *C.struct_ibv_wq { return (*C.struct_ibv_wq)(unsafe.Pointer(wq)) }

// Complete puts a completion into a queue as it is, as if the device had made it; solicited tells whether it wakes who has armed the
// queue for those. It is copied. If the queue is full it is lost, which the device reports as ever, and the error matches EOVERFLOW.
func (d *Device) Complete(cq *ibv.CQ, wc *ibv.WC, solicited bool) error {
	var s, errno C.int
	if solicited {
		s = 1
	}
	if err := d.with(func(p *C.struct_softdev) {
		errno = C.softdev_complete(p, rawCQ(cq), (*C.struct_ibv_wc)(unsafe.Pointer(wc)), s)
	}); err != nil {
		return err
	}
	return result(errno)
}

// FailNextSend makes the next send that a QP begins end with a status. Success, and what is no status, is EINVAL; so it is with the others.
func (d *Device) FailNextSend(qp *ibv.QP, status ibv.WCStatus, vendorErr uint32) error {
	var errno C.int
	if err := d.with(func(p *C.struct_softdev) {
		errno = C.softdev_fail_next_send(p, rawQP(qp), C.int(status), C.uint32_t(vendorErr))
	}); err != nil {
		return err
	}
	return result(errno)
}

// FailNextRecv makes the next receive of a QP end with a status, when something arrives for it.
func (d *Device) FailNextRecv(qp *ibv.QP, status ibv.WCStatus, vendorErr uint32) error {
	var errno C.int
	if err := d.with(func(p *C.struct_softdev) {
		errno = C.softdev_fail_next_recv(p, rawQP(qp), C.int(status), C.uint32_t(vendorErr))
	}); err != nil {
		return err
	}
	return result(errno)
}

// FailNextWQ makes the next receive of a work queue end with a status, when a packet arrives for it.
func (d *Device) FailNextWQ(wq *ibv.WQ, status ibv.WCStatus, vendorErr uint32) error {
	var errno C.int
	if err := d.with(func(p *C.struct_softdev) {
		errno = C.softdev_fail_next_wq(p, rawWQ(wq), C.int(status), C.uint32_t(vendorErr))
	}); err != nil {
		return err
	}
	return result(errno)
}

// RaiseCQ raises an asynchronous event of a completion queue in its context. One that is not about such a queue is an error, EINVAL.
func (d *Device) RaiseCQ(cq *ibv.CQ, event ibv.EventType) error {
	return d.raise(C.SD_CQ, unsafe.Pointer(cq), event)
}

// RaiseQP raises an asynchronous event of a QP in its context. One that is not about a QP is an error, EINVAL.
func (d *Device) RaiseQP(qp *ibv.QP, event ibv.EventType) error {
	return d.raise(C.SD_QP, unsafe.Pointer(qp), event)
}

// RaiseWQ raises an asynchronous event of a work queue in its context. One that is not about such a queue is an error, EINVAL.
func (d *Device) RaiseWQ(wq *ibv.WQ, event ibv.EventType) error {
	return d.raise(C.SD_WQ, unsafe.Pointer(wq), event)
}

func (d *Device) raise(kind C.enum_softdev_kind, object unsafe.Pointer, event ibv.EventType) error {
	var errno C.int
	if err := d.with(func(p *C.struct_softdev) { errno = C.softdev_raise(p, kind, object, C.int(event)) }); err != nil {
		return err
	}
	return result(errno)
}

// RaisePort raises an asynchronous event of a port, or of the device, in each open context. One that is about an object is an error,
// EINVAL.
func (d *Device) RaisePort(event ibv.EventType, port uint8) error {
	var errno C.int
	if err := d.with(func(p *C.struct_softdev) { errno = C.softdev_raise_port(p, C.int(event), C.int(port)) }); err != nil {
		return err
	}
	return result(errno)
}

// SetPort makes the port active or not, and raises the event in each open context.
func (d *Device) SetPort(active bool) {
	var a C.int
	if active {
		a = 1
	}
	d.with(func(p *C.struct_softdev) { C.softdev_set_port(p, a) })
}

// Lose makes the device go, as if it had been pulled out: IBV_EVENT_DEVICE_FATAL in each open context, requests flushed, and all
// verbs fail with EIO but polling, taking and acknowledging events, and ibv_close_device, which frees what is left.
func (d *Device) Lose() {
	d.with(func(p *C.struct_softdev) { C.softdev_lose(p) })
}

// Inject lets a packet arrive at a QP with an indirection table: an Ethernet frame without FCS. It returns the Toeplitz hash over
// the fields that the QP hashes, 0 if the frame has none of them, and the table's entry that the hash selects. The error matches ENOBUFS if
// the packet was dropped, because the entry's work queue was not ready or had no receive, and EINVAL for another kind of QP.
func (d *Device) Inject(qp *ibv.QP, frame []byte) (hash uint32, entry int, err error) {
	var errno C.int
	var h, e C.uint32_t
	if err := d.with(func(p *C.struct_softdev) {
		errno = C.softdev_inject(p, rawQP(qp), unsafe.Pointer(unsafe.SliceData(frame)), C.size_t(len(frame)), &h, &e)
	}); err != nil {
		return 0, 0, err
	}
	return uint32(h), int(e), result(errno)
}
