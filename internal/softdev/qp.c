//go:build linux && cgo

#include "core.h"

// refused returns the errno value for what no RC queue pair of this device can be, or 0.
static int refused(const struct softdev *d, const struct ibv_pd *pd, const struct ibv_qp_init_attr *a)
{
	const struct ibv_qp_cap *cap = &a->cap;

	if (a->qp_type != IBV_QPT_RC || a->srq)
		return EOPNOTSUPP;
	if (!a->send_cq || !a->recv_cq || a->send_cq->context != pd->context || a->recv_cq->context != pd->context)
		return EINVAL;
	if (cap->max_send_wr > d->config.max_qp_wr || cap->max_recv_wr > d->config.max_qp_wr)
		return EINVAL;
	if (cap->max_send_sge > d->config.max_sge || cap->max_recv_sge > d->config.max_sge)
		return EINVAL;
	return cap->max_inline_data > d->config.max_inline_data ? EINVAL : 0;
}

// queues makes a QP's queues, and capacities what they came to.
static int queues(struct sd_qp *qp, const struct softdev *d, struct ibv_qp_cap *cap)
{
	cap->max_send_wr = sd_depth(d, cap->max_send_wr);
	cap->max_recv_wr = sd_depth(d, cap->max_recv_wr);
	cap->max_send_sge = sd_width(d, cap->max_send_sge);
	cap->max_recv_sge = sd_width(d, cap->max_recv_sge);
	qp->cap = *cap;
	if (sd_sq_init(&qp->sq, cap->max_send_wr, cap->max_send_sge, cap->max_inline_data))
		return ENOMEM;
	return sd_rq_init(&qp->rq, cap->max_recv_wr, cap->max_recv_sge);
}

void sd_qp_free(struct sd_qp *qp)
{
	pthread_cond_destroy(&qp->qp.cond);
	pthread_mutex_destroy(&qp->qp.mutex);
	sd_building_free(qp);
	sd_sq_free(&qp->sq);
	sd_rq_free(&qp->rq);
	free(qp);
}

struct sd_qp *sd_qp_new(struct ibv_context *context, struct ibv_pd *pd, void *qp_context, enum ibv_qp_type type)
{
	struct sd_qp *qp = calloc(1, sizeof *qp);

	if (!qp)
		return NULL;
	qp->qp.context = context;
	qp->qp.pd = pd;
	qp->qp.qp_context = qp_context;
	qp->qp.qp_type = type;
	qp->qp.state = IBV_QPS_RESET;
	pthread_mutex_init(&qp->qp.mutex, NULL);
	pthread_cond_init(&qp->qp.cond, NULL);
	return qp;
}

int sd_qp_enlist(struct sd_qp *qp)
{
	struct softdev *d = sd_device(qp->qp.context);
	int err = ENOMEM;

	pthread_mutex_lock(&d->lock);
	qp->qp.qp_num = sd_number(&d->qps, &qp->o, SD_MAX_NUMBER);
	if (qp->qp.qp_num) {
		err = 0;
		qp->qp.handle = qp->qp.qp_num;
		SD_OF(sd_pd, qp->qp.pd)->o.holders++;
		if (qp->qp.send_cq)
			SD_OF(sd_cq, qp->qp.send_cq)->o.holders++;
		if (qp->qp.recv_cq)
			SD_OF(sd_cq, qp->qp.recv_cq)->o.holders++;
		if (qp->table)
			qp->table->o.holders++;
		sd_add(sd_context(qp->qp.context), &qp->o, SD_QP);
	}
	pthread_mutex_unlock(&d->lock);
	return err;
}

struct ibv_qp *sd_make_rc(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, const uint64_t *ops)
{
	const struct softdev *d = sd_device(pd->context);
	struct ibv_qp_cap cap = attr->cap;
	struct sd_qp *qp;
	int err = refused(d, pd, attr);

	if (err) {
		errno = err;
		return NULL;
	}
	qp = sd_qp_new(pd->context, pd, attr->qp_context, IBV_QPT_RC);
	if (!qp) {
		errno = ENOMEM;
		return NULL;
	}
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->sig_all = attr->sq_sig_all != 0;
	err = queues(qp, d, &cap);
	if (!err && ops)
		err = sd_building_new(qp, *ops);
	if (!err)
		err = sd_qp_enlist(qp);
	if (err) {
		sd_qp_free(qp);
		errno = err;
		return NULL;
	}
	attr->cap = cap; // ibv_create_qp(3) tells what the queues came to
	return &qp->qp;
}

struct ibv_qp *sd_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	int value;

	if (sd_enter(sd_device(pd->context), SD_create_qp, &value))
		return NULL;
	return sd_make_rc(pd, attr, NULL);
}

// detach takes a QP out of everything but memory; needs d->lock.
static void detach(struct sd_qp *qp)
{
	struct softdev *d = sd_device(qp->qp.context);

	sd_unwait(qp);
	qp->state = IBV_QPS_RESET;
	sd_unnumber(&d->qps, qp->qp.qp_num);
	sd_arrived(qp); // a peer in wait for it hears nothing from now on
	if (qp->qp.send_cq) {
		sd_purge(SD_OF(sd_cq, qp->qp.send_cq), &qp->sq.tail);
		SD_OF(sd_cq, qp->qp.send_cq)->o.holders--;
	}
	if (qp->qp.recv_cq) {
		sd_purge(SD_OF(sd_cq, qp->qp.recv_cq), &qp->rq.tail);
		SD_OF(sd_cq, qp->qp.recv_cq)->o.holders--;
	}
	if (qp->table)
		qp->table->o.holders--;
	SD_OF(sd_pd, qp->qp.pd)->o.holders--;
	sd_event_forget(&qp->o.context->async, &qp->qp);
	sd_remove(&qp->o);
}

void sd_end_qp(struct sd_qp *qp)
{
	detach(qp);
	sd_qp_free(qp);
}

// ibv_destroy_qp(3). Completions that were not polled go with it, as with mlx5: they would free places that are no more.
int sd_destroy_qp(struct ibv_qp *ibqp)
{
	struct sd_qp *qp = SD_OF(sd_qp, ibqp);
	struct softdev *d = sd_device(ibqp->context);
	int value;

	if (sd_enter(d, SD_destroy_qp, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	detach(qp);
	pthread_mutex_unlock(&d->lock);
	sd_acked(&ibqp->mutex, &ibqp->cond, &ibqp->events_completed, qp->async_taken);
	sd_qp_free(qp);
	return 0;
}

int sd_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct sd_qp *qp = SD_OF(sd_qp, ibqp);
	struct softdev *d = sd_device(ibqp->context);
	int value;

	if (sd_enter(d, SD_query_qp, &value))
		return value;
	if (qp->table) // as mlx5
		return EOPNOTSUPP;
	pthread_mutex_lock(&d->lock);
	// mask is a hint only, ibv_query_qp(3): everything is known.
	*attr = qp->attr;
	attr->qp_state = attr->cur_qp_state = qp->state;
	attr->cap = qp->cap;
	attr->sq_draining = qp->state == IBV_QPS_SQD && qp->sq.waiting;
	*init = (struct ibv_qp_init_attr){
		.qp_context = ibqp->qp_context,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
		.cap = qp->cap,
		.qp_type = ibqp->qp_type,
		.sq_sig_all = qp->sig_all,
	};
	if (mask & IBV_QP_STATE) // the library's own note, as it keeps it
		ibqp->state = qp->state;
	pthread_mutex_unlock(&d->lock);
	return 0;
}
