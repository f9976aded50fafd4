//go:build linux && cgo

#include "core.h"

// polls adds up what the queues count; needs d->lock.
static uint64_t polls(struct softdev *d)
{
	uint64_t n = d->polls;
	struct sd_object *c, *o;

	for (c = d->contexts.next; c != &d->contexts; c = c->next)
		for (o = c->context->objects.next; o != &c->context->objects; o = o->next)
			if (o->kind == SD_CQ) {
				struct sd_cq *q = (struct sd_cq *)((char *)o - offsetof(struct sd_cq, o));

				pthread_spin_lock(&q->lock);
				n += q->polls;
				pthread_spin_unlock(&q->lock);
			}
	return n;
}

uint64_t softdev_calls(struct softdev *d, int verb)
{
	uint64_t n;

	if (verb < 0 || verb >= SD_NVERBS)
		return 0;
	if (verb != SD_poll_cq)
		return atomic_load(&d->calls[verb]);
	pthread_mutex_lock(&d->lock);
	n = polls(d);
	pthread_mutex_unlock(&d->lock);
	return n;
}

void softdev_objects(struct softdev *d, uint32_t counts[SD_NKINDS])
{
	pthread_mutex_lock(&d->lock);
	memcpy(counts, d->counts, sizeof d->counts);
	pthread_mutex_unlock(&d->lock);
}

void softdev_orphans(struct softdev *d, uint32_t counts[SD_NKINDS])
{
	pthread_mutex_lock(&d->lock);
	memcpy(counts, d->orphans, sizeof d->orphans);
	pthread_mutex_unlock(&d->lock);
}

uint64_t softdev_dropped(struct softdev *d)
{
	uint64_t n;

	pthread_mutex_lock(&d->lock);
	n = d->dropped;
	pthread_mutex_unlock(&d->lock);
	return n;
}
