//go:build linux && cgo

#include "core.h"

struct ibv_comp_channel *sd_create_comp_channel(struct ibv_context *context)
{
	struct softdev *d = sd_device(context);
	struct sd_channel *ch;
	int value;

	if (sd_enter(d, SD_create_comp_channel, &value))
		return NULL;
	ch = calloc(1, sizeof *ch);
	value = ch ? sd_events_init(&ch->events) : ENOMEM;
	if (value) {
		free(ch);
		errno = value;
		return NULL;
	}
	ch->channel.context = context;
	ch->channel.fd = ch->events.fd;
	pthread_mutex_lock(&d->lock);
	sd_add(sd_context(context), &ch->o, SD_CHANNEL);
	pthread_mutex_unlock(&d->lock);
	return &ch->channel;
}

void sd_end_channel(struct sd_channel *ch)
{
	sd_events_free(&ch->events);
	sd_remove(&ch->o);
	free(ch);
}

// ibv_create_comp_channel(3): not while CQs use it.
int sd_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct sd_channel *ch = SD_OF(sd_channel, channel);
	struct softdev *d = sd_device(channel->context);
	int value;

	if (sd_enter(d, SD_destroy_comp_channel, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	value = ch->o.holders ? EBUSY : 0;
	if (!value)
		sd_end_channel(ch);
	pthread_mutex_unlock(&d->lock);
	return value;
}

int sd_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct sd_channel *ch = SD_OF(sd_channel, channel);
	struct sd_event e;
	int value;

	if (sd_enter(sd_device(channel->context), SD_get_cq_event, &value))
		return value;
	if (sd_event_take(&ch->events, &e))
		return -1;
	*cq = e.object;
	*cq_context = (*cq)->cq_context;
	SD_OF(sd_cq, *cq)->comp_taken++;
	pthread_mutex_unlock(&ch->events.lock);
	return 0;
}

void sd_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
	int value;

	if (sd_enter(sd_device(cq->context), SD_ack_cq_events, &value))
		return;
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += n;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}
