//go:build linux && cgo

#include "core.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The descriptor counts the events of the list. An event is in the list before it is counted, so that a descriptor that can be read
// has an event behind it, but for one that is just being taken. It is counted without the list's lock, and takers need no other: who was
// woken by the count would run into it at once.

int sd_events_init(struct sd_events *q)
{
	q->first = NULL;
	q->last = &q->first;
	q->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	if (q->fd < 0)
		return errno;
	pthread_mutex_init(&q->lock, NULL);
	return 0;
}

// uncount takes one from the descriptor's count, which is not 0, or is about to be: who has put the event into the list counts it next. The
// program may have set the descriptor not to block.
static void uncount(struct sd_events *q)
{
	int saved = errno;
	uint64_t one;

	while (read(q->fd, &one, sizeof one) < 0 && (errno == EINTR || errno == EAGAIN))
		sched_yield();
	errno = saved;
}

void sd_events_free(struct sd_events *q)
{
	struct sd_event *e;

	while ((e = q->first)) {
		q->first = e->next;
		free(e);
	}
	q->last = &q->first;
	pthread_mutex_destroy(&q->lock);
	close(q->fd);
}

void sd_event_push(struct sd_events *q, void *object, int type, int port)
{
	struct sd_event *e = malloc(sizeof *e);
	int saved = errno;
	uint64_t one = 1;

	if (e) {
		*e = (struct sd_event){.object = object, .type = type, .port = port};
		pthread_mutex_lock(&q->lock);
		*q->last = e;
		q->last = &e->next;
		pthread_mutex_unlock(&q->lock);
		while (write(q->fd, &one, sizeof one) < 0 && errno == EINTR)
			;
	}
	errno = saved;
}

void sd_event_forget(struct sd_events *q, const void *object)
{
	struct sd_event **at = &q->first, *e;

	pthread_mutex_lock(&q->lock);
	while ((e = *at)) {
		if (e->object != object) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		free(e);
		uncount(q);
	}
	q->last = at;
	pthread_mutex_unlock(&q->lock);
}

// take takes the first event if there is one.
static int take(struct sd_events *q, struct sd_event *taken)
{
	struct sd_event *e = q->first;

	if (!e)
		return 0;
	*taken = *e;
	q->first = e->next;
	if (!q->first)
		q->last = &q->first;
	free(e);
	uncount(q);
	return 1;
}

int sd_event_take(struct sd_events *q, struct sd_event *taken)
{
	struct pollfd p = {.fd = q->fd, .events = POLLIN};

	for (;;) {
		pthread_mutex_lock(&q->lock);
		if (take(q, taken))
			return 0;
		pthread_mutex_unlock(&q->lock);
		// As with the kernel's descriptors, O_NONBLOCK is how a program asks not to wait: see ibv_get_cq_event(3).
		if (fcntl(q->fd, F_GETFL) & O_NONBLOCK) {
			errno = EAGAIN;
			return -1;
		}
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return -1;
	}
}

void sd_async(struct ibv_context *c, void *object, int type, int port)
{
	sd_event_push(&sd_context(c)->async, object, type, port);
}
