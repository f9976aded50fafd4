// Ping-pong in one thread, over a device that carries out what is posted at once.

#ifndef BESIDE_PINGPONG_H
#define BESIDE_PINGPONG_H

#include <stdint.h>

struct ibv_qp;
struct ibv_send_wr;

// beside_pingpong so often posts a send of one side, takes its receive from the other side's CQ, and the same back. It returns the
// nanoseconds that took, or -1 if something failed. The queues have room for the sends, and the receives are posted.
int64_t beside_pingpong(struct ibv_qp *a, struct ibv_send_wr *ping, struct ibv_qp *b, struct ibv_send_wr *pong, long rounds);

#endif
