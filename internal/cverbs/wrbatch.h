// Posting by ibv_wr_start() and ibv_wr_complete() what is described in memory.

#ifndef IBVGO_WRBATCH_H
#define IBVGO_WRBATCH_H

#include <stdint.h>

struct ibv_qp_ex;
struct ibv_send_wr;

// A batch of n requests, 1 at least, in an array, in the form of ibv_post_send(): next is not looked at. ops are the operations that the QP was created with, by enum
// ibv_qp_create_send_ops_flags: what lies in the place of others' builders may be anything. Go has the same struct.
struct ibvgo_wr_batch {
	struct ibv_qp_ex *qp;
	uint64_t ops;
	const struct ibv_send_wr *wrs;
	int32_t n;
	int32_t index; // a result
};

// ibvgo_wr_batch builds the requests, and posts all of them, or none. It returns 0; or an errno value and in index the request that cannot be built, with
// EOPNOTSUPP for an operation that is not in ops, EINVAL for elements that cannot be; or n there if ibv_wr_complete() has failed, with
// what that has returned. Any thread may call it; the provider keeps others from building in the meantime, unless the QP belongs to a
// thread domain.
int ibvgo_wr_batch(struct ibvgo_wr_batch *b);

#endif
