// Objects come and go, many at a time, while other threads look up those that stay. Run under a sanitizer, with how many objects
// each thread has at once, and how many times: few of them often have the table made anew in the place of the one before the last.

#include "demand.h"
#include "registry.h"
#include "table_generated.h"
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

#define CHURNERS 3
#define READERS 3
#define STABLE 100

static ibvgo_fn_t *ops[2]; // a provider's for stable objects, and one's for those that go
static atomic_int churning = CHURNERS;
static long at_once, rounds;

static void stays(void)
{
}

static void goes(void)
{
}

// address makes up the i-th address of a kind. They are spread without order, so that many meet in the tables.
static void *address(uint64_t kind, uint64_t i)
{
	uint64_t x = (kind << 40) + i + 1;

	x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (void *)(uintptr_t)((x ^ x >> 30) | 1); // not NULL
}

static void check(const void *object, ibvgo_fn_t want)
{
	int owned;

	demand(ibvgo_owner(object, 0, &owned) == want && owned == (want != NULL), "lookup");
}

static void check_stable(int reader)
{
	int i;

	for (i = 0; i < STABLE; i++) {
		check(address(100, i), stays);
		check(address(200 + reader, i), NULL); // is never there
	}
}

static void *read_all(void *arg)
{
	do
		check_stable(*(int *)arg);
	while (atomic_load_explicit(&churning, memory_order_relaxed));
	return NULL;
}

// churn never has the same object again in a later round, so dead slots pile up.
static void *churn(void *arg)
{
	int kind = *(int *)arg;
	long round, i;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < at_once; i++)
			demand(!ibvgo_register(address(kind, round * at_once + i), ops[1]), "register");
		for (i = 0; i < at_once; i++) {
			void *object = address(kind, round * at_once + (at_once - 1 - i));

			check(object, goes);
			demand(!ibvgo_unregister(object), "unregister");
			check(object, NULL);
		}
	}
	atomic_fetch_sub_explicit(&churning, 1, memory_order_relaxed);
	return NULL;
}

// An object is handed over in a way that makes nothing else visible: who finds it registered sees its operations all the same.
static _Atomic(void *) handed;

static void *hand(void *arg)
{
	int i;

	for (i = 0; i < 2000; i++) {
		ibvgo_fn_t *own = calloc(ibvgo_nsymbols, sizeof *own);
		void *object = address(300, i);

		demand(own != NULL, "memory");
		own[0] = goes;
		demand(!ibvgo_register(object, own), "register");
		atomic_store_explicit(&handed, object, memory_order_relaxed);
		while (atomic_load_explicit(&handed, memory_order_acquire))
			sched_yield();
		demand(!ibvgo_unregister(object), "unregister");
		free(own);
	}
	atomic_store_explicit(&handed, arg, memory_order_relaxed);
	return NULL;
}

static void *take(void *arg)
{
	void *object;
	int owned;

	while ((object = atomic_load_explicit(&handed, memory_order_relaxed)) != arg) {
		ibvgo_fn_t fn = object ? ibvgo_owner(object, 0, &owned) : NULL;

		demand(!fn || fn == goes, "operation of an object that was handed over");
		if (fn)
			atomic_store_explicit(&handed, NULL, memory_order_release);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static int number[] = {0, 1, 2, 3, 4, 5, 6, 7}, end;
	pthread_t t[CHURNERS + READERS + 2];
	int i, n = 0;

	demand(argc == 3 && (at_once = atol(argv[1])) > 0 && (rounds = atol(argv[2])) > 0, "usage: registry OBJECTS ROUNDS");
	alarm(240); // a deadlock ends here
	for (i = 0; i < 2; i++)
		demand((ops[i] = calloc(ibvgo_nsymbols, sizeof *ops[i])) != NULL, "memory");
	ops[0][0] = stays;
	ops[1][0] = goes;
	for (i = 0; i < STABLE; i++)
		demand(!ibvgo_register(address(100, i), ops[0]), "register");
	for (i = 0; i < READERS; i++)
		demand(!pthread_create(&t[n++], NULL, read_all, &number[i]), "thread");
	for (i = 0; i < CHURNERS; i++)
		demand(!pthread_create(&t[n++], NULL, churn, &number[i]), "thread");
	demand(!pthread_create(&t[n++], NULL, hand, &end), "thread");
	demand(!pthread_create(&t[n++], NULL, take, &end), "thread");
	while (n)
		pthread_join(t[--n], NULL);
	check_stable(0);
	for (i = 0; i < STABLE; i++)
		demand(!ibvgo_unregister(address(100, i)), "unregister");
	demand(!atomic_load(&ibvgo_live), "not empty at the end");
	free(ops[0]);
	free(ops[1]);
	puts("done");
	return 0;
}
