//go:build linux && cgo

#include "core.h"

// Requests before the first that is refused are accepted, and *bad is that one: ibv_post_send(3), ibv_post_recv(3).

int sd_may_send(const struct sd_qp *qp)
{
	// Besides RTS, where they are served, SQD, where they stay, and ERR, where they are flushed: InfiniBand specification 10.3.1. Others are
	// refused by the kernel's drivers.
	return qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD || qp->state == IBV_QPS_ERR ? 0 : EINVAL;
}

void sd_sent(struct sd_qp *qp)
{
	if (qp->state == IBV_QPS_ERR)
		sd_sq_flush(&qp->sq, SD_OF(sd_cq, qp->qp.send_cq), qp->qp.qp_num);
	else if (qp->state == IBV_QPS_RTS && !qp->sq.waiting)
		sd_progress(qp);
}

int sd_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct sd_qp *qp = SD_OF(sd_qp, ibqp);
	struct softdev *d = sd_device(ibqp->context);
	int err = 0;

	if (sd_enter_locked(d, SD_post_send, &err)) {
		if (err)
			*bad = wr;
		return err;
	}
	err = sd_may_send(qp);
	for (; wr && !err; wr = wr->next) {
		err = sd_sq_post(&qp->sq, wr);
		if (err)
			break;
	}
	sd_sent(qp);
	pthread_mutex_unlock(&d->lock);
	if (err)
		*bad = wr;
	return err;
}

int sd_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct sd_qp *qp = SD_OF(sd_qp, ibqp);
	struct softdev *d = sd_device(ibqp->context);
	int err = 0;

	if (sd_enter_locked(d, SD_post_recv, &err)) {
		if (err)
			*bad = wr;
		return err;
	}
	if (qp->state == IBV_QPS_RESET) // and QPs with a table, which stay there
		err = EINVAL;
	for (; wr && !err; wr = wr->next) {
		err = sd_rq_post(&qp->rq, wr);
		if (err)
			break;
	}
	if (qp->state == IBV_QPS_ERR)
		sd_rq_flush(&qp->rq, SD_OF(sd_cq, ibqp->recv_cq), ibqp->qp_num);
	else
		sd_arrived(qp);
	pthread_mutex_unlock(&d->lock);
	if (err)
		*bad = wr;
	return err;
}
