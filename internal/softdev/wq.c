//go:build linux && cgo

#include "wq.h"

// refused returns the errno value for what no WQ of this device can be, or 0.
static int refused(struct ibv_context *context, const struct ibv_wq_init_attr *a)
{
	const struct softdev *d = sd_device(context);

	if (a->comp_mask & ~(uint32_t)IBV_WQ_INIT_ATTR_FLAGS || a->wq_type != IBV_WQT_RQ)
		return EINVAL;
	if (!a->pd || !a->cq || a->pd->context != context || a->cq->context != context)
		return EINVAL;
	if (a->max_wr > d->config.max_qp_wr || a->max_sge > d->config.max_sge)
		return EINVAL;
	// create_flags mean something only if the mask says so: ibv_create_wq(3).
	return a->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ? sd_wq_flags(d, a->create_flags) : 0;
}

int sd_wq_flags(const struct softdev *d, uint32_t flags)
{
	// PCI write end padding is no raw packet capability, and this device does not have it. IBV_WQ_FLAGS_RESERVED is the first bit that
	// no flag has.
	static const struct {
		uint32_t flag, needs;
	} known[] = {
		{IBV_WQ_FLAGS_CVLAN_STRIPPING, IBV_RAW_PACKET_CAP_CVLAN_STRIPPING},
		{IBV_WQ_FLAGS_SCATTER_FCS, IBV_RAW_PACKET_CAP_SCATTER_FCS},
		{IBV_WQ_FLAGS_DELAY_DROP, IBV_RAW_PACKET_CAP_DELAY_DROP},
		{IBV_WQ_FLAGS_PCI_WRITE_END_PADDING, 0},
	};
	int lacking = 0;
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (flags & known[i].flag && !(d->config.raw_packet_caps & known[i].needs))
			lacking = 1;
		flags &= ~known[i].flag;
	}
	if (flags)
		return EINVAL;
	return lacking ? EOPNOTSUPP : 0;
}

static void wq_free(struct sd_wq *wq)
{
	sd_rq_free(&wq->rq);
	free(wq);
}

// wq_new makes a queue that nothing knows of. The mutex and the condition are the header's to initialize: ibv_create_wq does so with
// what it gets from here, and to the C library zeros are the same.
static struct sd_wq *wq_new(struct ibv_context *context, const struct ibv_wq_init_attr *a)
{
	const struct softdev *d = sd_device(context);
	struct sd_wq *wq = calloc(1, sizeof *wq);

	if (!wq)
		return NULL;
	if (sd_rq_init(&wq->rq, sd_depth(d, a->max_wr), sd_width(d, a->max_sge))) {
		free(wq);
		return NULL;
	}
	wq->state = IBV_WQS_RESET;
	wq->flags = a->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ? a->create_flags : 0;
	wq->wq = (struct ibv_wq){
		.context = context,
		.wq_context = a->wq_context,
		.pd = a->pd,
		.cq = a->cq,
		.state = IBV_WQS_RESET,
		.wq_type = IBV_WQT_RQ,
		.post_recv = d->config.absent[SD_post_wq_recv] ? sd_no_post_wq_recv : sd_post_wq_recv,
	};
	return wq;
}

static int enlist(struct sd_wq *wq)
{
	struct softdev *d = sd_device(wq->wq.context);
	int err = ENOMEM;

	pthread_mutex_lock(&d->lock);
	if (d->counts[SD_WQ] < d->config.max_wq)
		wq->wq.wq_num = sd_number(&d->qps, &wq->o, SD_MAX_NUMBER);
	if (wq->wq.wq_num) {
		err = 0;
		wq->wq.handle = wq->wq.wq_num;
		SD_OF(sd_pd, wq->wq.pd)->o.holders++;
		SD_OF(sd_cq, wq->wq.cq)->o.holders++;
		sd_add(sd_context(wq->wq.context), &wq->o, SD_WQ);
	}
	pthread_mutex_unlock(&d->lock);
	return err;
}

struct ibv_wq *sd_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	struct sd_wq *wq;
	int err;

	if (sd_enter(sd_device(context), SD_create_wq, &err))
		return NULL;
	err = refused(context, attr);
	wq = err ? NULL : wq_new(context, attr);
	if (wq && enlist(wq)) {
		wq_free(wq);
		wq = NULL;
	}
	if (!wq) {
		errno = err ? err : ENOMEM;
		return NULL;
	}
	attr->max_wr = wq->rq.limit; // ibv_create_wq(3) tells what the queue came to
	attr->max_sge = wq->rq.max_sge;
	return &wq->wq;
}

// detach takes a queue out of everything but memory; needs d->lock. Completions that were not polled go, as with mlx5.
static void detach(struct sd_wq *wq)
{
	struct softdev *d = sd_device(wq->wq.context);

	sd_unnumber(&d->qps, wq->wq.wq_num);
	sd_purge(SD_OF(sd_cq, wq->wq.cq), &wq->rq.tail);
	SD_OF(sd_cq, wq->wq.cq)->o.holders--;
	SD_OF(sd_pd, wq->wq.pd)->o.holders--;
	sd_event_forget(&wq->o.context->async, &wq->wq);
	sd_remove(&wq->o);
}

void sd_end_wq(struct sd_wq *wq)
{
	detach(wq);
	wq_free(wq);
}

int sd_destroy_wq(struct ibv_wq *ibwq)
{
	struct sd_wq *wq = SD_OF(sd_wq, ibwq);
	struct softdev *d = sd_device(ibwq->context);
	int value;

	if (sd_enter(d, SD_destroy_wq, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	if (wq->o.holders) { // tables
		pthread_mutex_unlock(&d->lock);
		return EBUSY;
	}
	detach(wq);
	pthread_mutex_unlock(&d->lock);
	sd_acked(&ibwq->mutex, &ibwq->cond, &ibwq->events_completed, wq->async_taken);
	wq_free(wq);
	return 0;
}
