// What a poller is made of. poller.c, sleep.c and command.c only.

#ifndef IBVGO_POLLER_IMPL_H
#define IBVGO_POLLER_IMPL_H

#include "poller.h"
#include "ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// RUNNING is polled. The thread makes it something else, and ibvgo_poller_news RUNNING again.
enum state { RUNNING, FAILED, OVER };

// A completion queue. The thread only, but for what is said to be otherwise.
struct source {
	struct source *next; // written under the lock
	uint64_t id;
	void *cq;
	uint32_t unacked; // events that were taken and not acknowledged
	atomic_int state;   // an enum state; see there
	atomic_int overran; // anybody's: the queue has lost a completion
	// Under the lock.
	uint64_t leaving; // the command that removes it; 0: none
	int left;         // the thread knows nothing of it any more
	int32_t kind, value; // what is to be told, if it is not RUNNING
	uint64_t at;         // behind which entry of the ring
};

struct ibvgo_poller {
	struct ibvgo_poller_config c;
	pthread_t thread;
	int command_fd; // an eventfd, to which is written after a command
	// The thread only.
	struct source *sources; // others read it under the lock, under which it is written
	struct source *turn;    // the queue that comes first, since there was no room for it the last time; NULL: any
	struct ibvgo_wc *spill; // what removed queues held, and there was no room for; NULL if there is nothing
	uint64_t spilled, poured; // how many they are, and how many of them are in the ring by now
	int full, sleepless;    // the ring was full when it was looked at last; taking events has failed
	// Counters, which the thread writes; but for wakes, which anybody does.
	_Atomic uint64_t stalls, fulls, sleeps, wakes;
	// Commands so far: the thread looks whether there is one each time around.
	_Alignas(IBVGO_RING_LINE) _Atomic uint64_t commands;
	pthread_mutex_t lock; // held for moments; the following
	pthread_cond_t done;
	uint64_t served; // commands that the thread has done
	struct source *coming;
	int stopping;
	int32_t broken; // what taking an event has returned, until it is told
	uint64_t broken_at;
};

// Only the thread adds to a counter, so that this needs no locked instruction.
static inline void count(_Atomic uint64_t *counter)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

// poller.c. sweep polls each queue once, and returns how many completions have come, or -1 if there was no room. fail leaves a queue alone until kind and value are
// told. wake wakes the consumer. The thread only, but for wake.
int sweep(struct ibvgo_poller *p);
void fail(struct ibvgo_poller *p, struct source *s, enum state state, int32_t kind, int32_t value);
void wake(struct ibvgo_poller *p);

// spill.c. spill keeps what a queue holds that is to be let go. pour puts what is kept into the ring, as far as there is room, and returns how many those
// were. The thread only.
void spill(struct ibvgo_poller *p, const struct source *s);
int pour(struct ibvgo_poller *p);

// sleep.c. rest waits for an event, a command, or for room in the ring. acknowledge does so for a queue. The thread only.
void rest(struct ibvgo_poller *p, uint64_t served);
void acknowledge(struct ibvgo_poller *p, struct source *s);

// command.c. command counts a command, which was noted before, and returns its number; the caller holds the lock. serve, of the thread's only, does the
// commands there are, and returns how many there have been; *stop tells whether to end.
uint64_t command(struct ibvgo_poller *p);
uint64_t serve(struct ibvgo_poller *p, int *stop);

#endif
