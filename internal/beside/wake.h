// Waking somebody up, and how long that takes.

#ifndef BESIDE_WAKE_H
#define BESIDE_WAKE_H

#include <stdint.h>

struct beside_waker;
struct ibv_qp;
struct ibv_send_wr;

// A waker is a thread that wakes somebody, again and again, each time a while after it was told that the last time has worked, so that the other sleeps by then. It stores the
// time, and then writes to fd, or, if that is negative, has beside_waker_poll return one completion. NULL if there is no thread.
struct beside_waker *beside_waker_start(int fd);
// beside_poster_start starts one that posts a chain instead; both stay until beside_waker_end.
struct beside_waker *beside_poster_start(struct ibv_qp *qp, struct ibv_send_wr *chain);
void beside_waker_end(struct beside_waker *w);

// beside_waker_woken is called by who was woken; it returns the nanoseconds that took, and has the thread do it again.
int64_t beside_waker_woken(struct beside_waker *w);

// beside_waker_poll polls a waker as if it were a completion queue: see ibvgo_poller_ops.
int32_t beside_waker_poll(void *w, int32_t n, void *wc);

// beside_sleeps is woken n times from a poll(2) of fd, which it reads, and puts the nanoseconds that each time took into took; it returns 0, or -1 if something failed.
int beside_sleeps(struct beside_waker *w, int fd, long n, int64_t *took);

#endif
