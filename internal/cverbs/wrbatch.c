//go:build linux && cgo

#include "labels_generated.h"

#include "wrbatch.h"
#include <errno.h>
#include <infiniband/verbs.h>

// The elements that inline data may come in.
#define MOST_BUFS 64

// build_inline is the setter for inline data, which most have in one piece: 0 or EINVAL.
static int build_inline(struct ibv_qp_ex *qp, const struct ibv_send_wr *w)
{
	struct ibv_data_buf bufs[MOST_BUFS];
	int i;

	if (w->num_sge == 1) {
		ibv_wr_set_inline_data(qp, (void *)(uintptr_t)w->sg_list->addr, w->sg_list->length);
		return 0;
	}
	if (w->num_sge < 0 || w->num_sge > MOST_BUFS)
		return EINVAL;
	for (i = 0; i < w->num_sge; i++) {
		bufs[i].addr = (void *)(uintptr_t)w->sg_list[i].addr;
		bufs[i].length = w->sg_list[i].length;
	}
	ibv_wr_set_inline_data_list(qp, (size_t)w->num_sge, bufs);
	return 0;
}

// build_data is the setter that each request with data has to have, even if it has no elements: mlx5 ends the request there.
static inline int build_data(struct ibv_qp_ex *qp, const struct ibv_send_wr *w)
{
	if (w->send_flags & IBV_SEND_INLINE)
		return build_inline(qp, w);
	if (w->num_sge == 1)
		ibv_wr_set_sge(qp, w->sg_list->lkey, w->sg_list->addr, w->sg_list->length);
	else if (w->num_sge >= 0)
		ibv_wr_set_sge_list(qp, (size_t)w->num_sge, w->sg_list);
	else
		return EINVAL;
	return 0;
}

#define NEED(op) \
	do { \
		if (!(ops & IBV_QP_EX_WITH_##op)) \
			return EOPNOTSUPP; \
	} while (0)

// build builds one request: 0, EOPNOTSUPP or EINVAL.
static inline int build(struct ibv_qp_ex *qp, uint64_t ops, const struct ibv_send_wr *w)
{
	qp->wr_id = w->wr_id;
	qp->wr_flags = w->send_flags; // with IBV_SEND_INLINE: the manual leaves that to the setter, but the kernel's soft-RoCE goes by it
	switch (w->opcode) {
	case IBV_WR_SEND:
		NEED(SEND);
		ibv_wr_send(qp);
		break;
	case IBV_WR_SEND_WITH_IMM:
		NEED(SEND_WITH_IMM);
		ibv_wr_send_imm(qp, w->imm_data);
		break;
	case IBV_WR_SEND_WITH_INV:
		NEED(SEND_WITH_INV);
		ibv_wr_send_inv(qp, w->invalidate_rkey);
		break;
	case IBV_WR_RDMA_WRITE:
		NEED(RDMA_WRITE);
		ibv_wr_rdma_write(qp, w->wr.rdma.rkey, w->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		NEED(RDMA_WRITE_WITH_IMM);
		ibv_wr_rdma_write_imm(qp, w->wr.rdma.rkey, w->wr.rdma.remote_addr, w->imm_data);
		break;
	case IBV_WR_RDMA_READ:
		NEED(RDMA_READ);
		ibv_wr_rdma_read(qp, w->wr.rdma.rkey, w->wr.rdma.remote_addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		NEED(ATOMIC_CMP_AND_SWP);
		ibv_wr_atomic_cmp_swp(qp, w->wr.atomic.rkey, w->wr.atomic.remote_addr, w->wr.atomic.compare_add, w->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		NEED(ATOMIC_FETCH_AND_ADD);
		ibv_wr_atomic_fetch_add(qp, w->wr.atomic.rkey, w->wr.atomic.remote_addr, w->wr.atomic.compare_add);
		break;
	case IBV_WR_LOCAL_INV:
		NEED(LOCAL_INV);
		ibv_wr_local_inv(qp, w->invalidate_rkey);
		return 0; // has no data
	default:
		return EOPNOTSUPP;
	}
	return build_data(qp, w);
}

int ibvgo_wr_batch(struct ibvgo_wr_batch *b)
{
	struct ibv_qp_ex *qp = b->qp;
	int32_t i, n = b->n;
	int err;

	ibv_wr_start(qp);
	for (i = 0; i < n; i++) {
		err = build(qp, b->ops, &b->wrs[i]);
		if (__builtin_expect(err, 0)) {
			ibv_wr_abort(qp);
			b->index = i;
			return err;
		}
	}
	b->index = n;
	return ibv_wr_complete(qp);
}
