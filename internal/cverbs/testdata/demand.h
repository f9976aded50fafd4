// What the test programs have in common.

#include <stdio.h>
#include <stdlib.h>

static inline void demand(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}
