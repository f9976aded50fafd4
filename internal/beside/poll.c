//go:build linux && cgo

#include "poll.h"
#include "now.h"

#include <infiniband/verbs.h>
#include <sched.h>
#include <stdatomic.h>

// One context at a time is synthetic.
static int completions;
static uint64_t next_id;
static int (*genuine)(struct ibv_cq *, int, struct ibv_wc *);

static int synthetic(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int i, got = n < completions ? n : completions;

	(void)cq;
	for (i = 0; i < got; i++)
		wc[i] = (struct ibv_wc){.wr_id = next_id++, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .byte_len = 64, .qp_num = 2};
	return got;
}

static long between, left;

static int rare(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	(void)n;
	if (--left)
		return 0;
	left = between;
	*wc = (struct ibv_wc){.wr_id = next_id++, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .byte_len = 64, .qp_num = 2};
	return 1;
}

static atomic_int staying, inside;

static int stays(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	(void)n;
	(void)wc;
	atomic_fetch_add(&inside, 1);
	while (atomic_load(&staying))
		sched_yield();
	atomic_fetch_sub(&inside, 1);
	return 0;
}

static void poll_by(struct ibv_cq *cq, int (*poll)(struct ibv_cq *, int, struct ibv_wc *))
{
	if (!genuine)
		genuine = cq->context->ops.poll_cq;
	cq->context->ops.poll_cq = poll;
}

void beside_synthetic(struct ibv_cq *cq, int n)
{
	completions = n;
	poll_by(cq, synthetic);
}

void beside_rare(struct ibv_cq *cq, long polls)
{
	between = left = polls;
	poll_by(cq, rare);
}

void beside_stays(struct ibv_cq *cq)
{
	atomic_store(&staying, 1);
	poll_by(cq, stays);
}

int beside_inside(void)
{
	return atomic_load(&inside);
}

void beside_genuine(struct ibv_cq *cq)
{
	atomic_store(&staying, 0);
	if (genuine)
		cq->context->ops.poll_cq = genuine;
	genuine = NULL;
}

int64_t beside_polls(struct ibv_cq *cq, int entries, long polls, uint64_t *sum)
{
	struct ibv_wc wc[64];
	int64_t start = beside_now();
	uint64_t s = 0;
	int i, n;

	while (polls-- > 0) {
		n = ibv_poll_cq(cq, entries, wc);
		for (i = 0; i < n; i++)
			s += wc[i].wr_id;
	}
	*sum = s;
	return beside_now() - start;
}

int64_t beside_spins(struct ibv_cq *cq, long spins, uint64_t *sum)
{
	struct ibv_wc wc;
	int64_t start = beside_now();
	uint64_t s = 0;

	while (spins-- > 0) {
		while (!ibv_poll_cq(cq, 1, &wc))
			;
		s += wc.wr_id;
	}
	*sum = s;
	return beside_now() - start;
}
