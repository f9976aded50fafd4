//go:build linux && cgo

#define _GNU_SOURCE
#include "core.h"

#include <time.h>

// How verbs report a failure by a number; NOTHING: they return a pointer, or cannot.
static const enum { ERRNO, MINUS1, NEGATIVE, NOTHING } forms[SD_NVERBS] = {
	[SD_ack_async_event] = NOTHING,
	[SD_ack_cq_events] = NOTHING,
	[SD_alloc_pd] = NOTHING,
	[SD_close_device] = MINUS1,
	[SD_create_comp_channel] = NOTHING,
	[SD_create_cq] = NOTHING,
	[SD_create_cq_ex] = NOTHING,
	[SD_create_qp] = NOTHING,
	[SD_create_qp_ex] = NOTHING,
	[SD_create_rwq_ind_table] = NOTHING,
	[SD_create_wq] = NOTHING,
	[SD_get_async_event] = MINUS1,
	[SD_get_cq_event] = MINUS1,
	[SD_get_device_guid] = NOTHING,
	[SD_get_device_index] = MINUS1,
	[SD_get_device_name] = NOTHING,
	[SD_get_pkey_index] = MINUS1,
	[SD_open_device] = NOTHING,
	[SD_poll_cq] = NEGATIVE,
	[SD_qp_to_qp_ex] = NOTHING,
	[SD_query_gid] = MINUS1,
	[SD_query_gid_table] = NEGATIVE,
	[SD_query_pkey] = MINUS1,
	[SD_reg_mr] = NOTHING,
};

int softdev_failure(int verb, int err)
{
	switch (verb >= 0 && verb < SD_NVERBS ? forms[verb] : NOTHING) {
	case ERRNO:
		return err;
	case MINUS1:
		return -1;
	case NEGATIVE:
		return -err;
	default:
		return 0;
	}
}

// outlives tells whether a verb works on a device that is gone. The library answers what it knows of the device itself; events that
// came before, and completions, are in memory; and a context of a device that the kernel has removed can only be closed.
static int outlives(enum softdev_verb verb)
{
	switch (verb) {
	case SD_ack_async_event:
	case SD_ack_cq_events:
	case SD_get_async_event:
	case SD_get_cq_event:
	case SD_get_device_guid:
	case SD_get_device_index:
	case SD_get_device_name:
	case SD_next_poll:
	case SD_poll_cq:
	case SD_qp_to_qp_ex:
	case SD_start_poll:
	case SD_close_device:
		return 1;
	default:
		return 0;
	}
}

// spent takes a fault that has nothing left to do out of the list.
static void spent(struct softdev *d, struct sd_fault **at)
{
	struct sd_fault *f = *at;

	if (f->f.skip || f->f.times)
		return;
	*at = f->next;
	free(f);
	atomic_fetch_sub(&d->faulty, 1);
}

// next finds what is to happen in a call of verb: fault is a copy. It returns 0 if nothing is.
static int next(struct softdev *d, enum softdev_verb verb, struct softdev_fault *fault)
{
	struct sd_fault **at = &d->faults;

	while (*at && (*at)->f.verb != (int)verb)
		at = &(*at)->next;
	if (!*at)
		return 0;
	if ((*at)->f.skip) {
		(*at)->f.skip--;
		spent(d, at);
		return 0;
	}
	(*at)->f.times--;
	*fault = (*at)->f;
	spent(d, at);
	return 1;
}

static void wait_ns(uint64_t ns)
{
	struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

int sd_enter_slow(struct softdev *d, enum softdev_verb verb, int *value)
{
	struct softdev_fault f = {.delay_ns = 0};
	int found, lost;

	pthread_mutex_lock(&d->lock);
	found = next(d, verb, &f);
	pthread_mutex_unlock(&d->lock);
	if (found && f.delay_ns)
		wait_ns(f.delay_ns);
	if (!found || !f.fails) {
		pthread_mutex_lock(&d->lock);
		lost = d->lost; // perhaps while this call waited
		pthread_mutex_unlock(&d->lock);
		if (!lost || outlives(verb))
			return 0;
		f.err = EIO; // as the kernel answers for a device that it has removed
		f.value = softdev_failure(verb, EIO);
	}
	*value = f.value;
	errno = f.err;
	return 1;
}

int softdev_fail(struct softdev *d, const struct softdev_fault *fault)
{
	struct sd_fault *f, **at;

	if (!fault->skip && !fault->times)
		return 0;
	f = malloc(sizeof *f);
	if (!f)
		return ENOMEM;
	*f = (struct sd_fault){.f = *fault};
	pthread_mutex_lock(&d->lock);
	for (at = &d->faults; *at; at = &(*at)->next)
		;
	*at = f;
	atomic_fetch_add(&d->faulty, 1);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

void softdev_heal(struct softdev *d)
{
	struct sd_fault *f;

	pthread_mutex_lock(&d->lock);
	while ((f = d->faults)) {
		d->faults = f->next;
		free(f);
		atomic_fetch_sub(&d->faulty, 1);
	}
	pthread_mutex_unlock(&d->lock);
}
