//go:build linux && cgo

#include "poll.h"
#include "now.h"

#include <infiniband/verbs.h>

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

void beside_synthetic(struct ibv_cq *cq, int n)
{
	if (cq->context->ops.poll_cq != synthetic)
		genuine = cq->context->ops.poll_cq;
	completions = n;
	cq->context->ops.poll_cq = synthetic;
}

void beside_genuine(struct ibv_cq *cq)
{
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
