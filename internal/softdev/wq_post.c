//go:build linux && cgo

#include "wq.h"

int sd_no_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)wq;
	*bad = wr;
	return EOPNOTSUPP;
}

// ibv_post_wq_recv in ibv_create_wq(3); what is refused and how is as in ibv_post_recv(3).
int sd_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct sd_wq *wq = SD_OF(sd_wq, ibwq);
	struct softdev *d = sd_device(ibwq->context);
	int err = 0;

	if (sd_enter_locked(d, SD_post_wq_recv, &err)) {
		if (err)
			*bad = wr;
		return err;
	}
	// In RESET mlx5 takes requests and loses them.
	for (; wr && wq->state != IBV_WQS_RESET; wr = wr->next) {
		err = sd_rq_post(&wq->rq, wr);
		if (err)
			break;
	}
	if (wq->state == IBV_WQS_ERR)
		sd_rq_flush(&wq->rq, SD_OF(sd_cq, ibwq->cq), ibwq->wq_num);
	pthread_mutex_unlock(&d->lock);
	if (err)
		*bad = wr;
	return err;
}
