// Polling a completion queue for a while, without a return to Go for each try.

#ifndef IBVGO_SPIN_H
#define IBVGO_SPIN_H

#include <stdint.h>

struct ibv_cq;
struct ibv_wc;

// ibvgo_spin_cq polls cq until that returns something other than 0, or ns nanoseconds have passed, and returns what polling
// returned last. It polls at least once; ns of 0 is a plain poll. The calling thread spins, without a lock of its own. Any thread may
// call it as it may call ibv_poll_cq; cq has to exist until it returns.
int32_t ibvgo_spin_cq(struct ibv_cq *cq, int32_t n, struct ibv_wc *wc, uint64_t ns);

#endif
