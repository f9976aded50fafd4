// A thread that posts, whatever Go does meanwhile.

#ifndef BESIDE_BURST_H
#define BESIDE_BURST_H

#include <stdint.h>

struct ibv_qp;
struct ibv_send_wr;
struct beside_burst;

// beside_burst_start has a thread post a chain so often, each time gap_ns after the last, beginning after delay_ns. Both stay until
// beside_burst_end, which waits for the thread and returns how many posts have failed. NULL if there is no thread. beside_burst_done tells whether it has posted everything.
struct beside_burst *beside_burst_start(struct ibv_qp *qp, struct ibv_send_wr *chain, long posts, int64_t gap_ns, int64_t delay_ns);
int beside_burst_done(struct beside_burst *b);
int beside_burst_end(struct beside_burst *b);

#endif
