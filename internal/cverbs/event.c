//go:build linux && cgo

#include "labels_generated.h"

#include "event.h"
#include <infiniband/verbs.h>

const void *ibvgo_event_context(const struct ibv_async_event *event)
{
	if (!event)
		return NULL;
	// Not by the enum's type: the library may know kinds of events that the header does not.
	switch ((int)event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return event->element.cq ? event->element.cq->context : NULL;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return event->element.qp ? event->element.qp->context : NULL;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return event->element.srq ? event->element.srq->context : NULL;
	case IBV_EVENT_WQ_FATAL:
		return event->element.wq ? event->element.wq->context : NULL;
	default:
		// The element of the others is a port's number, or nothing.
		return NULL;
	}
}
