// A million objects are there at once, then ten million others come and go: lookups stay as fast as before, and memory is not used
// up. With chains or dead entries that grow, this would take hours.

#include "demand.h"
#include "registry.h"
#include "table_generated.h"
#include <malloc.h>
#include <stdint.h>
#include <unistd.h>

#define MANY 1000000

static char place[MANY]; // addresses side by side

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

int main(void)
{
	ibvgo_fn_t *ops = calloc(ibvgo_nsymbols, sizeof *ops);
	size_t most;
	uintptr_t i;
	int owned;

	demand(ops != NULL, "memory");
	alarm(240);
	for (i = 0; i < MANY; i++)
		demand(!ibvgo_register(&place[i], ops), "register");
	for (i = 0; i < MANY; i++)
		demand(!ibvgo_lookup(&place[i], 0, &owned) && owned, "lookup");
	for (i = 0; i < MANY; i++)
		demand(!ibvgo_unregister(&place[i]), "unregister");
	most = 2 * in_use(); // there may be two tables of each size
	for (i = 1; i <= 10 * MANY; i++) {
		demand(!ibvgo_register((void *)(i * 64), ops), "register");
		demand(!ibvgo_unregister((void *)(i * 64)), "unregister");
		demand(!ibvgo_lookup(place, 0, &owned) && !owned, "lookup of an object that is gone");
	}
	demand(in_use() <= most && most < 400 * (size_t)MANY, "memory grows");
	free(ops);
	puts("done");
	return 0;
}
