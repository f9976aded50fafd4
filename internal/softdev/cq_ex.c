//go:build linux && cgo

#include "core.h"

// refused returns the errno value for what this device does not make, or 0: the order and the values are mlx5's. A protection domain of this
// device is no parent domain, which the member asks for.
static int refused(const struct ibv_cq_init_attr_ex *a)
{
	const uint64_t fields = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	const uint32_t flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;

	if (a->comp_mask & ~(uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD))
		return EINVAL;
	if (a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS && a->flags & ~flags)
		return EINVAL;
	if (a->wc_flags & ~fields)
		return EOPNOTSUPP;
	return a->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ? EINVAL : 0;
}

// ibv_create_cq_ex(3).
struct ibv_cq_ex *sd_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct sd_cq *q;
	int err;

	if (sd_enter(sd_device(context), SD_create_cq_ex, &err))
		return NULL;
	err = refused(attr);
	if (err || attr->cqe > INT32_MAX || attr->comp_vector > INT32_MAX) {
		errno = err ? err : EINVAL;
		return NULL;
	}
	q = sd_cq_new(context, (int)attr->cqe, attr->cq_context, attr->channel, (int)attr->comp_vector);
	if (!q)
		return NULL;
	// The flags mean something only if the mask says so.
	if (sd_batches_new(q, attr->wc_flags, attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ? attr->flags : 0)) {
		sd_cq_free(q);
		errno = ENOMEM;
		return NULL;
	}
	sd_cq_enlist(q);
	return &q->ex;
}
