// Threads pass a turnstile that another one shuts again and again. Run under a sanitizer, and plainly. The argument is how often it is shut; a second one
// has callers run fences of their own.

#include "demand.h"
#include "turnstile.h"
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLERS 3
#define CROWD   (IBVGO_TURNSTILE_THREADS + 5)

static struct ibvgo_turnstile g;
static _Atomic int within, stop;
static _Atomic uint64_t passed;

static uint64_t counted(void)
{
	uint64_t sum = 0;

	for (int i = 0; i <= IBVGO_TURNSTILE_THREADS; i++)
		sum += atomic_load_explicit(&g.counts[i], memory_order_acquire);
	return sum;
}

static void fence(void)
{
	if (!g.fenced)
		demand(!syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), "membarrier");
}

static void shut(void)
{
	struct timespec pause = {0, 1000};

	atomic_fetch_add(&g.turn, 1);
	fence();
	while (ibvgo_turnstile_busy(&g))
		nanosleep(&pause, NULL);
}

static int pass(uint64_t turn, uint32_t n)
{
	if (!ibvgo_turnstile_enter(&g, turn))
		return 0;
	ibvgo_turnstile_leave(&g, n);
	return 1;
}

static void singly(void)
{
	struct ibvgo_turnstile other = {.turn = 2};

	demand(ibvgo_turnstile_enter(&g, 0) && ibvgo_this_thread && !ibvgo_this_thread->number, "the first thread is number 0");
	demand(ibvgo_turnstile_busy(&g) && !ibvgo_turnstile_busy(&other), "the thread is in one turnstile");
	ibvgo_turnstile_leave(&g, 5);
	demand(!ibvgo_turnstile_busy(&g) && counted() == 5 && g.counts[0] == 5, "left, and counted");
	demand(!pass(1, 1) && !pass(2, 1) && counted() == 5 && !ibvgo_turnstile_busy(&g), "another turn");
	atomic_store(&g.turn, 1);
	demand(!pass(0, 1) && !pass(2, 1) && !ibvgo_turnstile_busy(&g), "shut");
	atomic_store(&g.turn, 2);
	demand(!pass(0, 1) && pass(2, 0) && counted() == 5, "open again");
}

static pthread_barrier_t together;

static void *one_of_many(void *number)
{
	pthread_barrier_wait(&together);
	for (int i = 0; i < 1000; i++)
		demand(pass(2, 2), "nobody shuts it");
	*(unsigned *)number = ibvgo_this_thread->number;
	pthread_barrier_wait(&together); // so that all live at once
	return NULL;
}

// More threads than there are places to count in; and then again as many, which are given the numbers of those before.
static void crowd(void)
{
	pthread_t threads[CROWD];
	unsigned numbers[CROWD], seen = 0;

	for (int round = 0; round < 3; round++) {
		uint64_t before = counted();

		for (int i = 0; i < CROWD; i++)
			demand(!pthread_create(&threads[i], NULL, one_of_many, &numbers[i]), "thread");
		for (int i = 0; i < CROWD; i++)
			pthread_join(threads[i], NULL);
		demand(counted() == before + CROWD * 1000 * 2, "each is counted once");
		seen = 0;
		for (int i = 0; i < CROWD; i++) {
			demand(numbers[i] > 0 && numbers[i] <= CROWD && !(seen & 1u << numbers[i]), "each number is one living thread's");
			seen |= 1u << numbers[i];
		}
	}
}

static uint64_t known_turn(void)
{
	return atomic_load_explicit(&g.turn, memory_order_acquire) & ~UINT64_C(1);
}

static void *call(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		if (!ibvgo_turnstile_enter(&g, known_turn())) {
			sched_yield();
			continue;
		}
		atomic_fetch_add_explicit(&within, 1, memory_order_relaxed);
		atomic_fetch_sub_explicit(&within, 1, memory_order_relaxed);
		ibvgo_turnstile_leave(&g, 3);
		atomic_fetch_add_explicit(&passed, 3, memory_order_relaxed);
	}
	return NULL;
}

// beside_calls shuts the turnstile beside several callers.
static void beside_calls(long rounds)
{
	pthread_t callers[CALLERS];
	uint64_t before = counted();

	for (int i = 0; i < CALLERS; i++)
		demand(!pthread_create(&callers[i], NULL, call, NULL), "thread");
	while (rounds-- > 0 || !atomic_load(&passed)) {
		uint64_t at;

		shut();
		at = counted();
		for (int i = 0; i < 20; i++)
			demand(!atomic_load(&within) && counted() == at, "a call beside whoever has shut it");
		atomic_fetch_add(&g.turn, 1);
		sched_yield();
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	demand(counted() - before == passed, "calls are counted");
	atomic_store(&stop, 0);
}

// A caller without a locked instruction, which would make visible that it is in.
static void *call_quietly(void *unused)
{
	(void)unused;
	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		pass(known_turn(), 1);
	return NULL;
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void at_the_very_moment(time_t seconds)
{
	time_t end = now() + seconds;
	pthread_t caller;

	demand(!pthread_create(&caller, NULL, call_quietly, NULL), "thread");
	while (now() < end) {
		uint64_t at, before = counted();

		shut();
		at = counted();
		for (int i = 0; i < 40; i++)
			demand(counted() == at, "a call that was not seen");
		atomic_fetch_add(&g.turn, 1);
		for (int i = 0; i < 10000 && counted() < before + 20; i++) // so that it is in, mostly
			;
	}
	atomic_store(&stop, 1);
	pthread_join(caller, NULL);
}

// A thread that comes again at its end, when its place is another one's already, is given one of its own.
static pthread_key_t late;
static pthread_t heir;
static unsigned inherited;
static _Atomic int has, done;

static void *inherit(void *unused)
{
	demand(pass(known_turn(), 0), "nobody shuts it");
	inherited = ibvgo_this_thread->number;
	atomic_store(&has, 1);
	while (!atomic_load(&done))
		sched_yield();
	return unused;
}

static void at_the_end(void *again)
{
	static int again_once;

	if (!again_once++) { // the place is given back meanwhile
		pthread_setspecific(late, again);
		return;
	}
	demand(!pthread_create(&heir, NULL, inherit, NULL), "thread");
	while (!atomic_load(&has))
		sched_yield();
	demand(pass(known_turn(), 0) && ibvgo_this_thread->taken && ibvgo_this_thread->number != inherited, "a place of its own");
	atomic_store(&done, 1);
}

static void *ends(void *unused)
{
	demand(pass(known_turn(), 0), "nobody shuts it");
	demand(!pthread_setspecific(late, &g), "key");
	return unused;
}

static void latecomer(void)
{
	pthread_t t;

	demand(!pthread_key_create(&late, at_the_end) && !pthread_create(&t, NULL, ends, NULL), "thread");
	pthread_join(t, NULL);
	pthread_join(heir, NULL);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;

	g.fenced = argc > 2;
	demand(!syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0), "membarrier");
	singly();
	pthread_barrier_init(&together, NULL, CROWD);
	crowd();
	latecomer();
	beside_calls(rounds);
	at_the_very_moment(2);
	puts("done");
	return 0;
}
