// A thread that posts, whatever Go does meanwhile.

#ifndef BESIDE_BURST_H
#define BESIDE_BURST_H

#include <stdint.h>

struct ibv_qp;
struct ibv_send_wr;
struct beside_burst;

// beside_burst_start has a thread post a chain so often, each time gap_ns after the last, once there is a byte to be read from begin, or its other end is
// closed, and write a byte to over then. All of these stay until beside_burst_end, which waits for the thread and returns how much has failed. NULL if
// there is no thread.
struct beside_burst *beside_burst_start(struct ibv_qp *qp, struct ibv_send_wr *chain, long posts, int64_t gap_ns, int begin, int over);
int beside_burst_end(struct beside_burst *b);

#endif
