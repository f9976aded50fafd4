// Completion queues that never run dry, and a loop that polls them.

#ifndef BESIDE_POLL_H
#define BESIDE_POLL_H

#include <stdint.h>

struct ibv_cq;

// beside_synthetic makes polls of all queues of cq's context return n completions, or as many as are asked for, made up on the spot. Nobody
// may be polling. beside_genuine undoes it.
void beside_synthetic(struct ibv_cq *cq, int n);
void beside_genuine(struct ibv_cq *cq);

// beside_polls polls so often, for entries completions at most 64, and reads the id of each; it returns the nanoseconds that took. *sum gets the ids'
// sum, so that they have to be read.
int64_t beside_polls(struct ibv_cq *cq, int entries, long polls, uint64_t *sum);

#endif
