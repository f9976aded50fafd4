// The consumer's side of a ring in C, for tests, and for loops to be compared with: the same as ring.go, where it is explained.

#ifndef IBVGO_RING_CONSUMER_H
#define IBVGO_RING_CONSUMER_H

#include "ring.h"

struct ibvgo_consumer {
	struct ibvgo_ring *ring;
	uint64_t taken, released, tail;
};

static inline void ibvgo_consumer_release(struct ibvgo_consumer *c)
{
	if (c->released != c->taken) {
		c->released = c->taken;
		atomic_store_explicit(&c->ring->head, c->taken, memory_order_release);
	}
}

// ibvgo_consumer_next returns how many entries there are at *at, and gives the last ones back.
static inline uint64_t ibvgo_consumer_next(struct ibvgo_consumer *c, struct ibvgo_wc **at)
{
	uint64_t from, n, straight;

	ibvgo_consumer_release(c);
	if (c->taken == c->tail) {
		c->tail = atomic_load_explicit(&c->ring->tail, memory_order_acquire);
		if (c->taken == c->tail)
			return 0;
	}
	from = c->taken & c->ring->mask;
	straight = c->ring->mask + 1 - from;
	n = c->tail - c->taken;
	n = n < straight ? n : straight;
	c->taken += n;
	*at = &c->ring->entries[from];
	return n;
}

// ibvgo_consumer_doze says that the consumer is about to sleep: 1, or 0 if there is something, but for news.
static inline int ibvgo_consumer_doze(struct ibvgo_consumer *c)
{
	atomic_store_explicit(&c->ring->sleeping, 1, memory_order_seq_cst);
	if (atomic_load_explicit(&c->ring->tail, memory_order_seq_cst) == c->taken)
		return 1;
	atomic_store_explicit(&c->ring->sleeping, 0, memory_order_seq_cst);
	return 0;
}

#endif
