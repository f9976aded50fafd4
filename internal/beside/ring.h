// A thread that fills rings of completions, and loops that empty them in C.

#ifndef BESIDE_RING_H
#define BESIDE_RING_H

#include <stdint.h>

struct beside_filler;
struct ibvgo_ring;

// beside_filler_start starts a thread that spins until it is ordered to do something; NULL if there is none. Orders are one thread's at a time. beside_filler_end waits for it.
struct beside_filler *beside_filler_start(void);
void beside_filler_end(struct beside_filler *f);

// beside_filler_order has the thread put n completions into a ring, batch at a time, as soon as there is room, and wake nobody. The last order has been
// carried out.
void beside_filler_order(struct beside_filler *f, struct ibvgo_ring *ring, long n, int batch);

// beside_empty_ring orders n completions and takes and reads them, and returns the nanoseconds that took. The ring is empty before, and nobody else takes from
// it. *sum gets the ids' sum.
int64_t beside_empty_ring(struct beside_filler *f, struct ibvgo_ring *ring, long n, int batch, uint64_t *sum);

// beside_look_at_ring looks n times whether an empty ring is empty, and returns the nanoseconds that took.
int64_t beside_look_at_ring(struct ibvgo_ring *ring, long n);

#endif
