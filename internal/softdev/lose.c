//go:build linux && cgo

#include "core.h"

// flush ends what is posted, as the kernel's drivers do for user space when a device is removed under it.
static void flush(struct sd_object *o)
{
	if (o->kind == SD_QP) {
		struct sd_qp *qp = (struct sd_qp *)((char *)o - offsetof(struct sd_qp, o));

		if (!qp->table && qp->qp.state != IBV_QPS_RESET && qp->qp.state != IBV_QPS_ERR)
			sd_qp_error(qp);
	} else if (o->kind == SD_WQ) {
		struct sd_wq *wq = (struct sd_wq *)((char *)o - offsetof(struct sd_wq, o));

		sd_rq_flush(&wq->rq, SD_OF(sd_cq, wq->wq.cq), wq->wq.wq_num);
	}
}

void softdev_lose(struct softdev *d)
{
	struct sd_object *c, *o;

	pthread_mutex_lock(&d->lock);
	if (!d->lost) {
		d->lost = 1;
		atomic_fetch_add(&d->faulty, 1);
		sd_async_all(d, IBV_EVENT_DEVICE_FATAL, 0);
		for (c = d->contexts.next; c != &d->contexts; c = c->next)
			for (o = c->context->objects.next; o != &c->context->objects; o = o->next)
				flush(o);
	}
	pthread_mutex_unlock(&d->lock);
}
