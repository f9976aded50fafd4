// An extended completion queue that never runs dry, and a loop that polls it.

#ifndef BESIDE_POLLEX_H
#define BESIDE_POLLEX_H

#include <stdint.h>

struct ibv_cq_ex;

// beside_synthetic_ex makes batches of cq have n completions, made up on the spot. Nobody may be polling, and one queue of the process can be
// synthetic. It stays so.
void beside_synthetic_ex(struct ibv_cq_ex *cq, int n);

// beside_polls_ex polls so often, up to entries completions in a batch, and reads id, status, opcode, flags, length and QP number of each; it returns the nanoseconds
// that took. *sum gets the sum of what was read, so that it has to be.
int64_t beside_polls_ex(struct ibv_cq_ex *cq, int entries, long polls, uint64_t *sum);

#endif
