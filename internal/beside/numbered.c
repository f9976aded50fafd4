//go:build linux && cgo

#include "numbered.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>

static uint64_t next, random_state; // who polls
static atomic_int ended;

static void begin(uint64_t seed)
{
	next = 0;
	random_state = seed | 1;
	atomic_store(&ended, 0);
}

void beside_numbers_end(void)
{
	atomic_store(&ended, 1);
}

uint64_t beside_numbers(void)
{
	return next;
}

// some is between 0 and n, and 0 at least every eighth time.
static int some(int n)
{
	if (atomic_load_explicit(&ended, memory_order_relaxed))
		return 0;
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	if (!(random_state & 7))
		return 0;
	return (int)((random_state >> 32) * ((uint64_t)n + 1) >> 32);
}

// An odd factor, so that different numbers have different hashes.
static uint64_t hash(uint64_t number)
{
	return number * UINT64_C(0x9e3779b97f4a7c15);
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int i, got = some(n);
	uint64_t h;

	(void)cq;
	for (i = 0; i < got; i++) {
		h = hash(next);
		wc[i] = (struct ibv_wc){
			.wr_id = next++, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .vendor_err = (uint32_t)(h >> 16), .byte_len = (uint32_t)h,
			.imm_data = (uint32_t)(h >> 32), .qp_num = (uint32_t)~h, .src_qp = (uint32_t)(~h >> 32), .wc_flags = IBV_WC_WITH_IMM,
			.pkey_index = (uint16_t)(h >> 48), .slid = (uint16_t)(h >> 8), .sl = (uint8_t)(h >> 24), .dlid_path_bits = (uint8_t)(h >> 40)};
	}
	return got;
}

void beside_number(struct ibv_context *context, uint64_t seed)
{
	begin(seed);
	context->ops.poll_cq = poll_cq;
}

static int left; // of a batch

static int step(struct ibv_cq_ex *cq)
{
	if (!left)
		return ENOENT;
	left--;
	cq->wr_id = next++;
	cq->status = IBV_WC_SUCCESS;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	if (attr->comp_mask)
		return EINVAL;
	left = some(64);
	return step(cq);
}

static void end_poll(struct ibv_cq_ex *cq)
{
	// What reads a completion later than this reads another number.
	left = 0;
	cq->wr_id = UINT64_MAX;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	(void)cq;
	return IBV_WC_RECV;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	(void)cq;
	return IBV_WC_WITH_IMM;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return (uint32_t)hash(cq->wr_id);
}

static __be32 read_imm_data(struct ibv_cq_ex *cq)
{
	return (__be32)(hash(cq->wr_id) >> 32);
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return (uint32_t)~hash(cq->wr_id);
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq)
{
	return (uint32_t)(~hash(cq->wr_id) >> 32);
}

void beside_number_ex(struct ibv_cq_ex *cq, uint64_t seed)
{
	begin(seed);
	cq->start_poll = start_poll;
	cq->next_poll = step;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_wc_flags = read_wc_flags;
	cq->read_byte_len = read_byte_len;
	cq->read_imm_data = read_imm_data;
	cq->read_qp_num = read_qp_num;
	cq->read_src_qp = read_src_qp;
}
