// Completion queues that never run dry, and loops that poll them.

#ifndef BESIDE_POLL_H
#define BESIDE_POLL_H

#include <stdint.h>

struct ibv_cq;

// beside_synthetic makes polls of all queues of cq's context return n completions, or as many as are asked for, made up on the spot. Nobody
// may be polling. beside_genuine undoes it, and the following.
void beside_synthetic(struct ibv_cq *cq, int n);
// beside_rare makes all but each so manieth poll find nothing, and that one completion.
void beside_rare(struct ibv_cq *cq, long polls);
// beside_stays makes polls stay until beside_genuine, and find nothing. beside_inside tells how many are under way.
void beside_stays(struct ibv_cq *cq);
int beside_inside(void);
void beside_genuine(struct ibv_cq *cq);

// beside_polls polls so often, for entries completions at most 64, and reads the id of each; it returns the nanoseconds that took. *sum gets the ids'
// sum, so that they have to be read.
int64_t beside_polls(struct ibv_cq *cq, int entries, long polls, uint64_t *sum);

// beside_spins so often polls until there is a completion, and reads its id; it returns the nanoseconds that took. *sum is as before.
int64_t beside_spins(struct ibv_cq *cq, long spins, uint64_t *sum);

#endif
