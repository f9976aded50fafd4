//go:build linux && cgo

#include "pollex.h"
#include "now.h"

#include <errno.h>
#include <infiniband/verbs.h>

static int completions, left;
static uint64_t next_id;

static void step(struct ibv_cq_ex *cq)
{
	left--;
	cq->wr_id = next_id++;
	cq->status = IBV_WC_SUCCESS;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	if (attr->comp_mask)
		return EINVAL;
	left = completions;
	if (!left)
		return ENOENT;
	step(cq);
	return 0;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	if (!left)
		return ENOENT;
	step(cq);
	return 0;
}

static void end_poll(struct ibv_cq_ex *cq)
{
	(void)cq;
}

// The readers of real providers look at an entry as well.
static struct {
	enum ibv_wc_opcode opcode;
	unsigned int flags;
	uint32_t byte_len, qp_num;
} entry = {IBV_WC_RECV, 0, 64, 2};

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	(void)cq;
	return entry.opcode;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	(void)cq;
	return entry.flags;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	(void)cq;
	return entry.byte_len;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	(void)cq;
	return entry.qp_num;
}

void beside_synthetic_ex(struct ibv_cq_ex *cq, int n)
{
	completions = n;
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_wc_flags = read_wc_flags;
	cq->read_byte_len = read_byte_len;
	cq->read_qp_num = read_qp_num;
}

int64_t beside_polls_ex(struct ibv_cq_ex *cq, int entries, long polls, uint64_t *sum)
{
	struct ibv_poll_cq_attr attr = {0};
	int64_t start = beside_now();
	uint64_t s = 0;
	int n;

	while (polls-- > 0) {
		if (ibv_start_poll(cq, &attr))
			continue;
		n = 0;
		do {
			s += cq->wr_id + cq->status + ibv_wc_read_opcode(cq) + ibv_wc_read_wc_flags(cq);
			s += ibv_wc_read_byte_len(cq) + ibv_wc_read_qp_num(cq);
		} while (++n < entries && !ibv_next_poll(cq));
		ibv_end_poll(cq);
	}
	*sum = s;
	return beside_now() - start;
}
