package verbs

import (
	"fmt"
	"unsafe"

	"github.com/goverbs/ibv"
)

// An AsyncEvent says that something has happened to a queue, a port or the device which no completion tells: see
// [Context.AsyncEvents] and ibv_get_async_event(3). It is acknowledged already.
type AsyncEvent struct {
	// What has happened.
	Type ibv.EventType
	// The handle of the queue that it has happened to; nil if it is about none, or about one that this package has no handle of, or
	// whose handle is lost.
	CQ *CQ
	QP *QP
	WQ *WQ
	// The number of the port that it has happened to; 0 if it is about none.
	Port int
	// The name of the object, port or device: "cq 3 on mlx5_0", "port 1 of mlx5_0", "mlx5_0".
	Object string
	// How often it has happened since somebody last took an event of this type and object; 1 at least.
	Count int
}

// String names what has happened, to what, and how often if more than once; a zero event, as comes with an error, is none.
func (e AsyncEvent) String() string {
	if e == (AsyncEvent{}) {
		return "no event"
	}
	s := fmt.Sprintf("%v on %s", e.Type, e.Object)
	if e.Count > 1 {
		s += fmt.Sprintf(", %d times", e.Count)
	}
	return s
}

// What an event is about.
type subject int

const (
	aboutDevice subject = iota
	aboutPort
	aboutCQ
	aboutQP
	aboutSRQ
	aboutWQ
)

// subjectOf tells which member of an event's element counts. An event of a kind that is not known is taken for one of the device.
func subjectOf(t ibv.EventType) subject {
	switch t {
	case ibv.IBV_EVENT_CQ_ERR:
		return aboutCQ
	case ibv.IBV_EVENT_QP_FATAL, ibv.IBV_EVENT_QP_REQ_ERR, ibv.IBV_EVENT_QP_ACCESS_ERR, ibv.IBV_EVENT_COMM_EST, ibv.IBV_EVENT_SQ_DRAINED,
		ibv.IBV_EVENT_PATH_MIG, ibv.IBV_EVENT_PATH_MIG_ERR, ibv.IBV_EVENT_QP_LAST_WQE_REACHED:
		return aboutQP
	case ibv.IBV_EVENT_SRQ_ERR, ibv.IBV_EVENT_SRQ_LIMIT_REACHED:
		return aboutSRQ
	case ibv.IBV_EVENT_WQ_FATAL:
		return aboutWQ
	case ibv.IBV_EVENT_PORT_ACTIVE, ibv.IBV_EVENT_PORT_ERR, ibv.IBV_EVENT_LID_CHANGE, ibv.IBV_EVENT_PKEY_CHANGE, ibv.IBV_EVENT_SM_CHANGE,
		ibv.IBV_EVENT_CLIENT_REREGISTER, ibv.IBV_EVENT_GID_CHANGE:
		return aboutPort
	}
	return aboutDevice
}

// address returns where the C object is that an event is about; 0 if it is about none.
func address(e *ibv.AsyncEvent) uintptr {
	switch subjectOf(e.EventType) {
	case aboutCQ:
		return e.Element.CQ()
	case aboutQP:
		return e.Element.QP()
	case aboutSRQ:
		return e.Element.SRQ()
	case aboutWQ:
		return e.Element.WQ()
	}
	return 0
}

// addressOf is how C objects are known to the events' reader.
func addressOf[T any](raw *T) uintptr { return uintptr(unsafe.Pointer(raw)) }
