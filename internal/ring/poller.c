//go:build linux && cgo

#define _GNU_SOURCE
#include "poller_impl.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

// How many completions are taken at once from one queue; then it is the next one's turn.
#define BATCH 64

// The clock is read once in so many looks at empty queues: it takes as long as two or three.
#define LOOKS 16

static uint64_t now(void)
{
	struct timespec t = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// pause_briefly tells the processor that the loop waits for memory to change.
static inline void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

void wake(struct ibvgo_poller *p)
{
	uint64_t one = 1;

	atomic_fetch_add_explicit(&p->wakes, 1, memory_order_relaxed);
	// It fails only when the counter is near its end, and then the consumer is awake.
	if (write(p->c.wake_fd, &one, sizeof one) < 0)
		return;
}

void fail(struct ibvgo_poller *p, struct source *s, enum state state, int32_t kind, int32_t value)
{
	pthread_mutex_lock(&p->lock);
	s->kind = kind;
	s->value = value;
	s->at = atomic_load_explicit(&p->c.ring->tail, memory_order_relaxed);
	atomic_store_explicit(&s->state, state, memory_order_relaxed);
	pthread_mutex_unlock(&p->lock);
	if (ibvgo_ring_tell(p->c.ring))
		wake(p);
}

// look polls one queue into the ring itself.
static int look(struct ibvgo_poller *p, struct source *s, struct ibvgo_wc *at, int32_t room)
{
	// Before polling: a queue that is found empty after that has nothing that came before the completion that was lost.
	int overran = atomic_load_explicit(&s->overran, memory_order_acquire);
	int32_t n = p->c.ops.poll(s->cq, room, at);

	if (n > 0 && n <= room) {
		if (ibvgo_ring_publish(p->c.ring, (uint64_t)n))
			wake(p);
		return n;
	}
	if (n)
		fail(p, s, FAILED, IBVGO_NEWS_POLL, n);
	else if (overran)
		fail(p, s, OVER, IBVGO_NEWS_OVERRUN, 0);
	return 0;
}

// blocked notes that there was no room for what a queue may hold; s is that queue, NULL if it is gone.
static void blocked(struct ibvgo_poller *p, struct source *s)
{
	if (!p->full)
		count(&p->stalls);
	count(&p->fulls);
	p->full = 1;
	p->turn = s;
}

int sweep(struct ibvgo_poller *p)
{
	struct source *first = p->turn ? p->turn : p->sources, *s = first;
	int found = 0;

	if (p->spill) {
		// In front of what its queues have given since, should they have come back.
		found = pour(p);
		if (!found)
			blocked(p, p->turn);
		return found ? found : -1;
	}
	if (!s)
		return 0;
	do {
		struct ibvgo_wc *at;
		uint64_t room;

		if (atomic_load_explicit(&s->state, memory_order_relaxed) != RUNNING)
			continue;
		room = ibvgo_ring_room(p->c.ring, BATCH, &at);
		if (!room) {
			blocked(p, s);
			return found ? found : -1;
		}
		p->full = 0;
		found += look(p, s, at, room < BATCH ? (int32_t)room : BATCH);
	} while ((s = s->next ? s->next : p->sources) != first);
	p->turn = NULL;
	return found;
}

static void *run(void *arg)
{
	struct ibvgo_poller *p = arg;
	uint64_t served = 0, since = 0, looks = 0;
	int stop = 0;

	while (!stop) {
		if (atomic_load_explicit(&p->commands, memory_order_acquire) != served) {
			served = serve(p, &stop);
			looks = 0;
		}
		if (sweep(p) > 0) {
			looks = 0;
			continue;
		}
		pause_briefly();
		if (++looks % LOOKS)
			continue;
		if (looks == LOOKS) {
			since = now();
		} else if (now() - since >= p->c.spin_ns) {
			rest(p, served);
			looks = 0;
		}
	}
	return NULL;
}

// launch starts the thread, where it is to run, without signals, which are the program's: 0 or an errno value.
static int launch(struct ibvgo_poller *p)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int r = pthread_attr_init(&attr);

	if (r)
		return r;
	if (p->c.cpu >= 0) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		if (p->c.cpu < CPU_SETSIZE)
			CPU_SET(p->c.cpu, &cpus);
		r = pthread_attr_setaffinity_np(&attr, sizeof cpus, &cpus);
	}
	if (!r) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		r = pthread_create(&p->thread, &attr, run, p);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attr);
	return r;
}

static void discard(struct ibvgo_poller *p)
{
	close(p->command_fd);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

struct ibvgo_poller *ibvgo_poller_start(const struct ibvgo_poller_config *config)
{
	struct ibvgo_poller *p = aligned_alloc(IBVGO_RING_LINE, (sizeof *p + IBVGO_RING_LINE - 1) / IBVGO_RING_LINE * IBVGO_RING_LINE);
	int r;

	if (!p)
		return NULL;
	*p = (struct ibvgo_poller){.c = *config, .command_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (p->command_fd < 0) {
		r = errno;
		free(p);
		errno = r;
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->done, NULL);
	r = launch(p);
	if (r) {
		discard(p);
		errno = r;
		return NULL;
	}
	return p;
}

struct ibvgo_wc *ibvgo_poller_stop(struct ibvgo_poller *p, uint64_t *n)
{
	struct ibvgo_wc *rest;
	struct source *s;

	pthread_mutex_lock(&p->lock);
	p->stopping = 1;
	command(p);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	while ((s = p->sources)) {
		p->sources = s->next;
		acknowledge(p, s);
		free(s);
	}
	rest = p->spill;
	*n = p->spilled - p->poured;
	if (rest)
		memmove(rest, rest + p->poured, *n * sizeof *rest);
	discard(p);
	return rest;
}
