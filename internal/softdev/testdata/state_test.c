// Self-test of creating, modifying and querying queue pairs.

#include "world.h"

// The tables of ibv_modify_qp(3) for IBV_QPT_RC, written out from there: what each step needs, and what else may come. The manual has no
// rows for INIT to INIT, SQD to SQD and the like; the InfiniBand specification's table of QP state transitions has.
#define ACCESS IBV_QP_ACCESS_FLAGS
#define ALT (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
static const struct {
	enum ibv_qp_state from, to;
	int required, optional;
} steps[] = {
	{IBV_QPS_RESET, IBV_QPS_RESET, 0, 0},
	{IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | ACCESS, 0},
	{IBV_QPS_INIT, IBV_QPS_RESET, 0, 0},
	{IBV_QPS_INIT, IBV_QPS_ERR, 0, 0},
	{IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | ACCESS},
	{IBV_QPS_INIT, IBV_QPS_RTR, RTR_MASK & ~IBV_QP_STATE, IBV_QP_PKEY_INDEX | ACCESS | IBV_QP_ALT_PATH},
	{IBV_QPS_RTR, IBV_QPS_RESET, 0, 0},
	{IBV_QPS_RTR, IBV_QPS_ERR, 0, 0},
	{IBV_QPS_RTR, IBV_QPS_RTS, RTS_MASK & ~IBV_QP_STATE, IBV_QP_CUR_STATE | ACCESS | IBV_QP_MIN_RNR_TIMER | ALT},
	{IBV_QPS_RTS, IBV_QPS_RESET, 0, 0},
	{IBV_QPS_RTS, IBV_QPS_ERR, 0, 0},
	{IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | ACCESS | IBV_QP_MIN_RNR_TIMER | ALT},
	{IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
	{IBV_QPS_SQD, IBV_QPS_RESET, 0, 0},
	{IBV_QPS_SQD, IBV_QPS_ERR, 0, 0},
	{IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | ACCESS | IBV_QP_MIN_RNR_TIMER | ALT},
	{IBV_QPS_SQD, IBV_QPS_SQD, 0,
	 IBV_QP_CUR_STATE | ACCESS | IBV_QP_MIN_RNR_TIMER | ALT | IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_PKEY_INDEX},
	{IBV_QPS_ERR, IBV_QPS_RESET, 0, 0},
	{IBV_QPS_ERR, IBV_QPS_ERR, 0, 0},
};

// bring takes a QP from anywhere to a state.
static void bring(struct ibv_qp *qp, enum ibv_qp_state state, const struct plan *p)
{
	WANT(to_state(qp, IBV_QPS_RESET), 0);
	if (state == IBV_QPS_RESET)
		return;
	to_init(qp, 0);
	if (state == IBV_QPS_INIT)
		return;
	if (state == IBV_QPS_ERR) {
		WANT(to_state(qp, IBV_QPS_ERR), 0);
		return;
	}
	to_rtr(qp, 1, 0, p, 0);
	if (state == IBV_QPS_RTR)
		return;
	to_rts(qp, 0, p);
	if (state == IBV_QPS_SQD)
		WANT(to_state(qp, IBV_QPS_SQD), 0);
}

static struct ibv_qp_attr good(enum ibv_qp_state from, enum ibv_qp_state to, const struct plan *p)
{
	struct ibv_qp_attr a = rtr_attr(1, 0, p, 0);

	a.qp_state = to;
	a.cur_qp_state = from;
	a.port_num = a.alt_port_num = 1;
	a.alt_ah_attr = a.ah_attr;
	a.timeout = 14;
	a.retry_cnt = a.rnr_retry = 7;
	a.max_rd_atomic = 1;
	return a;
}

static void every_step(void)
{
	static const enum ibv_qp_state states[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QPS_SQE, IBV_QPS_ERR};
	struct plan p = plan();
	struct world w = make_world(&p);
	size_t f, t, s;
	int bit;

	for (f = 0; f < 7; f++) {
		for (t = 0; t < 7; t++) {
			enum ibv_qp_state from = states[f], to = states[t];
			struct ibv_qp_attr a = good(from, to, &p);
			int exists = 0, required = 0, optional = 0;

			if (from == IBV_QPS_SQE)
				continue; // an RC QP is never there
			for (s = 0; s < sizeof steps / sizeof steps[0]; s++)
				if (steps[s].from == from && steps[s].to == to) {
					exists = 1;
					required = steps[s].required;
					optional = steps[s].optional;
				}
			bring(w.a.qp, from, &p);
			WANT(sd_modify_qp(w.a.qp, &a, IBV_QP_STATE | required), exists ? 0 : EINVAL);
			WANT(state_of(w.a.qp), exists ? to : from);
			for (bit = 1; bit <= 1 << 27; bit <<= 1) {
				int mask = (IBV_QP_STATE | required) ^ bit, want = exists && !(bit & required) && bit & optional ? 0 : EINVAL;

				if (bit == IBV_QP_STATE)
					continue;
				bring(w.a.qp, from, &p);
				CHECK(sd_modify_qp(w.a.qp, &a, mask) == want, "%d to %d with bit %#x: not %d", from, to, bit, want);
				WANT(w.a.qp->state, want ? from : to);
			}
		}
	}
	end_world(&w);
}

static void values(void)
{
	static const struct {
		int mask; // 0: to RTR; else of SQD to SQD
		size_t at, size;
		uint64_t bad;
	} cases[] = {
#define AT(member) offsetof(struct ibv_qp_attr, member), sizeof(((struct ibv_qp_attr *)0)->member)
		{0, AT(path_mtu), 0},
		{0, AT(path_mtu), IBV_MTU_4096 + 1},
		{0, AT(dest_qp_num), 1 << 24},
		{0, AT(min_rnr_timer), 32},
		{0, AT(max_dest_rd_atomic), 17},
		{0, AT(ah_attr.is_global), 0},
		{0, AT(ah_attr.port_num), 2},
		{0, AT(ah_attr.grh.sgid_index), 4},
		{0, AT(ah_attr.grh.sgid_index), 16},
		{0, AT(ah_attr.grh.sgid_index), 255},
		{IBV_QP_PORT, AT(port_num), 0},
		{IBV_QP_PORT, AT(port_num), 2},
		{IBV_QP_PKEY_INDEX, AT(pkey_index), 1},
		{IBV_QP_TIMEOUT, AT(timeout), 32},
		{IBV_QP_RETRY_CNT, AT(retry_cnt), 8},
		{IBV_QP_RNR_RETRY, AT(rnr_retry), 8},
		{IBV_QP_MAX_QP_RD_ATOMIC, AT(max_rd_atomic), 17},
		{IBV_QP_ALT_PATH, AT(alt_port_num), 2},
		{IBV_QP_ALT_PATH, AT(alt_pkey_index), 1},
		{IBV_QP_ALT_PATH, AT(alt_timeout), 32},
		{IBV_QP_ALT_PATH, AT(alt_ah_attr.is_global), 0},
		{IBV_QP_PATH_MIG_STATE, AT(path_mig_state), IBV_MIG_ARMED + 1},
		{IBV_QP_CUR_STATE, AT(cur_qp_state), IBV_QPS_RTS},
#undef AT
	};
	struct plan p = plan();
	struct world w = make_world(&p);
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum ibv_qp_state from = cases[i].mask ? IBV_QPS_SQD : IBV_QPS_INIT, to = cases[i].mask ? IBV_QPS_SQD : IBV_QPS_RTR;
		int mask = cases[i].mask ? IBV_QP_STATE | cases[i].mask : RTR_MASK;
		struct ibv_qp_attr a = good(from, to, &p);

		bring(w.a.qp, from, &p);
		WANT(sd_modify_qp(w.a.qp, &a, mask), 0);
		bring(w.a.qp, from, &p);
		memcpy((char *)&a + cases[i].at, &cases[i].bad, cases[i].size); // little-endian machines
		CHECK(sd_modify_qp(w.a.qp, &a, mask) == EINVAL, "value %" PRIu64 " at %zu is accepted", cases[i].bad, cases[i].at);
		WANT(state_of(w.a.qp), from);
	}
	end_world(&w);
}

static void queries(void)
{
	struct plan p = plan();
	struct world w;
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;

	p.sig_all = 1;
	p.timeout = 14;
	w = connected_world(&p);
	memset(&a, 0xff, sizeof a);
	WANT(sd_query_qp(w.a.qp, &a, IBV_QP_STATE, &init), 0);
	WANT(a.qp_state, IBV_QPS_RTS);
	WANT(a.cur_qp_state, IBV_QPS_RTS);
	WANT(a.path_mtu, IBV_MTU_1024);
	WANT(a.path_mig_state, IBV_MIG_MIGRATED);
	WANT(a.dest_qp_num, w.b.qp->qp_num);
	WANT(a.sq_psn, 100);
	WANT(a.rq_psn, 200);
	WANT(a.qp_access_flags, p.access);
	WANT(a.cap.max_send_wr, 16);
	WANT(a.ah_attr.grh.sgid_index, 3);
	WANT(a.port_num, 1);
	WANT(a.timeout, 14);
	WANT(a.retry_cnt, 7);
	WANT(a.rnr_retry, 7);
	WANT(a.min_rnr_timer, 1);
	WANT(a.max_rd_atomic, 1);
	WANT(a.max_dest_rd_atomic, 1);
	WANT(a.sq_draining, 0);
	CHECK(init.send_cq == w.a.cq && init.recv_cq == w.a.cq && !init.srq, "other CQs");
	WANT(init.qp_type, IBV_QPT_RC);
	WANT(init.sq_sig_all, 1);
	WANT(init.cap.max_inline_data, 64);
	WANT(post_recv(&w.b, 1, NULL, 0), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 2, .opcode = IBV_WR_SEND}), 0);
	ONE(w.a.cq, 2, IBV_WC_SUCCESS); // all are signalled
	WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
	WANT(sd_query_qp(w.a.qp, &a, IBV_QP_STATE, &init), 0);
	WANT(a.qp_state, IBV_QPS_RESET);
	WANT(a.dest_qp_num, 0);
	end_world(&w);
}

#define REFUSED(init_, errno_) \
	do { \
		errno = 0; \
		CHECK(!sd_create_qp(w.pd, &(init_)), "not refused"); \
		WANT(errno, errno_); \
	} while (0)

static void creates(void)
{
	struct plan p = plan();
	struct world w = make_world(&p);
	struct ibv_context *other = sd_open_device(softdev_device(w.d));
	struct ibv_cq *far = sd_create_cq(other, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr base = {.send_cq = w.a.cq, .recv_cq = w.b.cq, .qp_type = IBV_QPT_RC}, init;
	struct ibv_qp_init_attr_ex ex;
	struct ibv_qp *qp;
	static const enum ibv_qp_type lacking[] = {IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, IBV_QPT_DRIVER};
	size_t i;

	for (i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
		init = base;
		init.qp_type = lacking[i];
		REFUSED(init, EOPNOTSUPP);
	}
	init = base;
	init.srq = (struct ibv_srq *)&i;
	REFUSED(init, EOPNOTSUPP);
	init = base;
	init.send_cq = NULL;
	REFUSED(init, EINVAL);
	init = base;
	init.recv_cq = far;
	REFUSED(init, EINVAL);
#define BEYOND(member, limit) \
	init = base; \
	init.cap.member = (limit) + 1; \
	REFUSED(init, EINVAL)
	BEYOND(max_send_wr, 16384);
	BEYOND(max_recv_wr, 16384);
	BEYOND(max_send_sge, 16);
	BEYOND(max_recv_sge, 16);
	BEYOND(max_inline_data, 256);
#undef BEYOND
	init = base;
	init.cap = (struct ibv_qp_cap){.max_send_wr = 100, .max_recv_wr = 16384, .max_send_sge = 1, .max_recv_sge = 16, .max_inline_data = 256};
	qp = sd_create_qp(w.pd, &init);
	CHECK(qp, "create_qp: %s", strerror(errno));
	WANT(init.cap.max_send_wr, 128);
	WANT(init.cap.max_recv_wr, 16384);
	WANT(init.cap.max_send_sge, 4);
	WANT(init.cap.max_recv_sge, 16);
	WANT(qp->state, IBV_QPS_RESET);
	CHECK(qp->qp_num && qp->qp_num < 1 << 24, "number %u", qp->qp_num);
	WANT(sd_dealloc_pd(w.pd), EBUSY);
	WANT(sd_destroy_cq(w.a.cq), EBUSY);
	WANT(sd_destroy_qp(qp), 0);
	// The extended call.
	ex = (struct ibv_qp_init_attr_ex){.send_cq = w.a.cq, .recv_cq = w.b.cq, .qp_type = IBV_QPT_RC, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = w.pd, .cap.max_send_wr = 3};
	qp = sd_create_qp_ex(w.context, &ex);
	CHECK(qp, "create_qp_ex: %s", strerror(errno));
	WANT(ex.cap.max_send_wr, 4);
	WANT(sd_destroy_qp(qp), 0);
	ex.comp_mask = 0;
	CHECK(!sd_create_qp_ex(w.context, &ex) && errno == EINVAL, "without a PD: %s", strerror(errno));
	ex.comp_mask = IBV_QP_INIT_ATTR_PD | 1 << 20;
	CHECK(!sd_create_qp_ex(w.context, &ex) && errno == EINVAL, "unknown bit: %s", strerror(errno));
	ex.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS;
	CHECK(!sd_create_qp_ex(w.context, &ex) && errno == EOPNOTSUPP, "flags: %s", strerror(errno));
	ex.comp_mask = IBV_QP_INIT_ATTR_PD;
	CHECK(!sd_create_qp_ex(other, &ex) && errno == EINVAL, "PD of another context: %s", strerror(errno));
	WANT(sd_destroy_cq(far), 0);
	WANT(sd_close_device(other), 0);
	end_world(&w);
}

// QPs of two contexts of a device talk to each other.
static void contexts(void)
{
	struct plan p = plan();
	struct world w = make_world(&p), x;

	x = w;
	x.context = sd_open_device(softdev_device(w.d));
	x.pd = sd_alloc_pd(x.context);
	x.a = make_side(x.pd, &p);
	connect_sides(&w.a, &x.a, &p);
	WANT(post_recv(&x.a, 1, NULL, 0), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 2, .opcode = IBV_WR_SEND}), 0);
	ONE(x.a.cq, 1, IBV_WC_SUCCESS);
	end_side(&x.a);
	WANT(sd_dealloc_pd(x.pd), 0);
	WANT(sd_close_device(x.context), 0);
	end_world(&w);
}

static void exact_sizes(void)
{
	struct plan p = plan();
	struct world w;
	int i;

	p.config.exact = 1;
	p.config.max_qp_wr = 5;
	p.cap.max_send_wr = 3;
	p.cap.max_recv_wr = 5;
	p.cap.max_send_sge = 0;
	p.cap.max_recv_sge = 1;
	w = connected_world(&p);
	for (i = 0; i < 5; i++)
		WANT(post_recv(&w.b, i, NULL, 0), 0);
	WANT(post_recv(&w.b, i, NULL, 0), ENOMEM);
	for (i = 0; i < 3; i++)
		WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = i, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = i, .opcode = IBV_WR_SEND}), ENOMEM);
	ONE(w.a.cq, 0, IBV_WC_SUCCESS);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = i, .opcode = IBV_WR_SEND}), 0);
	end_world(&w);
	p.config.exact = 0; // rounding does not lead past the limit
	p.cap.max_send_sge = 1;
	w = make_world(&p);
	{
		struct ibv_qp_attr a;
		struct ibv_qp_init_attr init;

		WANT(sd_query_qp(w.a.qp, &a, 0, &init), 0);
		WANT(a.cap.max_recv_wr, 5);
		WANT(a.cap.max_send_wr, 4);
	}
	end_world(&w);
}

int main(void)
{
	every_step();
	values();
	queries();
	creates();
	contexts();
	exact_sizes();
	printf("state_test: %d checks passed\n", checks);
	return 0;
}
