//go:build linux && cgo

#include "burst.h"
#include "now.h"

#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct beside_burst {
	pthread_t thread;
	struct ibv_qp *qp;
	struct ibv_send_wr *chain;
	long posts;
	int64_t gap;
	int begin, over;
	int failed; // the thread's, until it has ended
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
	char c;
	long i;

	// Nobody left to tell is as good.
	if (read(b->begin, &c, 1) < 0)
		b->failed++;
	for (i = 0; i < b->posts; i++) {
		b->failed += ibv_post_send(b->qp, b->chain, &bad) != 0;
		wait_ns(b->gap);
	}
	if (write(b->over, "\n", 1) != 1)
		b->failed++;
	return NULL;
}

struct beside_burst *beside_burst_start(struct ibv_qp *qp, struct ibv_send_wr *chain, long posts, int64_t gap_ns, int begin, int over)
{
	struct beside_burst *b = malloc(sizeof *b);
	sigset_t all, before;
	int r;

	if (!b)
		return NULL;
	*b = (struct beside_burst){.qp = qp, .chain = chain, .posts = posts, .gap = gap_ns, .begin = begin, .over = over};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&b->thread, NULL, run, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!r)
		return b;
	free(b);
	return NULL;
}

int beside_burst_end(struct beside_burst *b)
{
	int failed;

	pthread_join(b->thread, NULL);
	failed = b->failed;
	free(b);
	return failed;
}
