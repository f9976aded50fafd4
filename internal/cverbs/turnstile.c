//go:build linux && cgo

#include "turnstile.h"

#include <pthread.h>
#include <stdlib.h>

// Go has the same struct.
_Static_assert(sizeof(struct ibvgo_turnstile) == 152 && offsetof(struct ibvgo_turnstile, counts) == 24, "struct ibvgo_turnstile");
_Static_assert(offsetof(struct ibvgo_turnstile, object) == 8 && offsetof(struct ibvgo_turnstile, fenced) == 16, "struct ibvgo_turnstile");

__thread struct ibvgo_thread *ibvgo_this_thread __attribute__((tls_model("initial-exec")));

// The places that threads have had, the latest first. They are never freed, so that those who shut turnstiles walk along without a lock. A thread takes
// the place of one that is gone, if there is one. Changes are made under changing.
static struct ibvgo_thread *_Atomic threads;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

// What has a thread notice its end.
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int endless; // there is no key

static void gone(void *thread)
{
	struct ibvgo_thread *t = thread;

	ibvgo_this_thread = NULL; // a later destructor that polls makes it a new thread
	pthread_mutex_lock(&changing);
	t->taken = 0;
	pthread_mutex_unlock(&changing);
}

static void make_key(void)
{
	endless = pthread_key_create(&ending, gone) != 0;
}

// take finds the free place of the lowest number, or makes one. The caller holds changing.
static struct ibvgo_thread *take(void)
{
	struct ibvgo_thread *first = atomic_load_explicit(&threads, memory_order_relaxed), *t, *lowest = NULL;

	for (t = first; t; t = t->next)
		if (!t->taken)
			lowest = t;
	if (lowest || !(lowest = calloc(1, sizeof(*lowest))))
		return lowest;
	lowest->number = first ? first->number + 1 : 0;
	lowest->next = first;
	atomic_store(&threads, lowest); // before the thread says where it is, as seen by those who look
	return lowest;
}

// new_thread gives the thread a place. NULL: there is none.
static struct ibvgo_thread *new_thread(void)
{
	struct ibvgo_thread *t = NULL;

	pthread_once(&once, make_key);
	pthread_mutex_lock(&changing);
	if (!endless && (t = take()) && !pthread_setspecific(ending, t))
		t->taken = 1;
	else
		t = NULL;
	pthread_mutex_unlock(&changing);
	return ibvgo_this_thread = t;
}

int ibvgo_turnstile_enter_slowly(struct ibvgo_turnstile *g, uint64_t turn)
{
	struct ibvgo_thread *t = ibvgo_this_thread;

	if (!t && !(t = new_thread()))
		return 0;
	atomic_store(&t->in, g);
	if (atomic_load(&g->turn) == turn)
		return 1;
	atomic_store_explicit(&t->in, NULL, memory_order_release);
	return 0;
}

int ibvgo_turnstile_busy(const struct ibvgo_turnstile *g)
{
	struct ibvgo_thread *t;

	for (t = atomic_load(&threads); t; t = t->next)
		if (atomic_load(&t->in) == g)
			return 1;
	return 0;
}
