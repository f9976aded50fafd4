// What the C tests share. Each .c file here is a program; it prints what went wrong and ends with 1 if anything did.

#ifndef RING_CHECK_H
#define RING_CHECK_H

#include "../../testdata/check.h"
#include "../consumer.h"
#include "../poller.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static inline struct ibvgo_ring *new_ring(uint64_t n)
{
	size_t size = sizeof(struct ibvgo_ring) + n * sizeof(struct ibvgo_wc);
	struct ibvgo_ring *r;

	size = (size + IBVGO_RING_LINE - 1) / IBVGO_RING_LINE * IBVGO_RING_LINE;
	r = aligned_alloc(IBVGO_RING_LINE, size);
	memset(r, 0, size);
	r->mask = n - 1;
	return r;
}

// sleep_on waits until it is woken, 10 s at most.
static inline void sleep_on(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t n;

	if (poll(&p, 1, 10000) != 1 || read(fd, &n, sizeof n) != sizeof n) {
		printf("nobody wakes the consumer\n");
		exit(1);
	}
}

static inline void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

// SOON waits until something is so, 10 s at most.
#define SOON(ok) \
	do { \
		int tries_ = 0; \
		while (!(ok) && tries_++ < 100000) \
			nap(); \
		CHECK(ok); \
	} while (0)

#endif
