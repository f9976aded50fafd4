//go:build linux && cgo

#define _GNU_SOURCE
#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct ibvtest_record ibvtest_record;

// note is what all slots do.
static uint64_t note(int slot, const uint64_t *args)
{
	struct ibvtest_record *r = &ibvtest_record;
	int i;
	size_t k;

	if (r->calls < IBVTEST_CALLS) {
		r->log[r->calls].slot = slot;
		memcpy(r->log[r->calls].args, args, sizeof r->log[0].args);
	}
	for (i = 0; r->calls == 0 && i < IBVTEST_ARGS; i++) {
		unsigned char *p = (unsigned char *)(uintptr_t)args[i];

		if (!r->look[i] || !p)
			continue;
		memcpy(r->seen[i], p, r->look[i]);
		for (k = 0; r->flip[i] && k < r->look[i]; k++)
			p[k] ^= 0xff;
	}
	r->calls++;
	if (r->err)
		errno = r->err;
	return r->result;
}

// Slots 00000 to 01777, by their octal digits. A caller that passes fewer arguments leaves the other registers as they are.
#define SLOT(a, b, c, d) \
	static uint64_t slot##a##b##c##d(uint64_t r0, uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5) \
	{ \
		return note(0##a##b##c##d, (const uint64_t[IBVTEST_ARGS]){r0, r1, r2, r3, r4, r5}); \
	}
#define NAME(a, b, c, d) (void *)slot##a##b##c##d,
#define EACH1(f, a, b, c) f(a, b, c, 0) f(a, b, c, 1) f(a, b, c, 2) f(a, b, c, 3) f(a, b, c, 4) f(a, b, c, 5) f(a, b, c, 6) f(a, b, c, 7)
#define EACH2(f, a, b) EACH1(f, a, b, 0) EACH1(f, a, b, 1) EACH1(f, a, b, 2) EACH1(f, a, b, 3) EACH1(f, a, b, 4) EACH1(f, a, b, 5) EACH1(f, a, b, 6) EACH1(f, a, b, 7)
#define EACH3(f, a) EACH2(f, a, 0) EACH2(f, a, 1) EACH2(f, a, 2) EACH2(f, a, 3) EACH2(f, a, 4) EACH2(f, a, 5) EACH2(f, a, 6) EACH2(f, a, 7)

EACH3(SLOT, 0)
EACH3(SLOT, 1)

static void *const slots[IBVTEST_SLOTS] = {EACH3(NAME, 0) EACH3(NAME, 1)};

void *ibvtest_slot(int i)
{
	return i >= 0 && i < IBVTEST_SLOTS ? slots[i] : NULL;
}

const char *ibvtest_hook(const char *path, int first, int n)
{
	void *h = dlopen(path, RTLD_NOW);
	void **to = h ? dlsym(h, "ibvtest_slots") : NULL;
	int i;

	if (!to)
		return dlerror();
	for (i = 0; i < n; i++)
		to[i] = ibvtest_slot(first + i);
	return NULL;
}
