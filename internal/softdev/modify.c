//go:build linux && cgo

#include "core.h"

// A step from one state to another: the attributes that ibv_modify_qp(3)'s table for IBV_QPT_RC asks for, and those that may come with
// them. Where the manual is silent, the kernel's rules for the same step decide; steps that are not here do not exist.
struct transition {
	int exists, required, optional;
};

#define PATH (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

static const struct transition transitions[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1] = {
	[IBV_QPS_RESET][IBV_QPS_RESET] = {1, 0, 0},
	[IBV_QPS_RESET][IBV_QPS_INIT] = {1, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},

	[IBV_QPS_INIT][IBV_QPS_RESET] = {1, 0, 0},
	[IBV_QPS_INIT][IBV_QPS_ERR] = {1, 0, 0},
	[IBV_QPS_INIT][IBV_QPS_INIT] = {1, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	[IBV_QPS_INIT][IBV_QPS_RTR] = {1,
		IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},

	[IBV_QPS_RTR][IBV_QPS_RESET] = {1, 0, 0},
	[IBV_QPS_RTR][IBV_QPS_ERR] = {1, 0, 0},
	[IBV_QPS_RTR][IBV_QPS_RTS] = {1,
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
		IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATH},

	[IBV_QPS_RTS][IBV_QPS_RESET] = {1, 0, 0},
	[IBV_QPS_RTS][IBV_QPS_ERR] = {1, 0, 0},
	[IBV_QPS_RTS][IBV_QPS_RTS] = {1, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATH},
	[IBV_QPS_RTS][IBV_QPS_SQD] = {1, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},

	[IBV_QPS_SQD][IBV_QPS_RESET] = {1, 0, 0},
	[IBV_QPS_SQD][IBV_QPS_ERR] = {1, 0, 0},
	[IBV_QPS_SQD][IBV_QPS_RTS] = {1, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATH},
	[IBV_QPS_SQD][IBV_QPS_SQD] = {1, 0,
		IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_MIN_RNR_TIMER | PATH},

	[IBV_QPS_ERR][IBV_QPS_RESET] = {1, 0, 0},
	[IBV_QPS_ERR][IBV_QPS_ERR] = {1, 0, 0},
};

// check tells whether a QP may go to a state with these attributes.
static int check(const struct sd_qp *qp, const struct ibv_qp_attr *attr, int mask, enum ibv_qp_state to)
{
	const struct transition *t;

	if ((unsigned int)to > IBV_QPS_ERR)
		return EINVAL;
	t = &transitions[qp->state][to];
	if (!t->exists || t->required & ~mask || mask & ~(IBV_QP_STATE | t->required | t->optional))
		return EINVAL;
	// What the program takes the state to be: the device knows it, and a program that does not has lost track. ibv_modify_qp(3).
	if (mask & IBV_QP_CUR_STATE && attr->cur_qp_state != qp->state)
		return EINVAL;
	return sd_attr_check(attr, mask);
}

// reset forgets everything but what the QP was created with: nothing is left in its queues, and none of its completions in the CQs'.
static void reset(struct sd_qp *qp)
{
	sd_unwait(qp);
	qp->state = IBV_QPS_RESET;
	sd_purge(SD_OF(sd_cq, qp->qp.send_cq), &qp->sq.tail);
	sd_purge(SD_OF(sd_cq, qp->qp.recv_cq), &qp->rq.tail);
	sd_sq_reset(&qp->sq);
	sd_rq_reset(&qp->rq);
	sd_arrived(qp); // a peer in wait for a receive now waits for a QP that answers
	memset(&qp->attr, 0, sizeof qp->attr);
	qp->on_fabric = qp->established = qp->tell_drained = 0;
}

// move makes the step, which has been checked.
static void move(struct sd_qp *qp, const struct ibv_qp_attr *attr, int mask, enum ibv_qp_state to)
{
	if (to == IBV_QPS_RESET)
		return reset(qp);
	if (to == IBV_QPS_ERR)
		return sd_qp_error(qp);
	sd_attr_set(qp, attr, mask);
	qp->state = to;
	if (mask & IBV_QP_EN_SQD_ASYNC_NOTIFY)
		qp->tell_drained = attr->en_sqd_async_notify != 0;
	else if (to != IBV_QPS_SQD)
		qp->tell_drained = 0;
	sd_progress(qp);
	sd_arrived(qp);
}

int sd_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct sd_qp *qp = SD_OF(sd_qp, ibqp);
	struct softdev *d = sd_device(ibqp->context);
	enum ibv_qp_state to;
	int err;

	if (sd_enter(d, SD_modify_qp, &err))
		return err;
	if (qp->table) // mlx5 has nothing to modify: the WQs have the states
		return EOPNOTSUPP;
	pthread_mutex_lock(&d->lock);
	to = mask & IBV_QP_STATE ? attr->qp_state : qp->state;
	err = check(qp, attr, mask, to);
	if (!err)
		move(qp, attr, mask, to);
	// The library keeps the state that was asked for, and does not hear of an error on its own.
	if (!err && mask & IBV_QP_STATE)
		ibqp->state = to;
	pthread_mutex_unlock(&d->lock);
	return err;
}
