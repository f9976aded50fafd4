// Calls that are kept out of an object while somebody wants it for itself, without a locked instruction of theirs.

#ifndef IBVGO_TURNSTILE_H
#define IBVGO_TURNSTILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// So many threads count results by a plain addition, each in its own place; the others share the last one.
#define IBVGO_TURNSTILE_THREADS 15

// A turnstile is an object's. Go has the same struct, in its own memory: C keeps no pointer to it but while a call is within.
struct ibvgo_turnstile {
	_Atomic uint64_t turn; // odd: shut. It goes up each time that the turnstile is shut or opened; written by one at a time
	void *object;          // the object
	uint64_t fenced;       // callers have to be fenced, since the kernel has no fence for those who shut
	_Atomic uint64_t counts[IBVGO_TURNSTILE_THREADS + 1];
};

// A thread's place. Where the thread is it writes itself, and those who shut turnstiles read; the rest changes under a mutex.
struct ibvgo_thread {
	struct ibvgo_turnstile *_Atomic in; // the turnstile that the thread is in
	struct ibvgo_thread *next;
	unsigned number;
	int taken; // the thread lives
};

// A shared library takes it from the room that the dynamic linker keeps for such, as Go's own does; otherwise each use would be a call.
extern __thread struct ibvgo_thread *ibvgo_this_thread __attribute__((tls_model("initial-exec")));

// ibvgo_turnstile_enter_slowly is ibvgo_turnstile_enter() of a thread that has no place yet, which it is given until it ends, or of callers that are to be
// fenced. It returns 0 as well if there is no place.
int __attribute__((cold)) ibvgo_turnstile_enter_slowly(struct ibvgo_turnstile *g, uint64_t turn);

// ibvgo_turnstile_busy tells whether a call is within that came before the turnstile was shut. Who asks has had all processors run a fence since, unless
// callers are fenced.
int ibvgo_turnstile_busy(const struct ibvgo_turnstile *g);

// ibvgo_turnstile_enter begins a call if the turnstile is open, and has been since turn, and reports whether. A thread is in one turnstile at a time.
//
// The thread writes where it is, and then looks at turn. Who shuts writes turn, and then looks where threads are. Neither is to read before its
// write is visible: then at least one of them sees the other.
static inline int ibvgo_turnstile_enter(struct ibvgo_turnstile *g, uint64_t turn)
{
	struct ibvgo_thread *t = ibvgo_this_thread;

	if (__builtin_expect(!t || g->fenced, 0))
		return ibvgo_turnstile_enter_slowly(g, turn);
	atomic_store_explicit(&t->in, g, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst); // for the compiler; for the processor there is membarrier(2) on the other side
	if (__builtin_expect(atomic_load(&g->turn) == turn, 1))
		return 1;
	atomic_store_explicit(&t->in, NULL, memory_order_release);
	return 0;
}

// ibvgo_turnstile_leave ends the call, and counts n before that. It looks for the thread again, so that nothing has to be kept during the call.
static inline void ibvgo_turnstile_leave(struct ibvgo_turnstile *g, uint32_t n)
{
	struct ibvgo_thread *t = ibvgo_this_thread;
	unsigned number = t->number;

	if (n && number < IBVGO_TURNSTILE_THREADS) {
		uint64_t count = atomic_load_explicit(&g->counts[number], memory_order_relaxed);

		atomic_store_explicit(&g->counts[number], count + n, memory_order_release);
	} else if (n) {
		atomic_fetch_add_explicit(&g->counts[IBVGO_TURNSTILE_THREADS], n, memory_order_release);
	}
	atomic_store_explicit(&t->in, NULL, memory_order_release);
}

#endif
