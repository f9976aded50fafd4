// What the self-tests of the data path share: checks, a device with two sides, and connecting them. Expected values come from the manual
// pages, the InfiniBand specification, or what soft-RoCE answers.

#ifndef SOFTDEV_TESTDATA_WORLD_H
#define SOFTDEV_TESTDATA_WORLD_H

#include "../core.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int checks;

#define CHECK(condition, ...) \
	do { \
		checks++; \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			fprintf(stderr, "\n"); \
			exit(1); \
		} \
	} while (0)
#define WANT(got, want) \
	do { \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		CHECK(got_ == want_, "got %lld, want %lld = %s", got_, want_, #want); \
	} while (0)

#define SIZE 65536

struct side {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	unsigned char *memory;
};

struct world {
	struct softdev *d;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct side a, b;
};

// How sides are made and connected; plan() has what most tests want.
struct plan {
	struct ibv_qp_cap cap;
	int sig_all, cqe, mtu[2], timeout, retry_cnt, rnr_retry, min_rnr_timer, rd_atomic, dest_rd_atomic;
	unsigned int access;
	uint32_t psn[2]; // where a and b begin to send
	struct softdev_config config;
};

static inline struct plan plan(void)
{
	return (struct plan){
		.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 4, .max_recv_sge = 4, .max_inline_data = 64},
		.cqe = 64, .mtu = {IBV_MTU_1024, IBV_MTU_1024}, .timeout = 0, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1,
		.rd_atomic = 1, .dest_rd_atomic = 1, .psn = {100, 200},
		.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
	};
}

#define ALL_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

static inline struct side make_side(struct ibv_pd *pd, const struct plan *p)
{
	struct side s;
	struct ibv_qp_init_attr init = {.cap = p->cap, .qp_type = IBV_QPT_RC, .sq_sig_all = p->sig_all};

	s.memory = calloc(1, SIZE);
	s.mr = sd_reg_mr(pd, s.memory, SIZE, ALL_ACCESS);
	CHECK(s.mr, "reg_mr: %s", strerror(errno));
	s.cq = sd_create_cq(pd->context, p->cqe, NULL, NULL, 0);
	CHECK(s.cq, "create_cq: %s", strerror(errno));
	init.send_cq = init.recv_cq = s.cq;
	s.qp = sd_create_qp(pd, &init);
	CHECK(s.qp, "create_qp: %s", strerror(errno));
	return s;
}

static inline void to_init(struct ibv_qp *qp, unsigned int access)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access};

	WANT(sd_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), 0);
}

static inline struct ibv_qp_attr rtr_attr(uint32_t peer, uint32_t rq_psn, const struct plan *p, int side)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = p->mtu[side], .dest_qp_num = peer, .rq_psn = rq_psn,
		.max_dest_rd_atomic = p->dest_rd_atomic, .min_rnr_timer = p->min_rnr_timer,
		.ah_attr = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 3}},
	};

	sd_gid(3, &a.ah_attr.grh.dgid);
	return a;
}
#define RTR_MASK \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK (IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

static inline void to_rtr(struct ibv_qp *qp, uint32_t peer, uint32_t rq_psn, const struct plan *p, int side)
{
	struct ibv_qp_attr a = rtr_attr(peer, rq_psn, p, side);

	WANT(sd_modify_qp(qp, &a, RTR_MASK), 0);
}

static inline struct ibv_qp_attr rts_attr(uint32_t sq_psn, const struct plan *p)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = p->timeout, .retry_cnt = p->retry_cnt, .rnr_retry = p->rnr_retry,
		.sq_psn = sq_psn, .max_rd_atomic = p->rd_atomic,
	};
}

static inline void to_rts(struct ibv_qp *qp, uint32_t sq_psn, const struct plan *p)
{
	struct ibv_qp_attr a = rts_attr(sq_psn, p);

	WANT(sd_modify_qp(qp, &a, RTS_MASK), 0);
}

static inline int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = {.qp_state = state};

	return sd_modify_qp(qp, &a, IBV_QP_STATE);
}

static inline enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;

	WANT(sd_query_qp(qp, &a, IBV_QP_STATE, &init), 0);
	return a.qp_state;
}

static inline void connect_sides(struct side *a, struct side *b, const struct plan *p)
{
	to_init(a->qp, p->access);
	if (b->qp != a->qp)
		to_init(b->qp, p->access);
	to_rtr(a->qp, b->qp->qp_num, p->psn[1], p, 0);
	if (b->qp != a->qp)
		to_rtr(b->qp, a->qp->qp_num, p->psn[0], p, 1);
	to_rts(a->qp, p->psn[0], p);
	if (b->qp != a->qp)
		to_rts(b->qp, p->psn[1], p);
}

static inline struct world make_world(const struct plan *p)
{
	struct world w = {.d = softdev_new(&p->config)};

	CHECK(w.d, "softdev_new: %s", strerror(errno));
	w.context = sd_open_device(softdev_device(w.d));
	CHECK(w.context, "open_device: %s", strerror(errno));
	w.pd = sd_alloc_pd(w.context);
	CHECK(w.pd, "alloc_pd: %s", strerror(errno));
	w.a = make_side(w.pd, p);
	w.b = make_side(w.pd, p);
	return w;
}

static inline struct world connected_world(const struct plan *p)
{
	struct world w = make_world(p);

	connect_sides(&w.a, &w.b, p);
	return w;
}

static inline void end_side(struct side *s)
{
	if (s->qp)
		WANT(sd_destroy_qp(s->qp), 0);
	WANT(sd_destroy_cq(s->cq), 0);
	WANT(sd_dereg_mr(s->mr), 0);
	free(s->memory);
}

static inline void end_world(struct world *w)
{
	uint32_t counts[SD_NKINDS];
	int i;

	end_side(&w->a);
	end_side(&w->b);
	WANT(sd_dealloc_pd(w->pd), 0);
	WANT(sd_close_device(w->context), 0);
	softdev_objects(w->d, counts);
	for (i = 0; i < SD_NKINDS; i++)
		CHECK(counts[i] == 0, "%u objects of kind %d are left", counts[i], i);
	WANT(softdev_free(w->d), 0);
}

static inline struct ibv_sge sge(const struct side *s, size_t at, uint32_t length)
{
	return (struct ibv_sge){.addr = (uintptr_t)s->memory + at, .length = length, .lkey = s->mr->lkey};
}

static inline int post_recv(const struct side *s, uint64_t id, struct ibv_sge *sges, int n)
{
	struct ibv_recv_wr wr = {.wr_id = id, .sg_list = sges, .num_sge = n}, *bad;

	return ibv_post_recv(s->qp, &wr, &bad);
}

static inline int post_send(const struct side *s, struct ibv_send_wr wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(s->qp, &wr, &bad);
}

#define NONE(cq_) \
	do { \
		struct ibv_wc none_; \
		WANT(ibv_poll_cq(cq_, 1, &none_), 0); \
	} while (0)

// one polls a completion that has to be there and have this id and status.
#define ONE(cq_, id_, status_) one(cq_, id_, status_, __LINE__)
static inline struct ibv_wc one(struct ibv_cq *cq, uint64_t id, enum ibv_wc_status status, int line)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(cq, 1, &wc);

	CHECK(n == 1, "from line %d: no completion, want id %" PRIu64, line, id);
	CHECK(wc.wr_id == id && wc.status == status, "from line %d: id %" PRIu64 " status %d, want %" PRIu64 " %d", line, wc.wr_id, wc.status, id, status);
	return wc;
}

// soon is the same for one that the device's thread makes.
#define SOON(cq_, id_, status_) soon(cq_, id_, status_, __LINE__)
static inline struct ibv_wc soon(struct ibv_cq *cq, uint64_t id, enum ibv_wc_status status, int line)
{
	struct sd_cq *q = SD_OF(sd_cq, cq);
	int i, there;

	for (i = 0; i < 5000; i++) {
		pthread_spin_lock(&q->lock);
		there = q->head != q->tail;
		pthread_spin_unlock(&q->lock);
		if (there)
			break;
		usleep(1000);
	}
	return one(cq, id, status, line);
}

// event takes the asynchronous event that has to be there, and acknowledges it.
#define EVENT(context_, type_, object_) event(context_, type_, object_, __LINE__)
static inline void event(struct ibv_context *context, enum ibv_event_type type, const void *object, int line)
{
	struct sd_events *q = &sd_context(context)->async;
	struct ibv_async_event e;

	CHECK(q->first, "from line %d: no event, want type %d", line, type);
	WANT(sd_get_async_event(context, &e), 0);
	CHECK(e.event_type == type, "from line %d: event %d, want %d", line, e.event_type, type);
	CHECK((const void *)e.element.qp == object, "from line %d: event of another object", line);
	sd_ack_async_event(&e);
}
#define NO_EVENT(context_) CHECK(!sd_context(context_)->async.first, "an event of type %d", sd_context(context_)->async.first->type)

#endif
