//go:build linux && cgo

#include "labels_generated.h"

#include "spin.h"
#include <infiniband/verbs.h>
#include <time.h>

// The clock is read once in so many polls: reading it takes as long as two or three polls of an empty queue.
#define POLLS 8

// now does not fail: every Linux has this clock.
static uint64_t now(void)
{
	struct timespec t = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// pause_briefly tells the processor that the loop waits for memory to change, so that the other thread of its core gets on.
static inline void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

int32_t ibvgo_spin_cq(struct ibv_cq *cq, int32_t n, struct ibv_wc *wc, uint64_t ns)
{
	int32_t r = ibv_poll_cq(cq, n, wc);
	uint64_t start;

	if (r || !ns)
		return r;
	start = now();
	do {
		for (int i = 0; i < POLLS && !r; i++) {
			pause_briefly();
			r = ibv_poll_cq(cq, n, wc);
		}
	} while (!r && now() - start < ns);
	return r;
}
