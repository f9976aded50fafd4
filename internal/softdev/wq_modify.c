//go:build linux && cgo

#include "wq.h"

// The steps that there are. ibv_modify_wq(3) leaves them open; the kernel and mlx5 refuse to leave ERR but for RESET, and to enter it from
// there.
static const unsigned char steps[IBV_WQS_ERR + 1][IBV_WQS_ERR + 1] = {
	[IBV_WQS_RESET][IBV_WQS_RESET] = 1,
	[IBV_WQS_RESET][IBV_WQS_RDY] = 1,
	[IBV_WQS_RDY][IBV_WQS_RESET] = 1,
	[IBV_WQS_RDY][IBV_WQS_RDY] = 1,
	[IBV_WQS_RDY][IBV_WQS_ERR] = 1,
	[IBV_WQS_ERR][IBV_WQS_RESET] = 1,
	[IBV_WQS_ERR][IBV_WQS_ERR] = 1,
};

static int check_flags(const struct softdev *d, const struct ibv_wq_attr *a)
{
	int err = sd_wq_flags(d, a->flags_mask);

	if (err)
		return err;
	// The others are fixed when the queue is made, in mlx5.
	return a->flags_mask & ~(uint32_t)IBV_WQ_FLAGS_CVLAN_STRIPPING ? EOPNOTSUPP : 0;
}

static int check(const struct sd_wq *wq, const struct ibv_wq_attr *a, enum ibv_wq_state to)
{
	// The kernel refuses to modify nothing.
	if (!a->attr_mask || a->attr_mask & ~(uint32_t)(IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE | IBV_WQ_ATTR_FLAGS))
		return EINVAL;
	if (a->attr_mask & IBV_WQ_ATTR_CURR_STATE && a->curr_wq_state != wq->state)
		return EINVAL;
	if ((unsigned int)to > IBV_WQS_ERR || !steps[wq->state][to])
		return EINVAL;
	return a->attr_mask & IBV_WQ_ATTR_FLAGS ? check_flags(sd_device(wq->wq.context), a) : 0;
}

// move goes to a state: in RESET nothing is posted, and the CQ has none of the queue's completions.
static void move(struct sd_wq *wq, enum ibv_wq_state to)
{
	struct sd_cq *cq = SD_OF(sd_cq, wq->wq.cq);

	wq->state = wq->wq.state = to;
	if (to == IBV_WQS_RESET) {
		sd_purge(cq, &wq->rq.tail);
		sd_rq_reset(&wq->rq);
	} else if (to == IBV_WQS_ERR) {
		sd_rq_flush(&wq->rq, cq, wq->wq.wq_num);
	}
}

int sd_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr)
{
	struct sd_wq *wq = SD_OF(sd_wq, ibwq);
	struct softdev *d = sd_device(ibwq->context);
	enum ibv_wq_state to;
	int err;

	if (sd_enter(d, SD_modify_wq, &err))
		return err;
	pthread_mutex_lock(&d->lock);
	to = attr->attr_mask & IBV_WQ_ATTR_STATE ? attr->wq_state : wq->state;
	err = check(wq, attr, to);
	if (!err && attr->attr_mask & IBV_WQ_ATTR_FLAGS)
		wq->flags = (wq->flags & ~attr->flags_mask) | (attr->flags & attr->flags_mask);
	if (!err && attr->attr_mask & IBV_WQ_ATTR_STATE)
		move(wq, to);
	pthread_mutex_unlock(&d->lock);
	return err;
}

void sd_wq_error(struct sd_wq *wq)
{
	// The program is told by an event, and its own note of the state stays: ibv_get_async_event(3) has the event, and no more.
	wq->state = IBV_WQS_ERR;
	sd_rq_flush(&wq->rq, SD_OF(sd_cq, wq->wq.cq), wq->wq.wq_num);
	sd_async(wq->wq.context, &wq->wq, IBV_EVENT_WQ_FATAL, 0);
}
