// The ring between two threads.

#define _GNU_SOURCE
#include "check.h"

struct run {
	struct ibvgo_ring *ring;
	uint64_t n;
	int fd; // an eventfd; the consumer sleeps if it is not negative
	uint64_t wakes;
};

static void *produce(void *arg)
{
	struct run *run = arg;
	uint64_t sent = 0, one = 1;
	unsigned batch = 1;

	while (sent < run->n) {
		struct ibvgo_wc *at;
		uint64_t i, room = ibvgo_ring_room(run->ring, batch, &at);

		for (i = 0; i < room && i < batch && sent < run->n; i++, sent++)
			at[i] = (struct ibvgo_wc){{sent, ~sent, sent * 3, 0, 0, sent}};
		if (i && ibvgo_ring_publish(run->ring, i)) {
			run->wakes++;
			if (write(run->fd, &one, sizeof one) != sizeof one)
				abort();
		}
		batch = batch % 37 + 1;
		if (run->fd >= 0 && sent % 64 == 0)
			nap();
		if (!room)
			sched_yield();
	}
	return NULL;
}

static void exchange(uint64_t entries, uint64_t n, int sleeps)
{
	struct run run = {.ring = new_ring(entries), .n = n, .fd = sleeps ? eventfd(0, 0) : -1};
	struct ibvgo_consumer c = {.ring = run.ring};
	uint64_t next = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, produce, &run);
	while (next < n) {
		struct ibvgo_wc *at;
		uint64_t i, k = ibvgo_consumer_next(&c, &at);

		for (i = 0; i < k; i++, next++) {
			if (at[i].words[0] != next || at[i].words[1] != ~next || at[i].words[2] != next * 3 || at[i].words[5] != next) {
				printf("entry %llu is %llu\n", (unsigned long long)next, (unsigned long long)at[i].words[0]);
				exit(1);
			}
		}
		if (!k && sleeps && ibvgo_consumer_doze(&c)) {
			sleep_on(run.fd);
			atomic_store(&run.ring->sleeping, 0);
		} else if (!k) {
			sched_yield();
		}
	}
	pthread_join(thread, NULL);
	ibvgo_consumer_release(&c);
	CHECK_IS(atomic_load(&run.ring->tail), n);
	CHECK_IS(atomic_load(&run.ring->head), n);
	if (sleeps) {
		CHECK(run.wakes > 0);
		close(run.fd);
	}
	free(run.ring);
}

// Room is what is free, in one piece, and the consumer's line is looked at only when it has to be.
static void room(void)
{
	struct ibvgo_ring *r = new_ring(8);
	struct ibvgo_consumer c = {.ring = r};
	struct ibvgo_wc *at;

	CHECK_IS(ibvgo_ring_room(r, 4, &at), 8);
	CHECK(at == r->entries);
	CHECK_IS(ibvgo_ring_publish(r, 5), 0);
	CHECK_IS(ibvgo_ring_room(r, 1, &at), 3);
	CHECK(at == r->entries + 5);
	CHECK_IS(ibvgo_consumer_next(&c, &at), 5);
	CHECK(at == r->entries);
	CHECK_IS(ibvgo_ring_publish(r, 3), 0);
	CHECK_IS(ibvgo_ring_room(r, 1, &at), 0); // the consumer has not given them back
	CHECK_IS(ibvgo_consumer_next(&c, &at), 3);
	CHECK(at == r->entries + 5);
	CHECK_IS(ibvgo_ring_room(r, 1, &at), 5);
	CHECK(at == r->entries);
	ibvgo_consumer_release(&c);
	CHECK_IS(ibvgo_ring_room(r, 5, &at), 5); // that was enough, and was known
	CHECK_IS(ibvgo_ring_room(r, 6, &at), 8);
	atomic_store(&r->sleeping, 1);
	CHECK_IS(ibvgo_ring_publish(r, 1), 1);
	CHECK_IS(ibvgo_ring_publish(r, 1), 0);
	atomic_store(&r->sleeping, 1);
	CHECK_IS(ibvgo_ring_tell(r), 1);
	CHECK_IS(ibvgo_ring_tell(r), 0);
	free(r);
}

int main(void)
{
	room();
	exchange(1, 5000, 0);
	exchange(2, 5000, 0);
	exchange(64, 100000, 0);
	exchange(4096, 300000, 0);
	exchange(16, 2000, 1);
	exchange(1024, 5000, 1);
	return failures != 0;
}
