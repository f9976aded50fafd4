//go:build linux && cgo && ibvcount

#include "count.h"

#ifdef IBVGO_COUNTING
atomic_ulong ibvgo_counts[IBVGO_COUNTERS];
#endif
