//go:build linux && cgo

#include "core.h"

// The kind of object that an event is about: SD_CONTEXT for those of a port or the device, SD_NKINDS for those of shared receive queues,
// of which there are none, and those that the header does not know.
static enum softdev_kind about(int type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return SD_CQ;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return SD_QP;
	case IBV_EVENT_WQ_FATAL:
		return SD_WQ;
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
	case IBV_EVENT_DEVICE_FATAL:
		return SD_CONTEXT;
	default:
		return SD_NKINDS;
	}
}

// Fills what is given out, and notes that it was taken: destroying the object waits for as many acknowledgements.
int sd_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct sd_events *q = &sd_context(context)->async;
	struct sd_event e;
	int value;

	if (sd_enter(sd_device(context), SD_get_async_event, &value))
		return value;
	if (sd_event_take(q, &e))
		return -1;
	memset(event, 0, sizeof *event);
	event->event_type = e.type;
	switch (about(e.type)) {
	case SD_CQ:
		event->element.cq = e.object;
		SD_OF(sd_cq, e.object)->async_taken++;
		break;
	case SD_QP:
		event->element.qp = e.object;
		SD_OF(sd_qp, e.object)->async_taken++;
		break;
	case SD_WQ:
		event->element.wq = e.object;
		SD_OF(sd_wq, e.object)->async_taken++;
		break;
	default:
		event->element.port_num = e.port;
	}
	pthread_mutex_unlock(&q->lock);
	return 0;
}

// note counts an acknowledgement and wakes a destroy that waits for it.
static void note(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *completed)
{
	pthread_mutex_lock(mutex);
	++*completed;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(mutex);
}

static struct ibv_context *context_of(const struct ibv_async_event *event)
{
	switch (about(event->event_type)) {
	case SD_CQ:
		return event->element.cq->context;
	case SD_QP:
		return event->element.qp->context;
	case SD_WQ:
		return event->element.wq->context;
	default:
		return NULL;
	}
}

// An event of a port or of the device says nothing of its context, and there is nothing to be done about it: calls about those are not
// counted, nor can they be made to fail.
void sd_ack_async_event(struct ibv_async_event *event)
{
	struct ibv_context *context = context_of(event);
	int value;

	if (!context || sd_enter(sd_device(context), SD_ack_async_event, &value))
		return;
	switch (about(event->event_type)) {
	case SD_CQ:
		return note(&event->element.cq->mutex, &event->element.cq->cond, &event->element.cq->async_events_completed);
	case SD_QP:
		return note(&event->element.qp->mutex, &event->element.qp->cond, &event->element.qp->events_completed);
	default:
		return note(&event->element.wq->mutex, &event->element.wq->cond, &event->element.wq->events_completed);
	}
}

int softdev_raise(struct softdev *d, enum softdev_kind kind, void *object, int type)
{
	struct ibv_context *context = NULL;

	pthread_mutex_lock(&d->lock);
	if (about(type) == kind && sd_find(d, kind, object)) {
		context = kind == SD_CQ ? ((struct ibv_cq *)object)->context :
			  kind == SD_QP ? ((struct ibv_qp *)object)->context : ((struct ibv_wq *)object)->context;
		sd_async(context, object, type, 0);
	}
	pthread_mutex_unlock(&d->lock);
	return context ? 0 : EINVAL;
}

void sd_async_all(struct softdev *d, int type, int port)
{
	struct sd_object *o;

	for (o = d->contexts.next; o != &d->contexts; o = o->next)
		sd_async(&o->context->v.context, NULL, type, port);
}

int softdev_raise_port(struct softdev *d, int type, int port)
{
	if (about(type) != SD_CONTEXT)
		return EINVAL;
	pthread_mutex_lock(&d->lock);
	sd_async_all(d, type, port);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

void softdev_set_port(struct softdev *d, int active)
{
	pthread_mutex_lock(&d->lock);
	d->port_active = active;
	sd_async_all(d, active ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, 1);
	pthread_mutex_unlock(&d->lock);
}
