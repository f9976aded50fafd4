//go:build linux && cgo

#include "poller_impl.h"

#include <string.h>

// What is in a queue that is to be destroyed, while the ring is full, has nowhere else to go than memory of the thread's.

// How many completions are polled at once, and how many can be kept: no queue is as long.
#define BATCH 64
#define MOST (UINT64_C(1) << 24)

// keep adds n completions to those that are kept: 0, or -1 if there is no memory.
static int keep(struct ibvgo_poller *p, const struct ibvgo_wc *wc, uint64_t n)
{
	struct ibvgo_wc *more = realloc(p->spill, (p->spilled + n) * sizeof *more);

	if (!more)
		return -1;
	memcpy(more + p->spilled, wc, n * sizeof *wc);
	p->spill = more;
	p->spilled += n;
	return 0;
}

void spill(struct ibvgo_poller *p, const struct source *s)
{
	struct ibvgo_wc wc[BATCH];
	int32_t n;

	// After an overrun the queue was empty, and is not asked again. Without memory the rest goes with the queue.
	while (atomic_load_explicit(&s->state, memory_order_relaxed) != OVER && p->spilled < MOST) {
		n = p->c.ops.poll(s->cq, BATCH, wc);
		if (n <= 0 || n > BATCH || keep(p, wc, (uint64_t)n))
			return;
	}
}

int pour(struct ibvgo_poller *p)
{
	struct ibvgo_wc *at;
	uint64_t left = p->spilled - p->poured, n = ibvgo_ring_room(p->c.ring, left, &at);

	if (n > left)
		n = left;
	if (!n)
		return 0;
	memcpy(at, p->spill + p->poured, n * sizeof *at);
	p->poured += n;
	if (p->poured == p->spilled) {
		free(p->spill);
		p->spill = NULL;
		p->spilled = p->poured = 0;
	}
	if (ibvgo_ring_publish(p->c.ring, n))
		wake(p);
	return (int)n;
}
