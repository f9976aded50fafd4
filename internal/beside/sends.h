// A loop of messages in C, as a program in C would write it.

#ifndef BESIDE_SENDS_H
#define BESIDE_SENDS_H

#include <stdint.h>

struct ibv_qp;

// beside_sends sends n messages of 64 bytes from one QP to another that it is connected to, chain at a time, 64 at most: it posts receives,
// posts sends, which are all signalled, and polls both QPs' completion queues until all have come. They go from memory to the 64 bytes behind, in a
// region with this key. It returns 0, or -1 if something failed, and the nanoseconds that passed, and
// those in which the processor was this thread's. One thread, in which nobody else uses the QPs.
int beside_sends(struct ibv_qp *from, struct ibv_qp *to, uint64_t memory, uint32_t lkey, long n, int chain, int64_t *wall, int64_t *cpu);

#endif
