//go:build linux && cgo

#include "core.h"

// ring_init makes room for as many completions as are asked for: 0 or ENOMEM. Completions are written before they are read, so the memory needs no
// clearing, and untouched pages of a long queue are never there.
static int ring_init(struct sd_cq *q, uint32_t cqe, const struct softdev_config *config)
{
	q->room = sd_room(cqe);
	q->limit = config->exact ? cqe : q->room;
	if (q->limit > config->max_cqe)
		q->limit = config->max_cqe;
	q->ring = aligned_alloc(64, q->room * sizeof *q->ring);
	return q->ring ? 0 : ENOMEM;
}

static struct sd_cq *cq_new(struct softdev *d, uint32_t cqe)
{
	struct sd_cq *q = calloc(1, sizeof *q);

	if (!q || ring_init(q, cqe, &d->config)) {
		free(q);
		return NULL;
	}
	pthread_spin_init(&q->lock, PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_init(&q->cq.mutex, NULL);
	pthread_cond_init(&q->cq.cond, NULL);
	q->cq.cqe = q->limit;
	return q;
}

void sd_cq_free(struct sd_cq *q)
{
	sd_batches_free(q);
	pthread_cond_destroy(&q->cq.cond);
	pthread_mutex_destroy(&q->cq.mutex);
	pthread_spin_destroy(&q->lock);
	free(q->ring);
	free(q);
}

// ibv_create_cq(3); cqe and vector are checked as the kernel's drivers do, a channel as the library's file descriptor does by belonging
// to the context.
struct sd_cq *sd_cq_new(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector)
{
	struct softdev *d = sd_device(context);
	struct sd_cq *q;

	if (cqe < 1 || (uint32_t)cqe > d->config.max_cqe || vector < 0 || vector >= context->num_comp_vectors ||
	    (channel && channel->context != context)) {
		errno = EINVAL;
		return NULL;
	}
	q = cq_new(d, cqe);
	if (!q) {
		errno = ENOMEM;
		return NULL;
	}
	q->cq.context = context;
	q->cq.channel = channel;
	q->cq.cq_context = cq_context;
	return q;
}

void sd_cq_enlist(struct sd_cq *q)
{
	struct softdev *d = sd_device(q->cq.context);
	struct ibv_comp_channel *channel = q->cq.channel;

	pthread_mutex_lock(&d->lock);
	if (channel) {
		SD_OF(sd_channel, channel)->o.holders++;
		channel->refcnt++;
	}
	sd_add(sd_context(q->cq.context), &q->o, SD_CQ);
	pthread_mutex_unlock(&d->lock);
}

struct ibv_cq *sd_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector)
{
	struct sd_cq *q;
	int value;

	if (sd_enter(sd_device(context), SD_create_cq, &value))
		return NULL;
	q = sd_cq_new(context, cqe, cq_context, channel, vector);
	if (!q)
		return NULL;
	sd_cq_enlist(q);
	return &q->cq;
}

// detach takes a queue out of everything but memory; needs d->lock.
static void detach(struct sd_cq *q)
{
	struct softdev *d = sd_device(q->cq.context);
	struct ibv_comp_channel *channel = q->cq.channel;

	if (channel) {
		sd_event_forget(&SD_OF(sd_channel, channel)->events, &q->cq);
		SD_OF(sd_channel, channel)->o.holders--;
		channel->refcnt--;
	}
	sd_event_forget(&q->o.context->async, &q->cq);
	sd_remove(&q->o);
	d->polls += q->polls;
}

void sd_end_cq(struct sd_cq *q)
{
	detach(q);
	sd_cq_free(q);
}

// ibv_create_cq(3): not while queues use it. It waits until the events that were taken are acknowledged: ibv_get_cq_event(3).
int sd_destroy_cq(struct ibv_cq *cq)
{
	struct sd_cq *q = SD_OF(sd_cq, cq);
	struct softdev *d = sd_device(cq->context);
	int value;

	if (sd_enter(d, SD_destroy_cq, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	if (q->o.holders) {
		pthread_mutex_unlock(&d->lock);
		return EBUSY;
	}
	detach(q);
	pthread_mutex_unlock(&d->lock);
	// No event of the queue is left to be taken, so what was taken stays as it is.
	sd_acked(&cq->mutex, &cq->cond, &cq->comp_events_completed, q->comp_taken);
	sd_acked(&cq->mutex, &cq->cond, &cq->async_events_completed, q->async_taken);
	sd_cq_free(q);
	return 0;
}

int sd_cq_take(struct sd_cq *q, struct ibv_wc *wc, struct sd_stamp *stamp)
{
	uint32_t place = q->head & (q->room - 1);
	struct sd_cqe *e = &q->ring[place];

	if (q->head == q->tail)
		return 0;
	q->head++;
	*wc = e->wc;
	if (q->batches && q->batches->stamps)
		*stamp = q->batches->stamps[place];
	if (e->tail)
		atomic_store_explicit(e->tail, e->upto, memory_order_release);
	return 1;
}

int sd_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct sd_cq *q = SD_OF(sd_cq, cq);
	struct softdev *d = sd_device(cq->context);
	int value, i, fails = 0;

	// Counted under the queue's own lock, which it takes anyway.
	if (__builtin_expect(atomic_load_explicit(&d->faulty, memory_order_relaxed), 0))
		fails = sd_enter_slow(d, SD_poll_cq, &value);
	pthread_spin_lock(&q->lock);
	q->polls++;
	for (i = 0; !fails && i < n && q->head != q->tail; i++) {
		struct sd_cqe *e = &q->ring[q->head++ & (q->room - 1)];

		wc[i] = e->wc;
		if (e->tail)
			atomic_store_explicit(e->tail, e->upto, memory_order_release);
	}
	pthread_spin_unlock(&q->lock);
	if (fails)
		return value;
	return n < 0 ? -EINVAL : i;
}

// ibv_req_notify_cq(3): an event comes for what is added from now on, so what is in the queue already does not count. Arming for any completion is not
// weakened by asking for solicited ones before the event, unless the device is to be one that goes by the last request.
int sd_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct sd_cq *q = SD_OF(sd_cq, cq);
	struct softdev *d = sd_device(cq->context);
	int value;

	if (sd_enter(d, SD_req_notify_cq, &value))
		return value;
	pthread_spin_lock(&q->lock);
	if (!solicited_only)
		q->armed = SD_ANY;
	else if (q->armed == SD_UNARMED || d->config.last_notify)
		q->armed = SD_SOLICITED;
	pthread_spin_unlock(&q->lock);
	return 0;
}

int sd_push(struct sd_cq *q, const struct ibv_wc *wc, _Atomic uint32_t *tail, uint32_t upto, int solicited)
{
	int wake = 0, full, stamped = q->batches && q->batches->stamps;
	struct sd_stamp stamp;

	if (stamped)
		stamp = sd_stamp_now();
	pthread_spin_lock(&q->lock);
	full = q->tail - q->head >= q->limit;
	if (full && q->batches && q->batches->ignore_overrun) {
		q->head++; // ibv_create_cq_ex(3): it goes to the next entry, whatever is there
		full = 0;
	}
	if (!full) {
		if (stamped)
			q->batches->stamps[q->tail & (q->room - 1)] = stamp;
		q->ring[q->tail++ & (q->room - 1)] = (struct sd_cqe){.wc = *wc, .tail = tail, .upto = upto};
		wake = q->armed == SD_ANY || (q->armed == SD_SOLICITED && (solicited || wc->status != IBV_WC_SUCCESS));
		if (wake)
			q->armed = SD_UNARMED;
	}
	pthread_spin_unlock(&q->lock);
	if (full) {
		// What soft-RoCE does: the completion is lost, and the queue stays usable.
		sd_async(q->cq.context, &q->cq, IBV_EVENT_CQ_ERR, 0);
		return EOVERFLOW;
	}
	if (wake && q->cq.channel)
		sd_event_push(&SD_OF(sd_channel, q->cq.channel)->events, &q->cq, 0, 0);
	return 0;
}

void sd_purge(struct sd_cq *q, const _Atomic uint32_t *tail)
{
	uint32_t i, to;

	pthread_spin_lock(&q->lock);
	for (i = to = q->head; i != q->tail; i++) {
		const struct sd_cqe *e = &q->ring[i & (q->room - 1)];

		if (e->tail == tail)
			continue;
		if (q->batches && q->batches->stamps)
			q->batches->stamps[to & (q->room - 1)] = q->batches->stamps[i & (q->room - 1)];
		q->ring[to++ & (q->room - 1)] = *e;
	}
	q->tail = to;
	pthread_spin_unlock(&q->lock);
}

int softdev_complete(struct softdev *d, struct ibv_cq *cq, const struct ibv_wc *wc, int solicited)
{
	struct sd_cq *q;
	int r;

	pthread_mutex_lock(&d->lock);
	q = sd_find(d, SD_CQ, cq);
	r = q ? sd_push(q, wc, NULL, 0, solicited) : EINVAL;
	pthread_mutex_unlock(&d->lock);
	return r;
}
