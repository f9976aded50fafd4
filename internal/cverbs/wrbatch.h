// Posting by ibv_wr_start() and ibv_wr_complete() what is described in memory.

#ifndef IBVGO_WRBATCH_H
#define IBVGO_WRBATCH_H

#include <stdint.h>

struct ibv_qp_ex;
struct ibv_send_wr;

// ibvgo_wr_batch builds n requests, 1 at least, as an array describes them in the form of ibv_post_send(), and posts all of them, or none. next is not looked at. ops are
// the operations that the QP was created with, by enum ibv_qp_create_send_ops_flags: what lies in the place of others' builders may be
// anything.
//
// It returns 0, or an errno value in the lower 32 bits and an index in the upper ones: that of the request that cannot be built, with EOPNOTSUPP
// for an operation that is not in ops, EINVAL for elements that cannot be; or n if ibv_wr_complete() has failed, with what that has
// returned. Any thread may call it; the provider keeps others from building in the meantime, unless the QP belongs to a thread domain.
int64_t ibvgo_wr_batch(struct ibv_qp_ex *qp, uint64_t ops, const struct ibv_send_wr *wrs, int32_t n);

#endif
