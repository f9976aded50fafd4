// Polling an extended completion queue in batches.

#ifndef IBVGO_POLLEX_H
#define IBVGO_POLLEX_H

#include <stdint.h>

struct ibv_cq_ex;

// What was read of a completion. fields has those bits of IBV_WC_EX_WITH_... whose members were read. opcode, wc_flags, byte_len and qp_num are 0 if they
// were not read, so that they need no look at fields; of the others nothing is to be relied on then.
struct ibvgo_wc_ex {
	uint64_t wr_id;
	uint32_t status, fields; // side by side, so that one store sets both
	uint32_t opcode;     // if status is success
	uint32_t vendor_err; // if it is not
	uint32_t byte_len;
	uint32_t imm_data; // as it came; or the key that was invalidated: wc_flags tell
	uint32_t qp_num, src_qp, wc_flags, slid;
	uint8_t sl, dlid_path_bits;
	uint16_t cvlan;
	uint32_t flow_tag;
	uint64_t completion_ts, wallclock_ns, tm_tag;
	uint32_t tm_priv, unused;
};

// A bit of fields: each completion is a batch of its own, without ibv_next_poll(), for providers that get its end wrong.
#define IBVGO_ONE_BY_ONE (UINT32_C(1) << 31)

// ibvgo_poll_cq_ex fills out with up to n completions, at least 1, in one batch of the queue: ibv_start_poll(), ibv_next_poll() and, if the first was a success,
// ibv_end_poll(). Of each that has succeeded it reads wc_flags, the opcode, and the members that fields has, which the queue has to have been created
// with; of the others only vendor_err and, if the queue has it, the QP number.
//
// It returns how many in the lower 32 bits, and in the upper ones what ended the batch: 0 if there was no room or nothing more, else what
// ibv_start_poll() has returned if there are none, or ibv_next_poll() behind those that there are. Any thread may call it as it may poll
// the queue, which has to exist until it returns.
int64_t ibvgo_poll_cq_ex(struct ibv_cq_ex *cq, uint32_t fields, int32_t n, struct ibvgo_wc_ex *out);

#endif
