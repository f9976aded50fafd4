//go:build linux && cgo

#define _GNU_SOURCE
#include "core.h"

#include <signal.h>
#include <time.h>

// The device's thread. Nothing else happens in it than giving up on what has waited too long for the other side.

uint64_t sd_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

static void *run(void *arg)
{
	struct softdev *d = arg;

	pthread_mutex_lock(&d->lock);
	while (!d->stop) {
		uint64_t next = sd_expire(d, sd_now());
		struct timespec t = {.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000};

		if (next)
			pthread_cond_timedwait(&d->tick, &d->lock, &t);
		else
			pthread_cond_wait(&d->tick, &d->lock);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

// The thread gets no signals: they are the program's.
int sd_timer_start(struct softdev *d)
{
	pthread_condattr_t clock;
	sigset_t all, before;
	int r;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&d->tick, &clock);
	pthread_condattr_destroy(&clock);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&d->timer, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		pthread_cond_destroy(&d->tick);
	return r;
}

void sd_timer_stop(struct softdev *d)
{
	pthread_mutex_lock(&d->lock);
	d->stop = 1;
	pthread_cond_signal(&d->tick);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->timer, NULL);
	pthread_cond_destroy(&d->tick);
}

void sd_wake(struct softdev *d)
{
	pthread_cond_signal(&d->tick);
}
