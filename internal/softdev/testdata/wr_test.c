// Requests built one by one: ibv_wr_post(3). Expected values are the manual's, or soft-RoCE's where a comment says so.

#include "world.h"

#define OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_LOCAL_INV | \
	     IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)

// What the header's inline would ask the library for.
struct ibv_qp *(ibv_create_qp)(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	return sd_create_qp(pd, attr);
}

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *cq, const struct plan *p, uint64_t ops)
{
	struct ibv_qp_init_attr_ex a = {.send_cq = cq, .recv_cq = cq, .cap = p->cap, .qp_type = IBV_QPT_RC, .pd = pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = ops};

	return ibv_create_qp_ex(pd->context, &a);
}

// A world whose first side has a QP with these operations.
static struct world building_world(const struct plan *p, uint64_t ops)
{
	struct world w = make_world(p);

	WANT(sd_destroy_qp(w.a.qp), 0);
	w.a.qp = create(w.pd, w.a.cq, p, ops);
	CHECK(w.a.qp, "create_qp_ex: %s", strerror(errno));
	connect_sides(&w.a, &w.b, p);
	return w;
}

static struct ibv_qp_ex *ex(const struct side *s)
{
	struct ibv_qp_ex *x = sd_qp_to_qp_ex(s->qp);

	CHECK(x && &x->qp_base == s->qp, "no QP for building");
	return x;
}

static void creation(void)
{
	struct plan p = plan();
	struct world w = make_world(&p);
	struct ibv_qp_ex *x;
	struct ibv_qp *qp;
	int bit;

	CHECK(!sd_qp_to_qp_ex(w.a.qp), "a plain QP passes for one with operations");
	for (bit = 0; bit < 64; bit++) {
		uint64_t op = UINT64_C(1) << bit;

		qp = create(w.pd, w.a.cq, &p, op);
		if (!(op & OPS)) { // creation fails if not all are supported, with EOPNOTSUPP as with soft-RoCE and mlx5
			CHECK(!qp && errno == EOPNOTSUPP, "bit %d: %s", bit, strerror(errno));
			continue;
		}
		CHECK(qp, "bit %d: %s", bit, strerror(errno));
		x = sd_qp_to_qp_ex(qp);
		// Those that were not asked for are not there.
		WANT(!!x->wr_send, op == IBV_QP_EX_WITH_SEND);
		WANT(!!x->wr_send_imm, op == IBV_QP_EX_WITH_SEND_WITH_IMM);
		WANT(!!x->wr_send_inv, op == IBV_QP_EX_WITH_SEND_WITH_INV);
		WANT(!!x->wr_local_inv, op == IBV_QP_EX_WITH_LOCAL_INV);
		WANT(!!x->wr_rdma_read, op == IBV_QP_EX_WITH_RDMA_READ);
		WANT(!!x->wr_rdma_write, op == IBV_QP_EX_WITH_RDMA_WRITE);
		WANT(!!x->wr_rdma_write_imm, op == IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM);
		CHECK(!x->wr_atomic_cmp_swp && !x->wr_atomic_fetch_add && !x->wr_bind_mw && !x->wr_send_tso, "bit %d: operations that the device lacks", bit);
		WANT(sd_destroy_qp(qp), 0);
	}
	end_world(&w);
}

static void each_operation(void)
{
	struct plan p = plan();
	struct world w = building_world(&p, OPS);
	struct ibv_qp_ex *x = ex(&w.a);
	struct ibv_sge to = sge(&w.b, 1024, 64), parts[2];
	struct ibv_data_buf bufs[2] = {{"in", 2}, {"line", 4}};
	struct ibv_mr *own = sd_reg_mr(w.pd, w.a.memory, 8, ALL_ACCESS), *peers = sd_reg_mr(w.pd, w.b.memory, 8, ALL_ACCESS);
	uint64_t remote = (uintptr_t)w.b.memory;
	struct ibv_wc wc = {0};
	int i;

	for (i = 0; i < 4; i++)
		WANT(post_recv(&w.b, i, &to, 1), 0);
	memcpy(w.a.memory, "hello, world", 12);
	memcpy(w.b.memory + 300, "from there", 10);
	ibv_wr_start(x);
	x->wr_id = 10;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(x);
	ibv_wr_set_sge(x, w.a.mr->lkey, (uintptr_t)w.a.memory, 12);
	x->wr_id = 11;
	ibv_wr_send_imm(x, htobe32(7));
	ibv_wr_set_inline_data(x, "short", 5);
	x->wr_id = 12;
	ibv_wr_send_inv(x, peers->rkey);
	parts[0] = sge(&w.a, 0, 5);
	parts[1] = sge(&w.a, 7, 5);
	ibv_wr_set_sge_list(x, 2, parts);
	x->wr_id = 13;
	ibv_wr_rdma_write(x, w.b.mr->rkey, remote + 100);
	ibv_wr_set_inline_data_list(x, 2, bufs);
	x->wr_id = 14;
	x->wr_flags = 0; // the builder takes them as they are then
	ibv_wr_rdma_write(x, w.b.mr->rkey, remote + 200);
	ibv_wr_set_sge(x, w.a.mr->lkey, (uintptr_t)w.a.memory, 5);
	x->wr_flags = IBV_SEND_SIGNALED;
	x->wr_id = 15;
	ibv_wr_rdma_write_imm(x, w.b.mr->rkey, remote + 400, htobe32(8));
	ibv_wr_set_sge_list(x, 0, NULL);
	x->wr_id = 16;
	ibv_wr_rdma_read(x, w.b.mr->rkey, remote + 300);
	ibv_wr_set_sge(x, w.a.mr->lkey, (uintptr_t)w.a.memory + 500, 10);
	x->wr_id = 17;
	ibv_wr_local_inv(x, own->rkey);
	NONE(w.a.cq); // nothing happens before
	WANT(w.b.memory[100], 0);
	WANT(ibv_wr_complete(x), 0);
	for (i = 10; i < 18; i++)
		if (i != 14)
			wc = ONE(w.a.cq, i, IBV_WC_SUCCESS);
	WANT(wc.opcode, IBV_WC_LOCAL_INV);
	NONE(w.a.cq);
	WANT(ONE(w.b.cq, 0, IBV_WC_SUCCESS).byte_len, 12);
	wc = ONE(w.b.cq, 1, IBV_WC_SUCCESS);
	CHECK(wc.byte_len == 5 && wc.wc_flags == IBV_WC_WITH_IMM && be32toh(wc.imm_data) == 7, "%u bytes, flags %u", wc.byte_len, wc.wc_flags);
	wc = ONE(w.b.cq, 2, IBV_WC_SUCCESS);
	CHECK(wc.byte_len == 10 && wc.wc_flags == IBV_WC_WITH_INV && wc.invalidated_rkey == peers->rkey, "%u bytes, flags %u", wc.byte_len, wc.wc_flags);
	wc = ONE(w.b.cq, 3, IBV_WC_SUCCESS);
	CHECK(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && be32toh(wc.imm_data) == 8, "opcode %d", wc.opcode);
	CHECK(!memcmp(w.b.memory + 1024, "helloworldld", 12), "%.12s", w.b.memory + 1024);
	CHECK(!memcmp(w.b.memory + 100, "inline", 6) && !memcmp(w.b.memory + 200, "hello", 5), "writes");
	CHECK(!memcmp(w.a.memory + 500, "from there", 10), "%.10s", w.a.memory + 500);
	WANT(sd_dereg_mr(own), 0);
	WANT(sd_dereg_mr(peers), 0);
	end_world(&w);
}

// A mistake anywhere in a batch, and nothing of it is posted. The next batch knows nothing of it.
static void mistakes(void)
{
	struct plan p = plan();
	struct ibv_sge parts[5] = {{0}};
	static char much[65];
	struct world w;
	struct ibv_qp_ex *x;
	int i, kind;

	p.config.exact = 1; // sizes are those that were asked for
	w = building_world(&p, OPS);
	x = ex(&w.a);
	for (kind = 0; kind < 7; kind++) {
		int want[] = {ENOSPC, ENOSPC, ENOSPC, EINVAL, EINVAL, EINVAL, EINVAL};

		ibv_wr_start(x);
		x->wr_flags = IBV_SEND_SIGNALED;
		if (kind == 3)
			ibv_wr_set_sge(x, 0, 0, 0); // for no request
		ibv_wr_rdma_write(x, w.b.mr->rkey, (uintptr_t)w.b.memory);
		ibv_wr_set_inline_data(x, "!", 1);
		switch (kind) {
		case 0: // the first three as soft-RoCE; more requests than there are places
			for (i = 0; i < 16; i++)
				ibv_wr_rdma_write(x, 0, 0);
			break;
		case 1:
			ibv_wr_send(x);
			ibv_wr_set_sge_list(x, 5, parts);
			break;
		case 2:
			ibv_wr_send(x);
			ibv_wr_set_inline_data(x, much, sizeof much);
			break;
		case 4: // a setter should be called once
			ibv_wr_set_inline_data(x, "?", 1);
			break;
		case 5: // has no setter
			ibv_wr_local_inv(x, w.a.mr->rkey);
			ibv_wr_set_sge(x, 0, 0, 0);
			break;
		case 6: // inline data is for what is sent
			ibv_wr_rdma_read(x, 0, 0);
			ibv_wr_set_inline_data(x, "?", 1);
			break;
		}
		ibv_wr_send(x); // is no use any more
		WANT(ibv_wr_complete(x), want[kind]);
		NONE(w.a.cq);
		WANT(w.b.memory[0], 0);
	}
	WANT(ibv_wr_complete(x), EINVAL); // which nothing has started
	ibv_wr_start(x);
	ibv_wr_start(x); // would wait for itself
	WANT(ibv_wr_complete(x), EDEADLK);
	ibv_wr_start(x);
	x->wr_id = 3;
	ibv_wr_rdma_write(x, w.b.mr->rkey, (uintptr_t)w.b.memory); // of nothing: without a setter
	WANT(ibv_wr_complete(x), 0);
	ONE(w.a.cq, 3, IBV_WC_SUCCESS);
	end_world(&w);
}

// What is outstanding takes places; all of a batch fit, or none.
static void room(void)
{
	struct plan p = plan();
	struct world w;
	struct ibv_qp_ex *x;
	int i, n;

	p.config.exact = 1;
	w = building_world(&p, OPS);
	x = ex(&w.a);
	for (n = 10; n >= 6; n -= 4) {
		ibv_wr_start(x);
		x->wr_flags = 0;
		for (i = 0; i < n; i++)
			ibv_wr_rdma_write(x, 0, 0);
		WANT(ibv_wr_complete(x), 0);
	}
	ibv_wr_start(x);
	ibv_wr_rdma_write(x, 0, 0);
	WANT(ibv_wr_complete(x), ENOSPC);
	WANT(post_send(&w.a, (struct ibv_send_wr){.opcode = IBV_WR_RDMA_WRITE}), ENOMEM);
	end_world(&w);
}

// Aborted batches are forgotten; ibv_post_send(3) works on the same QP.
static void aborted(void)
{
	struct plan p = plan();
	struct world w = building_world(&p, IBV_QP_EX_WITH_RDMA_WRITE);
	struct ibv_qp_ex *x = ex(&w.a);
	struct ibv_sge byte = sge(&w.a, 0, 1);

	w.a.memory[0] = 1;
	ibv_wr_start(x);
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(x, w.b.mr->rkey, (uintptr_t)w.b.memory);
	ibv_wr_set_sge(x, w.a.mr->lkey, (uintptr_t)w.a.memory, 1);
	ibv_wr_abort(x);
	ibv_wr_abort(x); // of nothing
	NONE(w.a.cq);
	WANT(w.b.memory[0], 0);
	ibv_wr_start(x);
	WANT(ibv_wr_complete(x), 0); // of nothing either
	NONE(w.a.cq);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 4, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &byte, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {(uintptr_t)w.b.memory, w.b.mr->rkey}}), 0);
	ONE(w.a.cq, 4, IBV_WC_SUCCESS);
	WANT(w.b.memory[0], 1);
	end_world(&w);
}

static void states_and_faults(void)
{
	struct plan p = plan();
	struct softdev_config lacks = {.absent = {[SD_wr_complete] = 1}};
	struct world w = building_world(&p, IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *x = ex(&w.a);

	softdev_fail(w.d, &(struct softdev_fault){.verb = SD_wr_complete, .times = 1, .fails = 1, .value = EIO});
	ibv_wr_start(x);
	x->wr_id = 5;
	ibv_wr_send(x);
	WANT(ibv_wr_complete(x), EIO);
	NONE(w.a.cq);
	WANT(to_state(w.a.qp, IBV_QPS_ERR), 0);
	ibv_wr_start(x);
	ibv_wr_send(x);
	WANT(ibv_wr_complete(x), 0); // flushed, as what ibv_post_send(3) posts
	ONE(w.a.cq, 5, IBV_WC_WR_FLUSH_ERR);
	WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
	ibv_wr_start(x);
	ibv_wr_send(x);
	WANT(ibv_wr_complete(x), EINVAL);
	softdev_fail(w.d, &(struct softdev_fault){.verb = SD_qp_to_qp_ex, .times = 1, .fails = 1, .err = EIO});
	errno = 0;
	CHECK(!sd_qp_to_qp_ex(w.a.qp) && errno == EIO, "%s", strerror(errno));
	end_world(&w);
	p.config = lacks;
	w = building_world(&p, IBV_QP_EX_WITH_SEND);
	x = ex(&w.a);
	ibv_wr_start(x);
	ibv_wr_send(x);
	WANT(ibv_wr_complete(x), EOPNOTSUPP);
	ibv_wr_start(x); // nothing was left locked
	ibv_wr_abort(x);
	end_world(&w);
}

int main(void)
{
	creation();
	each_operation();
	mistakes();
	room();
	aborted();
	states_and_faults();
	printf("%d checks\n", checks);
	return 0;
}
