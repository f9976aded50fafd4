//go:build linux && cgo

#include "core.h"

struct ibv_pd *sd_alloc_pd(struct ibv_context *context)
{
	struct softdev *d = sd_device(context);
	struct sd_pd *p;
	int value;

	if (sd_enter(d, SD_alloc_pd, &value))
		return NULL;
	p = calloc(1, sizeof *p);
	if (!p) {
		errno = ENOMEM;
		return NULL;
	}
	p->pd.context = context;
	pthread_mutex_lock(&d->lock);
	sd_add(sd_context(context), &p->o, SD_PD);
	pthread_mutex_unlock(&d->lock);
	return &p->pd;
}

void sd_end_pd(struct sd_pd *p)
{
	sd_remove(&p->o);
	free(p);
}

// ibv_alloc_pd(3): not while something was made in it.
int sd_dealloc_pd(struct ibv_pd *pd)
{
	struct sd_pd *p = SD_OF(sd_pd, pd);
	struct softdev *d = sd_device(pd->context);
	int value;

	if (sd_enter(d, SD_dealloc_pd, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	value = p->o.holders ? EBUSY : 0;
	if (!value)
		sd_end_pd(p);
	pthread_mutex_unlock(&d->lock);
	return value;
}
