//go:build linux && cgo

#include "labels_generated.h"

#include "pollex.h"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>

// Go has the same struct.
_Static_assert(sizeof(struct ibvgo_wc_ex) == 88 && offsetof(struct ibvgo_wc_ex, fields) == 12, "struct ibvgo_wc_ex");
_Static_assert(offsetof(struct ibvgo_wc_ex, imm_data) == 28 && offsetof(struct ibvgo_wc_ex, slid) == 44, "struct ibvgo_wc_ex");
_Static_assert(offsetof(struct ibvgo_wc_ex, cvlan) == 50 && offsetof(struct ibvgo_wc_ex, completion_ts) == 56, "struct ibvgo_wc_ex");
_Static_assert(offsetof(struct ibvgo_wc_ex, tm_priv) == 80, "struct ibvgo_wc_ex");

// Those that few programs want are behind one branch.
#define RARE \
	(IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL | IBV_WC_EX_WITH_DLID_PATH_BITS | IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG | \
	 IBV_WC_EX_WITH_TM_INFO | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

static void __attribute__((noinline)) read_rare(struct ibv_cq_ex *cq, uint32_t fields, struct ibvgo_wc_ex *out)
{
	if (fields & IBV_WC_EX_WITH_SLID)
		out->slid = ibv_wc_read_slid(cq);
	if (fields & IBV_WC_EX_WITH_SL)
		out->sl = ibv_wc_read_sl(cq);
	if (fields & IBV_WC_EX_WITH_DLID_PATH_BITS)
		out->dlid_path_bits = ibv_wc_read_dlid_path_bits(cq);
	if (fields & IBV_WC_EX_WITH_CVLAN)
		out->cvlan = ibv_wc_read_cvlan(cq);
	if (fields & IBV_WC_EX_WITH_FLOW_TAG)
		out->flow_tag = ibv_wc_read_flow_tag(cq);
	if (fields & IBV_WC_EX_WITH_TM_INFO) {
		struct ibv_wc_tm_info info = {0};

		ibv_wc_read_tm_info(cq, &info);
		out->tm_tag = info.tag;
		out->tm_priv = info.priv;
	}
	if (fields & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		out->completion_ts = ibv_wc_read_completion_ts(cq);
	if (fields & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		out->wallclock_ns = ibv_wc_read_completion_wallclock_ns(cq);
}

// read_failed reads what is valid of a request that has failed: ibv_poll_cq(3).
static void __attribute__((noinline)) read_failed(struct ibv_cq_ex *cq, struct ibvgo_wc_ex *out)
{
	out->vendor_err = ibv_wc_read_vendor_err(cq);
	out->opcode = out->wc_flags = out->byte_len = 0;
	out->fields = cq->read_qp_num ? IBV_WC_EX_WITH_QP_NUM : 0;
	out->qp_num = out->fields ? ibv_wc_read_qp_num(cq) : 0;
}

static inline __attribute__((always_inline)) void read_one(struct ibv_cq_ex *cq, uint32_t fields, struct ibvgo_wc_ex *out)
{
	out->wr_id = cq->wr_id;
	if (__builtin_expect(cq->status != IBV_WC_SUCCESS, 0)) {
		out->status = cq->status;
		read_failed(cq, out);
		return;
	}
	out->status = IBV_WC_SUCCESS;
	out->fields = fields;
	out->opcode = ibv_wc_read_opcode(cq);
	out->wc_flags = ibv_wc_read_wc_flags(cq);
	out->byte_len = fields & IBV_WC_EX_WITH_BYTE_LEN ? ibv_wc_read_byte_len(cq) : 0;
	out->qp_num = fields & IBV_WC_EX_WITH_QP_NUM ? ibv_wc_read_qp_num(cq) : 0;
	if (fields & IBV_WC_EX_WITH_IMM && out->wc_flags & (IBV_WC_WITH_IMM | IBV_WC_WITH_INV)) // one reader for both
		out->imm_data = ibv_wc_read_imm_data(cq);
	if (fields & IBV_WC_EX_WITH_SRC_QP)
		out->src_qp = ibv_wc_read_src_qp(cq);
	if (__builtin_expect(fields & RARE, 0))
		read_rare(cq, fields, out);
}

static inline __attribute__((always_inline)) int64_t poll(struct ibv_cq_ex *cq, uint32_t fields, int32_t n, struct ibvgo_wc_ex *out)
{
	struct ibv_poll_cq_attr attr = {0};
	int err = ibv_start_poll(cq, &attr);
	int32_t i = 0;

	if (!err) {
		// A step that is not read would be lost, so there is none beyond the last place.
		do
			read_one(cq, fields, &out[i++]);
		while (i < n && !(err = ibv_next_poll(cq)));
		ibv_end_poll(cq);
	}
	if (err == ENOENT || err == -ENOENT)
		err = 0;
	return (int64_t)((uint64_t)(uint32_t)err << 32 | (uint32_t)i);
}

// one_by_one is the same in batches of one. An error behind the first of them counts as the next step's.
static int64_t one_by_one(struct ibv_cq_ex *cq, uint32_t fields, int32_t n, struct ibvgo_wc_ex *out)
{
	uint64_t r, got = 0;

	do {
		r = (uint64_t)poll(cq, fields, 1, out + got);
		got += (uint32_t)r;
	} while ((uint32_t)r && (int32_t)got < n);
	return (int64_t)((r & ~UINT64_C(0xffffffff)) | got);
}

// What most programs ask for has loops of its own, without a branch for each field.
#define LENGTH (IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_BYTE_LEN)
#define LENGTH_IMM (LENGTH | IBV_WC_EX_WITH_IMM)

int64_t ibvgo_poll_cq_ex(struct ibv_cq_ex *cq, uint32_t fields, int32_t n, struct ibvgo_wc_ex *out)
{
	switch (fields) {
	case LENGTH:
		return poll(cq, LENGTH, n, out);
	case LENGTH_IMM:
		return poll(cq, LENGTH_IMM, n, out);
	default:
		if (__builtin_expect(fields & IBVGO_ONE_BY_ONE, 0))
			return one_by_one(cq, fields & ~IBVGO_ONE_BY_ONE, n, out);
		return poll(cq, fields, n, out);
	}
}
