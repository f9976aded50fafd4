//go:build linux && cgo

#include "burst.h"
#include "now.h"

#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct beside_burst {
	pthread_t thread;
	struct ibv_qp *qp;
	struct ibv_send_wr *chain;
	long posts;
	int64_t gap, delay;
	int failed; // the thread's, until it has ended
	atomic_int done;
};

static void wait_ns(int64_t ns)
{
	struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	nanosleep(&t, NULL);
}

static void *run(void *arg)
{
	struct beside_burst *b = arg;
	struct ibv_send_wr *bad;
	long i;

	wait_ns(b->delay);
	for (i = 0; i < b->posts; i++) {
		b->failed += ibv_post_send(b->qp, b->chain, &bad) != 0;
		wait_ns(b->gap);
	}
	atomic_store(&b->done, 1);
	return NULL;
}

struct beside_burst *beside_burst_start(struct ibv_qp *qp, struct ibv_send_wr *chain, long posts, int64_t gap_ns, int64_t delay_ns)
{
	struct beside_burst *b = malloc(sizeof *b);
	sigset_t all, before;
	int r;

	if (!b)
		return NULL;
	*b = (struct beside_burst){.qp = qp, .chain = chain, .posts = posts, .gap = gap_ns, .delay = delay_ns};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&b->thread, NULL, run, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!r)
		return b;
	free(b);
	return NULL;
}

int beside_burst_done(struct beside_burst *b)
{
	return atomic_load(&b->done);
}

int beside_burst_end(struct beside_burst *b)
{
	int failed;

	pthread_join(b->thread, NULL);
	failed = b->failed;
	free(b);
	return failed;
}
