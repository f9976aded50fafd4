//go:build linux && cgo

#include "core.h"

// ibv_wr_post(3). Requests are staged apart from the queue, so that others may post by ibv_post_send(3) meanwhile, and so that
// nothing is posted if one of them is wrong: ibv_wr_complete() tells of the first mistake. Too many requests, elements or inline bytes are
// soft-RoCE's ENOSPC.

static struct sd_building *building(struct ibv_qp_ex *ex)
{
	return SD_OF(sd_qp, ex)->building;
}

static void wrong(struct sd_building *b, int err)
{
	if (!b->err)
		b->err = err;
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct sd_building *b = building(ex);

	// A thread that has started already would wait for itself.
	if (pthread_mutex_lock(&b->owner)) {
		wrong(b, EDEADLK);
		return;
	}
	b->open = 1;
	b->err = 0;
	b->staged.head = 0;
}

static void leave(struct sd_building *b)
{
	b->open = 0;
	pthread_mutex_unlock(&b->owner);
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	if (building(ex)->open)
		leave(building(ex));
}

// build begins the next request; NULL if there can be none. The builder takes wr_id and wr_flags as they are now. Inline data is a matter of the
// setter, and not of these flags.
static struct ibv_send_wr *build(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct sd_building *b = building(ex);
	struct ibv_send_wr *wr;

	if (!b->open || b->err)
		return NULL;
	if (b->staged.head >= b->staged.limit) {
		wrong(b, ENOSPC);
		return NULL;
	}
	wr = &b->staged.ring[b->staged.head++].wr;
	*wr = (struct ibv_send_wr){.wr_id = ex->wr_id, .send_flags = ex->wr_flags & ~(unsigned int)IBV_SEND_INLINE, .opcode = opcode, .num_sge = -1};
	return wr;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	build(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	struct ibv_send_wr *wr = build(ex, IBV_WR_SEND_WITH_IMM);

	if (wr)
		wr->imm_data = imm;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct ibv_send_wr *wr = build(ex, IBV_WR_SEND_WITH_INV);

	if (wr)
		wr->invalidate_rkey = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct ibv_send_wr *wr = build(ex, IBV_WR_LOCAL_INV);

	if (wr)
		wr->invalidate_rkey = rkey;
}

static struct ibv_send_wr *build_rdma(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t remote_addr)
{
	struct ibv_send_wr *wr = build(ex, opcode);

	if (wr) {
		wr->wr.rdma.rkey = rkey;
		wr->wr.rdma.remote_addr = remote_addr;
	}
	return wr;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	build_rdma(ex, IBV_WR_RDMA_READ, rkey, remote_addr);
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	build_rdma(ex, IBV_WR_RDMA_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr, __be32 imm)
{
	struct ibv_send_wr *wr = build_rdma(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr);

	if (wr)
		wr->imm_data = imm;
}

// last is the request that a setter is for; NULL if there is none that wants data: one setter for each, and none for keys that are
// invalidated.
static struct ibv_send_wr *last(struct sd_building *b)
{
	struct ibv_send_wr *wr;

	if (!b->open || b->err)
		return NULL;
	wr = b->staged.head ? &b->staged.ring[b->staged.head - 1].wr : NULL;
	if (wr && wr->opcode != IBV_WR_LOCAL_INV && wr->num_sge < 0)
		return wr;
	wrong(b, EINVAL);
	return NULL;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
	struct sd_building *b = building(ex);
	struct ibv_send_wr *wr = last(b);

	if (!wr)
		return;
	if (n > b->staged.max_sge) {
		wrong(b, ENOSPC);
		return;
	}
	wr->num_sge = (int)n;
	wr->sg_list = b->staged.sges + (size_t)(b->staged.head - 1) * b->staged.max_sge;
	if (n)
		memcpy(wr->sg_list, list, n * sizeof *list);
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};

	wr_set_sge_list(ex, 1, &sge);
}

// The data is copied at once, and once more when it is posted. There is nothing to be sent with a read, for which the manual has no inline
// data.
static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *list)
{
	struct sd_building *b = building(ex);
	struct ibv_send_wr *wr = last(b);
	size_t place, length = 0, i;
	unsigned char *at;

	if (!wr)
		return;
	if (wr->opcode == IBV_WR_RDMA_READ) {
		wrong(b, EINVAL);
		return;
	}
	place = b->staged.head - 1;
	at = b->staged.inlined + place * b->staged.max_inline;
	for (i = 0; i < n; i++) {
		if (list[i].length > b->staged.max_inline - length || (list[i].length && !b->staged.max_sge)) {
			wrong(b, ENOSPC);
			return;
		}
		if (list[i].length)
			memcpy(at + length, list[i].addr, list[i].length);
		length += list[i].length;
	}
	wr->num_sge = length != 0;
	wr->send_flags |= IBV_SEND_INLINE;
	wr->sg_list = b->staged.sges + place * b->staged.max_sge;
	if (length)
		*wr->sg_list = (struct ibv_sge){.addr = (uintptr_t)at, .length = (uint32_t)length};
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = {.addr = addr, .length = length};

	wr_set_inline_data_list(ex, 1, &buf);
}

// post posts what is staged, or nothing.
static int post(struct sd_qp *qp)
{
	struct softdev *d = sd_device(qp->qp.context);
	struct sd_sq *staged = &qp->building->staged;
	uint32_t i;
	int err;

	pthread_mutex_lock(&d->lock);
	err = sd_may_send(qp);
	if (!err && staged->head > qp->sq.limit - (qp->sq.head - atomic_load_explicit(&qp->sq.tail, memory_order_acquire)))
		err = ENOSPC;
	for (i = 0; i < staged->head && !err; i++) {
		if (staged->ring[i].wr.num_sge < 0)
			staged->ring[i].wr.num_sge = 0;
		err = sd_sq_post(&qp->sq, &staged->ring[i].wr); // the builders have seen to it that none is refused
	}
	sd_sent(qp);
	pthread_mutex_unlock(&d->lock);
	return err;
}

int sd_wr_complete(struct ibv_qp_ex *ex)
{
	struct sd_building *b = building(ex);
	int err;

	if (!sd_enter(sd_device(ex->qp_base.context), SD_wr_complete, &err))
		err = !b->open ? EINVAL : b->err ? b->err : post(SD_OF(sd_qp, ex));
	wr_abort(ex);
	return err;
}

// For a device that lacks it; the header calls it without a look.
static int no_wr_complete(struct ibv_qp_ex *ex)
{
	wr_abort(ex);
	return EOPNOTSUPP;
}

struct ibv_qp_ex *sd_qp_to_qp_ex(struct ibv_qp *qp)
{
	int value;

	if (sd_enter(sd_device(qp->context), SD_qp_to_qp_ex, &value))
		return NULL;
	return SD_OF(sd_qp, qp)->building ? &SD_OF(sd_qp, qp)->ex : NULL;
}

// fill sets what the header's inlines call. Operations that were not asked for have no builder, as with soft-RoCE.
static void fill(struct ibv_qp_ex *ex, uint64_t ops)
{
#define ASKED(FLAG, name) ex->wr_##name = ops & IBV_QP_EX_WITH_##FLAG ? wr_##name : NULL
	ASKED(SEND, send);
	ASKED(SEND_WITH_IMM, send_imm);
	ASKED(SEND_WITH_INV, send_inv);
	ASKED(LOCAL_INV, local_inv);
	ASKED(RDMA_READ, rdma_read);
	ASKED(RDMA_WRITE, rdma_write);
	ASKED(RDMA_WRITE_WITH_IMM, rdma_write_imm);
#undef ASKED
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	ex->wr_start = wr_start;
	ex->wr_complete = sd_device(ex->qp_base.context)->config.absent[SD_wr_complete] ? no_wr_complete : sd_wr_complete;
	ex->wr_abort = wr_abort;
}

int sd_building_new(struct sd_qp *qp, uint64_t ops)
{
	const uint64_t all = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_LOCAL_INV |
			     IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	pthread_mutexattr_t checks;
	struct sd_building *b;

	// ibv_wr_post(3): creation fails if one of them is not supported. The value is that of soft-RoCE and mlx5.
	if (ops & ~all)
		return EOPNOTSUPP;
	b = calloc(1, sizeof *b);
	if (!b || sd_sq_init(&b->staged, qp->sq.limit, qp->sq.max_sge, qp->sq.max_inline)) {
		free(b);
		return ENOMEM;
	}
	pthread_mutexattr_init(&checks);
	pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&b->owner, &checks);
	pthread_mutexattr_destroy(&checks);
	qp->building = b;
	fill(&qp->ex, ops);
	return 0;
}

void sd_building_free(struct sd_qp *qp)
{
	if (!qp->building)
		return;
	pthread_mutex_destroy(&qp->building->owner);
	sd_sq_free(&qp->building->staged);
	free(qp->building);
}
