// Many threads load the library at once, look up objects, and register and unregister their own. Run under a sanitizer.
// The argument is a library that has ibv_get_device_list and not ibv_alloc_pd.

#include "demand.h"
#include "loader.h"
#include "registry.h"
#include "table_generated.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 5000

static int present = -1, absent = -1; // indices
static ibvgo_fn_t *all, *none;        // operations: mark for each verb; none
static char permanent, unknown;
static pthread_barrier_t start;

static void mark(void)
{
}

// check_permanent looks up the object that stays and one that never is there.
static void check_permanent(int i)
{
	int owned;

	demand(ibvgo_owner(&permanent, i % ibvgo_nsymbols, &owned) == mark && owned, "permanent object");
	demand(!ibvgo_owner(&unknown, i % ibvgo_nsymbols, &owned) && !owned, "unknown object");
	demand(!ibvgo_owner(NULL, 0, &owned) && !owned, "NULL");
	demand(!ibvgo_owner(&permanent, ibvgo_nsymbols, &owned) && owned, "index too large");
	demand(!ibvgo_owner(&permanent, -1, &owned) && owned, "negative index");
}

static void check_own(char *own)
{
	int owned, why = 0;

	demand(!ibvgo_register(own, none), "register");
	demand(ibvgo_register(own, all) == EEXIST, "register twice");
	demand(!ibvgo_owner(own, present, &owned) && owned, "own object without operations");
	demand(!ibvgo_pick(own, present, &why) && why == IBVGO_NO_OPERATION, "gap");
	demand(!ibvgo_unregister(own), "unregister");
	demand(ibvgo_unregister(own) == ENOENT, "unregister twice");
	demand(ibvgo_pick(own, present, &why) == ibvgo_fn(present), "library's function for an object without provider");
	demand(!ibvgo_pick(own, absent, &why) && why == IBVGO_NO_SYMBOL, "absent function");
}

static void *work(void *arg)
{
	int i;

	pthread_barrier_wait(&start);
	errno = 77;
	demand(ibvgo_fn(present) != NULL, "present function");
	demand(ibvgo_fn(absent) == NULL && ibvgo_why() == IBVGO_NO_SYMBOL, "absent function");
	demand(!ibvgo_fn(-1) && !ibvgo_fn(ibvgo_nsymbols), "index out of range");
	for (i = 0; i < ROUNDS; i++) {
		check_permanent(i);
		if (i % 8 == 0)
			check_own(arg);
	}
	demand(errno == 77, "errno is not as it was");
	return NULL;
}

// late waits until the library is loaded and uses it without having held the loader's lock.
static void *late(void *arg)
{
	while (ibvgo_why() == IBVGO_NO_LIBRARY)
		sched_yield();
	demand(ibvgo_fn(present) != NULL && !ibvgo_fn(absent), "late reader");
	return arg;
}

int main(int argc, char **argv)
{
	static struct ibvgo_failure f;
	static char own[THREADS];
	pthread_t t[THREADS], reader;
	int i, owned;

	demand(argc == 2, "usage: stress LIBRARY");
	alarm(120); // a deadlock ends here
	all = calloc(ibvgo_nsymbols, sizeof *all);
	none = calloc(ibvgo_nsymbols, sizeof *none);
	demand(all && none, "memory");
	for (i = 0; i < ibvgo_nsymbols; i++) {
		const char *name = ibvgo_symbols[i].name ? ibvgo_symbols[i].name : "";

		all[i] = mark;
		present = strcmp(name, "ibv_get_device_list") ? present : i;
		absent = strcmp(name, "ibv_alloc_pd") ? absent : i;
	}
	demand(present >= 0 && absent >= 0, "table");

	errno = 77;
	demand(!ibvgo_owner(&permanent, 0, &owned) && !owned, "empty registry");
	demand(!ibvgo_choose("/absent", "", &f) && ibvgo_load(&f) == -1 && f.reason == IBVGO_MISSING, "absent library");
	demand(!ibvgo_fn(present) && ibvgo_why() == IBVGO_NO_LIBRARY, "function without library");
	demand(!ibvgo_choose(argv[1], "", &f) && !ibvgo_register(&permanent, all), "set-up");
	demand(errno == 77, "errno is not as it was");

	pthread_barrier_init(&start, NULL, THREADS);
	demand(!pthread_create(&reader, NULL, late, NULL), "thread");
	for (i = 0; i < THREADS; i++)
		demand(!pthread_create(&t[i], NULL, work, &own[i]), "thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_join(reader, NULL);
	demand(!ibvgo_unregister(&permanent) && !atomic_load(&ibvgo_live), "not empty at the end");
	free(all);
	free(none);
	puts("done");
	return 0;
}
