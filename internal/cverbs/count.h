// Counters of calls, one for each index of ibvgo_symbols, for the test that each function was called. They are there only with
// -DIBVGO_COUNTING, which the build tag ibvcount gives; else IBVGO_COUNT is nothing.

#ifndef IBVGO_COUNT_H
#define IBVGO_COUNT_H

#ifdef IBVGO_COUNTING

#include <stdatomic.h>

// As many as there ever may be; the build with counters fails its tests if there are more functions.
#define IBVGO_COUNTERS 1024

// Any thread may add at any time. Nothing is ordered by them.
extern atomic_ulong ibvgo_counts[IBVGO_COUNTERS];

#define IBVGO_COUNT(index) ((void)atomic_fetch_add_explicit(&ibvgo_counts[index], 1, memory_order_relaxed))

#else

#define IBVGO_COUNT(index) ((void)0)

#endif

#endif
