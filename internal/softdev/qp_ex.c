//go:build linux && cgo

#include "frame.h"

#define RSS (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH)
#define OPS IBV_QP_INIT_ATTR_SEND_OPS_FLAGS
#define LACKING (IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_MAX_TSO_HEADER)

// refused returns the errno value for what this device does not make, or 0.
static int refused(struct ibv_context *context, const struct ibv_qp_init_attr_ex *a)
{
	if (a->comp_mask & ~(uint32_t)(RSS | OPS | LACKING))
		return EINVAL;
	if (a->comp_mask & LACKING)
		return EOPNOTSUPP;
	if (!(a->comp_mask & IBV_QP_INIT_ATTR_PD) || !a->pd || a->pd->context != context)
		return EINVAL;
	return 0;
}

// refused_rss is for QPs that spread packets. Such a QP has no queues of its own, so it can be asked for none: the kernel says so of
// receives, mlx5 of sends.
static int refused_rss(struct ibv_context *context, const struct ibv_qp_init_attr_ex *a)
{
	const struct ibv_qp_cap *cap = &a->cap;

	if (a->qp_type != IBV_QPT_RAW_PACKET || a->comp_mask & OPS)
		return EOPNOTSUPP;
	if ((a->comp_mask & RSS) != RSS || !a->rwq_ind_tbl || a->rwq_ind_tbl->context != context)
		return EINVAL;
	if (a->srq || cap->max_recv_wr || cap->max_recv_sge || cap->max_send_wr || cap->max_inline_data)
		return EINVAL;
	return sd_rss_check(&a->rx_hash_conf);
}

static struct ibv_qp *make_rss(struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
	struct sd_qp *qp = sd_qp_new(context, attr->pd, attr->qp_context, IBV_QPT_RAW_PACKET);

	if (!qp)
		return NULL;
	qp->table = SD_OF(sd_table, attr->rwq_ind_tbl);
	qp->hash_fields = attr->rx_hash_conf.rx_hash_fields_mask;
	memcpy(qp->hash_key, attr->rx_hash_conf.rx_hash_key, sizeof qp->hash_key);
	if (sd_qp_enlist(qp)) {
		sd_qp_free(qp);
		return NULL;
	}
	return &qp->qp;
}

// make_rc is for those that ibv_create_qp(3) makes as well, if it were not for their send operations.
static struct ibv_qp *make_rc(struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr plain = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
	};
	struct ibv_qp *qp = sd_make_rc(attr->pd, &plain, attr->comp_mask & OPS ? &attr->send_ops_flags : NULL);

	if (qp)
		attr->cap = plain.cap;
	return qp;
}

// ibv_create_qp_ex(3).
struct ibv_qp *sd_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp;
	int err;

	if (sd_enter(sd_device(context), SD_create_qp_ex, &err))
		return NULL;
	err = refused(context, attr);
	if (!err && !(attr->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD | OPS)))
		return make_rc(attr);
	if (!err)
		err = refused_rss(context, attr);
	if (err) {
		errno = err;
		return NULL;
	}
	qp = make_rss(context, attr);
	if (!qp)
		errno = ENOMEM;
	return qp;
}
