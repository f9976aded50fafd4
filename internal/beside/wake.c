//go:build linux && cgo

#include "wake.h"
#include "now.h"

#include <infiniband/verbs.h>
#include <sys/poll.h> // there is a poll.h here
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct beside_waker {
	pthread_t thread;
	int fd;
	struct ibv_qp *qp; // NULL: it does not post
	struct ibv_send_wr *chain;
	_Atomic int64_t at;   // when it last woke somebody
	atomic_int again;     // it is to do so
	atomic_int stop;
	atomic_int completion; // there is one
};

static void wake(struct beside_waker *w)
{
	struct ibv_send_wr *bad;
	uint64_t one = 1;

	if (w->qp) {
		if (ibv_post_send(w->qp, w->chain, &bad))
			abort();
	} else if (w->fd < 0) {
		atomic_store(&w->completion, 1);
	} else if (write(w->fd, &one, sizeof one) < 0) {
		abort();
	}
}

static void *run(void *arg)
{
	struct beside_waker *w = arg;

	while (!atomic_load(&w->stop)) {
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
		if (!atomic_exchange(&w->again, 0))
			continue;
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
		atomic_store(&w->at, beside_now());
		wake(w);
	}
	return NULL;
}

static struct beside_waker *start(int fd, struct ibv_qp *qp, struct ibv_send_wr *chain)
{
	struct beside_waker *w = calloc(1, sizeof *w);
	sigset_t all, before;
	int r;

	if (!w)
		return NULL;
	w->fd = fd;
	w->qp = qp;
	w->chain = chain;
	w->again = 1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!r)
		return w;
	free(w);
	return NULL;
}

struct beside_waker *beside_waker_start(int fd)
{
	return start(fd, NULL, NULL);
}

struct beside_waker *beside_poster_start(struct ibv_qp *qp, struct ibv_send_wr *chain)
{
	return start(-1, qp, chain);
}

void beside_waker_end(struct beside_waker *w)
{
	atomic_store(&w->stop, 1);
	pthread_join(w->thread, NULL);
	free(w);
}

int64_t beside_waker_woken(struct beside_waker *w)
{
	int64_t took = beside_now() - atomic_load(&w->at);

	atomic_store(&w->again, 1);
	return took;
}

int32_t beside_waker_poll(void *arg, int32_t n, void *wc)
{
	struct beside_waker *w = arg;

	if (n < 1 || !atomic_load_explicit(&w->completion, memory_order_relaxed))
		return 0;
	atomic_store(&w->completion, 0);
	*(struct ibv_wc *)wc = (struct ibv_wc){.wr_id = 1};
	return 1;
}

int beside_sleeps(struct beside_waker *w, int fd, long n, int64_t *took)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t count;

	for (; n > 0; n--) {
		if (poll(&p, 1, -1) < 0 || read(fd, &count, sizeof count) < 0)
			return -1;
		*took++ = beside_waker_woken(w);
	}
	return 0;
}
