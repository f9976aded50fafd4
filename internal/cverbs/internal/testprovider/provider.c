//go:build linux && cgo

#define _GNU_SOURCE
#include "provider.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ibvtest_provider {
	struct verbs_context v; // its last member is the context that is given out
	struct ibvtest_script next;
	int pds, cqs, wqs;
};

// Completions wait in a ring between the two counters.
struct queue {
	struct ibv_cq cq; // first
	unsigned head, tail, room;
	int armed;
	struct ibv_wc *ring;
};

struct work {
	struct ibv_wq wq; // first
	uint32_t max_sge;
};

static struct ibvtest_provider *of(struct ibv_context *context)
{
	return (struct ibvtest_provider *)((char *)context - offsetof(struct ibvtest_provider, v.context));
}

// fails tells whether a call is to do nothing but fail.
static int fails(struct ibv_context *context, int *value)
{
	struct ibvtest_script *s = &of(context)->next;

	if (s->times <= 0)
		return 0;
	s->times--;
	errno = s->err;
	*value = s->value;
	return 1;
}

static struct ibv_pd *alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;
	int value;

	if (fails(context, &value) || !(pd = calloc(1, sizeof *pd)))
		return NULL;
	pd->context = context;
	pd->handle = ++of(context)->pds;
	return pd;
}

static int dealloc_pd(struct ibv_pd *pd)
{
	int value;

	if (fails(pd->context, &value))
		return value;
	of(pd->context)->pds--;
	free(pd);
	return 0;
}

static struct ibv_cq *create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector)
{
	struct queue *q;
	int value;

	(void)vector;
	if (fails(context, &value))
		return NULL;
	if (cqe < 1 || cqe > 1 << 16) {
		errno = EINVAL;
		return NULL;
	}
	q = calloc(1, sizeof *q);
	if (!q)
		return NULL;
	for (q->room = 1; (int)q->room < cqe;)
		q->room *= 2;
	q->ring = calloc(q->room, sizeof *q->ring);
	if (!q->ring) {
		free(q);
		return NULL;
	}
	q->cq.context = context;
	q->cq.cq_context = cq_context;
	q->cq.channel = channel;
	q->cq.cqe = q->room;
	of(context)->cqs++;
	return &q->cq;
}

static int destroy_cq(struct ibv_cq *cq)
{
	int value;

	if (fails(cq->context, &value))
		return value;
	of(cq->context)->cqs--;
	free(((struct queue *)cq)->ring);
	free(cq);
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct queue *q = (struct queue *)cq;
	int i, value;

	if (fails(cq->context, &value))
		return value;
	for (i = 0; i < n && q->head != q->tail; i++)
		wc[i] = q->ring[q->head++ % q->room];
	return i;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	int value;

	if (fails(cq->context, &value))
		return value;
	((struct queue *)cq)->armed = 1 + !!solicited_only;
	return 0;
}

static int post_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct queue *q = (struct queue *)wq->cq;
	int value;

	for (; wr; wr = wr->next) {
		struct ibv_wc *wc = &q->ring[q->tail % q->room];

		*bad = wr;
		if (fails(wq->context, &value))
			return value;
		if (q->tail - q->head == q->room)
			return ENOMEM;
		if (wr->num_sge < 0 || (uint32_t)wr->num_sge > ((struct work *)wq)->max_sge)
			return EINVAL;
		memset(wc, 0, sizeof *wc);
		wc->wr_id = wr->wr_id;
		wc->opcode = IBV_WC_RECV;
		wc->qp_num = wq->wq_num;
		wc->byte_len = wr->num_sge ? wr->sg_list[0].length : 0;
		q->tail++;
	}
	return 0;
}

static struct ibv_wq *create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	struct work *w;
	uint32_t room = 1;
	int value;

	if (fails(context, &value))
		return NULL;
	if (attr->max_wr > 1 << 16 || !attr->pd || !attr->cq || attr->wq_type != IBV_WQT_RQ) {
		errno = EINVAL;
		return NULL;
	}
	w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	while (room < attr->max_wr)
		room *= 2;
	attr->max_wr = room;
	attr->max_sge += 3;
	w->max_sge = attr->max_sge;
	w->wq.context = context;
	w->wq.pd = attr->pd;
	w->wq.cq = attr->cq;
	w->wq.wq_type = attr->wq_type;
	w->wq.post_recv = post_recv;
	w->wq.wq_num = 0x100 + ++of(context)->wqs;
	return &w->wq;
}

static int modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	int value;

	if (fails(wq->context, &value))
		return value;
	if (attr->attr_mask & IBV_WQ_ATTR_CURR_STATE && attr->curr_wq_state != wq->state)
		return -EINVAL; // as one of the providers does
	if (attr->attr_mask & IBV_WQ_ATTR_STATE)
		wq->state = attr->wq_state;
	return 0;
}

static int destroy_wq(struct ibv_wq *wq)
{
	int value;

	if (fails(wq->context, &value))
		return value;
	of(wq->context)->wqs--;
	free(wq);
	return 0;
}

struct ibvtest_provider *ibvtest_open(size_t less)
{
	struct ibvtest_provider *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->v.sz = sizeof p->v - less;
	p->v.context.abi_compat = (void *)UINTPTR_MAX;
	p->v.context.ops.poll_cq = poll_cq;
	p->v.context.ops.req_notify_cq = req_notify_cq;
	p->v.create_wq = create_wq;
	p->v.modify_wq = modify_wq;
	p->v.destroy_wq = destroy_wq;
	return p;
}

int ibvtest_close(struct ibvtest_provider *p)
{
	int left = p->pds + p->cqs + p->wqs;

	if (!left)
		free(p);
	return left;
}

struct ibv_context *ibvtest_context(struct ibvtest_provider *p)
{
	return &p->v.context;
}

struct ibvtest_script *ibvtest_next(struct ibvtest_provider *p)
{
	return &p->next;
}

void ibvtest_objects(struct ibvtest_provider *p, int *pds, int *cqs, int *wqs)
{
	*pds = p->pds;
	*cqs = p->cqs;
	*wqs = p->wqs;
}

void *ibvtest_function(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{"alloc_pd", (void *)alloc_pd},
		{"dealloc_pd", (void *)dealloc_pd},
		{"create_cq", (void *)create_cq},
		{"destroy_cq", (void *)destroy_cq},
	};
	size_t i;

	for (i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	return NULL;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t ibvtest_time_pd(struct ibvtest_provider *p, long n)
{
	// Volatile, so that they are called and not inlined: the library's functions are in another object as well.
	struct ibv_pd *(*volatile alloc)(struct ibv_context *) = alloc_pd;
	int (*volatile dealloc)(struct ibv_pd *) = dealloc_pd;
	int64_t start = now();

	while (n-- > 0)
		dealloc(alloc(&p->v.context));
	return now() - start;
}

int64_t ibvtest_time_poll(struct ibv_cq *cq, long n)
{
	struct ibv_wc wc[16];
	int64_t start = now();

	while (n-- > 0)
		ibv_poll_cq(cq, 16, wc);
	return now() - start;
}

int64_t ibvtest_time_notify(struct ibv_cq *cq, long n)
{
	int64_t start = now();

	while (n-- > 0)
		ibv_req_notify_cq(cq, 0);
	return now() - start;
}
