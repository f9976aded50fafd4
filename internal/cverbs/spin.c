//go:build linux && cgo

#include "labels_generated.h"

#include "spin.h"
#include <infiniband/verbs.h>
#include <time.h>

// Looking at the clock takes as long as ten polls of an empty queue. There are so many polls before the first look, and twice as many each
// time that they have taken less than so many nanoseconds: so a budget is exceeded by a microsecond or so, however long a poll takes.
#define FEW   8
#define BRIEF 500

// now does not fail: every Linux has this clock.
static uint64_t now(void)
{
	struct timespec t = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// The loop does not tell the processor that it waits (pause, yield): on some that takes as long as ten polls.
int32_t ibvgo_spin_cq(struct ibv_cq *cq, int32_t n, struct ibv_wc *wc, uint64_t ns)
{
	int32_t r = ibv_poll_cq(cq, n, wc);
	uint64_t start, before, after;
	int few = FEW, i;

	if (r || !ns)
		return r;
	for (start = before = now();; before = after) {
		for (i = 0; i < few; i++)
			if ((r = ibv_poll_cq(cq, n, wc)))
				return r;
		after = now();
		if (after - start >= ns)
			return 0;
		if (after - before < BRIEF)
			few *= 2;
	}
}
