//go:build linux && cgo

#include "ring.h"
#include "../ring/consumer.h"
#include "now.h"

#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct beside_filler {
	pthread_t thread;
	// An order: the first three are written before orders is counted.
	struct ibvgo_ring *ring;
	long n;
	int batch;
	_Alignas(128) _Atomic uint64_t orders;
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

static void fill(struct ibvgo_ring *ring, long n, int batch)
{
	uint64_t id = 0;

	while (n > 0) {
		struct ibvgo_wc *at;
		uint64_t i, room = ibvgo_ring_room(ring, (uint64_t)batch, &at);

		room = room < (uint64_t)batch ? room : (uint64_t)batch;
		room = room < (uint64_t)n ? room : (uint64_t)n;
		for (i = 0; i < room; i++)
			*(struct ibv_wc *)&at[i] = (struct ibv_wc){.wr_id = id++, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .byte_len = 64, .qp_num = 2};
		if (room)
			ibvgo_ring_publish(ring, room);
		else
			pause_briefly();
		n -= (long)room;
	}
}

static void *run(void *arg)
{
	struct beside_filler *f = arg;
	uint64_t done = 0;

	for (;;) {
		while (atomic_load_explicit(&f->orders, memory_order_acquire) == done)
			pause_briefly();
		if (!f->ring)
			return NULL;
		fill(f->ring, f->n, f->batch);
		done++;
	}
}

struct beside_filler *beside_filler_start(void)
{
	struct beside_filler *f = aligned_alloc(128, 256);
	sigset_t all, before;
	int r;

	if (!f)
		return NULL;
	memset(f, 0, sizeof *f);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&f->thread, NULL, run, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!r)
		return f;
	free(f);
	return NULL;
}

void beside_filler_order(struct beside_filler *f, struct ibvgo_ring *ring, long n, int batch)
{
	f->ring = ring;
	f->n = n;
	f->batch = batch;
	atomic_fetch_add_explicit(&f->orders, 1, memory_order_release);
}

void beside_filler_end(struct beside_filler *f)
{
	beside_filler_order(f, NULL, 0, 0);
	pthread_join(f->thread, NULL);
	free(f);
}

static struct ibvgo_consumer consumer(struct ibvgo_ring *ring)
{
	uint64_t head = atomic_load(&ring->head);

	return (struct ibvgo_consumer){.ring = ring, .taken = head, .released = head, .tail = head};
}

int64_t beside_empty_ring(struct beside_filler *f, struct ibvgo_ring *ring, long n, int batch, uint64_t *sum)
{
	struct ibvgo_consumer c = consumer(ring);
	int64_t start = beside_now();
	uint64_t s = 0;

	beside_filler_order(f, ring, n, batch);
	while (n > 0) {
		struct ibvgo_wc *at;
		uint64_t i, k = ibvgo_consumer_next(&c, &at);
		const struct ibv_wc *wc = (const struct ibv_wc *)at;

		for (i = 0; i < k; i++)
			s += wc[i].wr_id;
		n -= (long)k;
	}
	ibvgo_consumer_release(&c);
	*sum = s;
	return beside_now() - start;
}

int64_t beside_look_at_ring(struct ibvgo_ring *ring, long n)
{
	struct ibvgo_consumer c = consumer(ring);
	struct ibvgo_wc *at;
	int64_t start = beside_now();

	while (n-- > 0)
		if (ibvgo_consumer_next(&c, &at))
			return -1;
	return beside_now() - start;
}
