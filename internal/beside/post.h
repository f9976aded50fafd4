// A loop that posts.

#ifndef BESIDE_POST_H
#define BESIDE_POST_H

#include <stdint.h>

struct ibv_qp;
struct ibv_send_wr;

// beside_posts posts a chain so often, and returns the nanoseconds that took, or -1 if a post failed. The queue has room for them.
int64_t beside_posts(struct ibv_qp *qp, struct ibv_send_wr *chain, long posts);

#endif
