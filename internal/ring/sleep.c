//go:build linux && cgo

#define _GNU_SOURCE
#include "poller_impl.h"

#include <poll.h>
#include <time.h>

// How many events are acknowledged at once: each time, the library takes a lock.
#define ACKS 64

// How long the thread sleeps while the ring is full: the consumer, for which making room is to cost nothing, does not tell. The kernel adds some
// 50 us.
#define NAP_NS 20000

void acknowledge(struct ibvgo_poller *p, struct source *s)
{
	if (s->unacked)
		p->c.ops.ack(s->cq, s->unacked);
	s->unacked = 0;
}

// taken notes an event. One of a queue that has been removed is acknowledged at once, since destroying the queue waits for that; it may be
// gone afterwards.
static void taken(struct ibvgo_poller *p, void *cq, uint64_t id)
{
	struct source *s = p->sources;

	while (s && s->id != id)
		s = s->next;
	if (!s) {
		p->c.ops.ack(cq, 1);
		return;
	}
	if (++s->unacked >= ACKS)
		acknowledge(p, s);
}

// broken notes that the channel tells nothing any more.
static void broken(struct ibvgo_poller *p, int32_t why)
{
	p->sleepless = 1;
	pthread_mutex_lock(&p->lock);
	p->broken = why;
	p->broken_at = atomic_load_explicit(&p->c.ring->tail, memory_order_relaxed);
	pthread_mutex_unlock(&p->lock);
	if (ibvgo_ring_tell(p->c.ring))
		wake(p);
}

// take_events takes all events there are. Each stands for an arming, of which there are few.
static void take_events(struct ibvgo_poller *p)
{
	uint64_t id;
	int32_t r;
	void *cq;

	while (!p->sleepless) {
		r = p->c.ops.take(p->c.channel, &cq, &id);
		if (!r)
			taken(p, cq, id);
		else if (r == EAGAIN)
			return;
		else if (r != EINTR)
			broken(p, r);
	}
}

static int running(const struct ibvgo_poller *p)
{
	const struct source *s;

	for (s = p->sources; s; s = s->next)
		if (atomic_load_explicit(&s->state, memory_order_relaxed) == RUNNING)
			return 1;
	return 0;
}

static void arm(struct ibvgo_poller *p)
{
	struct source *s;
	int32_t r;

	for (s = p->sources; s; s = s->next) {
		if (atomic_load_explicit(&s->state, memory_order_relaxed) != RUNNING)
			continue;
		r = p->c.ops.arm(s->cq);
		if (r)
			fail(p, s, FAILED, IBVGO_NEWS_ARM, r);
	}
}

// await waits for a command, and for an event if there are two descriptors; with a time for that at most.
static void await(struct ibvgo_poller *p, nfds_t n, const struct timespec *time)
{
	struct pollfd fds[2] = {{.fd = p->command_fd, .events = POLLIN}, {.fd = p->c.channel_fd, .events = POLLIN}};
	uint64_t written;

	// No signal comes to this thread; were one to end it, nothing would happen but another look.
	if (ppoll(fds, n, time, NULL) > 0 && fds[0].revents && read(p->command_fd, &written, sizeof written) < 0)
		return;
}

void rest(struct ibvgo_poller *p, uint64_t served)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	int some = running(p);

	if (p->full && (some || p->spill)) {
		await(p, 1, &nap);
		return;
	}
	if (some && (!p->c.channel || p->sleepless))
		return;
	if (some) {
		take_events(p); // those of an earlier time would end the sleep at once
		arm(p);
		// What has come before a queue was armed raises no event.
		if (sweep(p) || p->sleepless)
			return;
	}
	// A command after this look has its descriptor end the sleep.
	if (atomic_load_explicit(&p->commands, memory_order_acquire) != served)
		return;
	count(&p->sleeps);
	await(p, some ? 2 : 1, NULL);
	if (some)
		take_events(p);
}
