// The monotonic clock.

#ifndef BESIDE_NOW_H
#define BESIDE_NOW_H

#include <stdint.h>
#include <time.h>

static inline int64_t beside_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline int64_t beside_now(void)
{
	return beside_clock(CLOCK_MONOTONIC);
}

#endif
