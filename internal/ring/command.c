//go:build linux && cgo

#include "poller_impl.h"

// What other threads want of the thread. A command is noted under the lock, then counted, then the thread is woken if it sleeps.

uint64_t command(struct ibvgo_poller *p)
{
	uint64_t one = 1, n = atomic_fetch_add_explicit(&p->commands, 1, memory_order_release) + 1;

	if (write(p->command_fd, &one, sizeof one) < 0)
		return n; // it can be read already
	return n;
}

// find returns the queue with an id. The caller holds the lock.
static struct source *find(struct ibvgo_poller *p, uint64_t id)
{
	struct source *s;

	for (s = p->sources; s && s->id != id; s = s->next)
		;
	if (s)
		return s;
	for (s = p->coming; s && s->id != id; s = s->next)
		;
	return s;
}

int ibvgo_poller_add(struct ibvgo_poller *p, uint64_t id, void *cq)
{
	struct source *s = calloc(1, sizeof *s);

	if (!s)
		return ENOMEM;
	s->id = id;
	s->cq = cq;
	pthread_mutex_lock(&p->lock);
	s->next = p->coming;
	p->coming = s;
	command(p);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

int ibvgo_poller_remove(struct ibvgo_poller *p, uint64_t id)
{
	struct source *s;

	pthread_mutex_lock(&p->lock);
	s = find(p, id);
	if (s && !s->leaving) {
		s->leaving = command(p);
		while (!s->left)
			pthread_cond_wait(&p->done, &p->lock);
	} else {
		s = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	if (!s)
		return ENOENT;
	free(s);
	return 0;
}

void ibvgo_poller_flush(struct ibvgo_poller *p)
{
	uint64_t n;

	pthread_mutex_lock(&p->lock);
	n = command(p);
	while (p->served < n)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

void ibvgo_poller_overran(struct ibvgo_poller *p, uint64_t id)
{
	struct source *s;

	pthread_mutex_lock(&p->lock);
	s = find(p, id);
	if (s) {
		atomic_store_explicit(&s->overran, 1, memory_order_release);
		command(p); // it may be empty, and nothing come any more
	}
	pthread_mutex_unlock(&p->lock);
}

// welcome links the queues that have come. The caller holds the lock.
static void welcome(struct ibvgo_poller *p)
{
	struct source *s;

	while ((s = p->coming)) {
		p->coming = s->next;
		s->next = p->sources;
		p->sources = s;
	}
}

// dismiss unlinks the queues whose leaving was commanded up to n. The caller holds the lock.
static void dismiss(struct ibvgo_poller *p, uint64_t n)
{
	struct source **at = &p->sources, *s;

	p->turn = NULL;
	while ((s = *at)) {
		if (!s->leaving || s->leaving > n) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		spill(p, s);
		acknowledge(p, s);
		s->left = 1;
	}
}

// drain takes what the queues hold, but no more than the ring does: they may be filled all the while.
static void drain(struct ibvgo_poller *p)
{
	uint64_t taken = 0;
	int n;

	while (taken <= p->c.ring->mask && (n = sweep(p)) > 0)
		taken += (uint64_t)n;
}

uint64_t serve(struct ibvgo_poller *p, int *stop)
{
	uint64_t n;

	pthread_mutex_lock(&p->lock);
	n = atomic_load_explicit(&p->commands, memory_order_relaxed);
	*stop = p->stopping;
	welcome(p);
	pthread_mutex_unlock(&p->lock);
	drain(p);
	pthread_mutex_lock(&p->lock);
	dismiss(p, n);
	p->served = n;
	pthread_cond_broadcast(&p->done);
	pthread_mutex_unlock(&p->lock);
	return n;
}

// tell moves what is to be told of a queue to news: a failure once, an overrun each time. The caller holds the lock.
static void tell(struct ibvgo_poller *p, struct source *s, struct ibvgo_news *news)
{
	*news = (struct ibvgo_news){.id = s->id, .kind = s->kind, .value = s->value};
	if (s->kind == IBVGO_NEWS_OVERRUN)
		return;
	s->kind = IBVGO_NEWS_NONE;
	atomic_store_explicit(&s->state, RUNNING, memory_order_relaxed);
	command(p);
}

void ibvgo_poller_news(struct ibvgo_poller *p, uint64_t upto, struct ibvgo_news *news)
{
	struct source *s, *best = NULL;

	*news = (struct ibvgo_news){.kind = IBVGO_NEWS_NONE};
	pthread_mutex_lock(&p->lock);
	if (p->broken && p->broken_at <= upto) {
		*news = (struct ibvgo_news){.kind = IBVGO_NEWS_CHANNEL, .value = p->broken};
		p->broken = 0;
		pthread_mutex_unlock(&p->lock);
		return;
	}
	if (p->broken)
		news->kind = IBVGO_NEWS_LATER;
	for (s = p->sources; s; s = s->next) {
		if (s->kind == IBVGO_NEWS_NONE)
			continue;
		if (s->at > upto)
			news->kind = IBVGO_NEWS_LATER;
		else if (!best || s->kind != IBVGO_NEWS_OVERRUN) // an overrun can wait: it is told again and again
			best = s;
	}
	if (best)
		tell(p, best, news);
	pthread_mutex_unlock(&p->lock);
}

void ibvgo_poller_wake(struct ibvgo_poller *p)
{
	if (ibvgo_ring_tell(p->c.ring))
		wake(p);
}

void ibvgo_poller_stats(struct ibvgo_poller *p, struct ibvgo_poller_stats *stats)
{
	stats->stalls = atomic_load_explicit(&p->stalls, memory_order_relaxed);
	stats->full = atomic_load_explicit(&p->fulls, memory_order_relaxed);
	stats->sleeps = atomic_load_explicit(&p->sleeps, memory_order_relaxed);
	stats->wakes = atomic_load_explicit(&p->wakes, memory_order_relaxed);
}
