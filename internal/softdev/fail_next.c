//go:build linux && cgo

#include "core.h"

// fails tells whether a status of enum ibv_wc_status is that of a failure: no request can be made to succeed.
static int fails(int status)
{
	return status > IBV_WC_SUCCESS && status <= IBV_WC_TM_RNDV_INCOMPLETE;
}

// set orders a failure, in place of one that was ordered before and has not happened yet. A request that was begun before, and waits for
// the other side, is not the next: the one behind it is.
static void set(int *to, uint32_t *vendor_to, int status, uint32_t vendor_err)
{
	*to = status;
	*vendor_to = vendor_err;
}

int softdev_fail_next_send(struct softdev *d, struct ibv_qp *ibqp, int status, uint32_t vendor_err)
{
	struct sd_qp *qp;

	if (!fails(status))
		return EINVAL;
	pthread_mutex_lock(&d->lock);
	qp = sd_find(d, SD_QP, ibqp);
	if (qp)
		set(&qp->sq.fail_status, &qp->sq.fail_vendor, status, vendor_err);
	pthread_mutex_unlock(&d->lock);
	return qp ? 0 : EINVAL;
}

int softdev_fail_next_recv(struct softdev *d, struct ibv_qp *ibqp, int status, uint32_t vendor_err)
{
	struct sd_qp *qp;

	if (!fails(status))
		return EINVAL;
	pthread_mutex_lock(&d->lock);
	qp = sd_find(d, SD_QP, ibqp);
	if (qp)
		set(&qp->rq.fail_status, &qp->rq.fail_vendor, status, vendor_err);
	pthread_mutex_unlock(&d->lock);
	return qp ? 0 : EINVAL;
}

int softdev_fail_next_wq(struct softdev *d, struct ibv_wq *ibwq, int status, uint32_t vendor_err)
{
	struct sd_wq *wq;

	if (!fails(status))
		return EINVAL;
	pthread_mutex_lock(&d->lock);
	wq = sd_find(d, SD_WQ, ibwq);
	if (wq)
		set(&wq->rq.fail_status, &wq->rq.fail_vendor, status, vendor_err);
	pthread_mutex_unlock(&d->lock);
	return wq ? 0 : EINVAL;
}
