// A loop that builds requests and posts them.

#ifndef BESIDE_BATCHES_H
#define BESIDE_BATCHES_H

#include <stdint.h>

struct ibv_qp_ex;
struct ibv_send_wr;

// beside_batches builds RDMA writes of one element as an array of n describes them, and posts them, so often; it returns the nanoseconds
// that took, or -1 if a batch failed. The queue has room for them.
int64_t beside_batches(struct ibv_qp_ex *qp, const struct ibv_send_wr *wrs, int n, long batches);

#endif
