//go:build linux && cgo

#define _GNU_SOURCE
#include "loader.h"

#ifdef IBVGO_GLIBC

#include "loader_open.h"
#include "table_generated.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// lib is the one library of this process. Its members belong to lock, which is held while the dynamic linker works: the second
// of two threads that start at the same time waits for the first. What is loaded stays until the process ends.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	char *path;    // as chosen; NULL for IBVGO_LIBRARY
	char *drivers; // for RDMAV_DRIVERS; NULL to leave it alone
	void *handle;
	char *file; // what was loaded
	int failed; // why tells how; nothing is loaded then
	struct ibvgo_failure why;
} lib;

// table has the address of each symbol of ibvgo_symbols, NULL for one that the library lacks. It is filled before it is stored
// here and never changed, so a reader that loads the pointer with acquire may read the entries plainly, without lock.
static _Atomic(ibvgo_fn_t *) table;

// find fills a new table from h. It returns NULL if there is no memory, and counts the functions that are of h itself: dlvsym also
// finds those of the libraries that h needs.
static ibvgo_fn_t *find(void *h, int *found)
{
	ibvgo_fn_t *t = calloc(ibvgo_nsymbols + 1, sizeof *t);
	int i;

	*found = 0;
	for (i = 0; t && i < ibvgo_nsymbols; i++) {
		const struct ibvgo_symbol *s = &ibvgo_symbols[i];

		// What has no public version is not for us: it may change with every release.
		if (!s->name || !s->version || !*s->version)
			continue;
		t[i] = (ibvgo_fn_t)dlvsym(h, s->name, s->version);
		*found += t[i] && ibvgo_defines(h, t[i]);
	}
	dlerror();
	return t;
}

// load_file fills lib and table. The caller holds lock.
static int load_file(struct ibvgo_failure *f)
{
	const char *path = lib.path ? lib.path : IBVGO_LIBRARY;
	void *h = NULL;
	ibvgo_fn_t *t = NULL;
	char *file = NULL;
	int found = 0;

	if (ibvgo_static())
		return ibvgo_fail(f, IBVGO_STATIC, path, "this program is linked statically");
	h = ibvgo_open(path, f);
	if (!h)
		return -1;
	t = find(h, &found);
	file = t ? strdup(ibvgo_file_of(h)) : NULL;
	if (!file || !found) {
		ibvgo_fail(f, file ? IBVGO_NOT_VERBS : IBVGO_NO_MEMORY, path, file ? "it has none of the verbs" : "out of memory");
		free(file);
		free(t);
		dlclose(h);
		return -1;
	}
	lib.handle = h;
	lib.file = file;
	// Release: who sees the pointer sees the entries.
	atomic_store_explicit(&table, t, memory_order_release);
	return 0;
}

// load is load_file with the chosen drivers in the environment, which is put back if it fails. The caller holds lock.
static int load(struct ibvgo_failure *f)
{
	char *old;
	int r;

	if (!lib.drivers)
		return load_file(f);
	old = ibvgo_drivers();
	ibvgo_set_drivers(lib.drivers);
	r = load_file(f);
	if (r)
		ibvgo_set_drivers(old);
	free(old);
	return r;
}

int ibvgo_load(struct ibvgo_failure *f)
{
	int saved = errno;
	int failed;

	if (atomic_load_explicit(&table, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&lock);
	if (!lib.handle && !lib.failed)
		lib.failed = load(&lib.why) != 0;
	failed = lib.failed;
	if (failed && f)
		*f = lib.why;
	pthread_mutex_unlock(&lock);
	errno = saved;
	return failed ? -1 : 0;
}

ibvgo_fn_t ibvgo_fn(int index)
{
	ibvgo_fn_t *t = atomic_load_explicit(&table, memory_order_acquire);

	if (!t && !ibvgo_load(NULL))
		t = atomic_load_explicit(&table, memory_order_acquire);
	return t && index >= 0 && index < ibvgo_nsymbols ? t[index] : NULL;
}

int ibvgo_why(void)
{
	return atomic_load_explicit(&table, memory_order_acquire) ? IBVGO_NO_SYMBOL : IBVGO_NO_LIBRARY;
}

int ibvgo_loaded(char *path, size_t room)
{
	int ok;

	pthread_mutex_lock(&lock);
	ok = lib.handle != NULL;
	if (ok && room) {
		strncpy(path, lib.file, room - 1);
		path[room - 1] = 0;
	}
	pthread_mutex_unlock(&lock);
	return ok;
}

// is_loaded tells whether path stands for the library in use. The caller holds lock.
static int is_loaded(const char *path)
{
	void *h;

	if (lib.path && !strcmp(path, lib.path))
		return 1;
	if (strchr(path, '/'))
		return ibvgo_same_file(path, lib.file);
	h = ibvgo_present(path);
	if (h)
		dlclose(h);
	return h == lib.handle;
}

// drivers_agree tells whether a second choice wants no other providers than the first. The caller holds lock.
static int drivers_agree(const char *drivers)
{
	return !*drivers || (lib.drivers && !strcmp(drivers, lib.drivers));
}

// choose is ibvgo_choose; the caller holds lock.
static int choose(const char *path, const char *drivers, struct ibvgo_failure *f)
{
	char *p, *d;

	if (lib.handle) {
		if (!is_loaded(path))
			return ibvgo_fail(f, IBVGO_LOADED, lib.file, "it is in use since the first call");
		if (!drivers_agree(drivers))
			return ibvgo_fail(f, IBVGO_LOADED, lib.file, "it is in use since the first call, with other providers");
		return 0;
	}
	if (lib.path && !lib.failed) {
		if (strcmp(path, lib.path) && !(strchr(path, '/') && strchr(lib.path, '/') && ibvgo_same_file(path, lib.path)))
			return ibvgo_fail(f, IBVGO_CHOSEN, lib.path, "it was chosen before");
		if (!drivers_agree(drivers))
			return ibvgo_fail(f, IBVGO_CHOSEN, lib.path, "it was chosen before, with other providers");
		return 0;
	}
	p = strdup(path);
	d = *drivers ? strdup(drivers) : NULL;
	if (!p || (*drivers && !d)) {
		free(p);
		free(d);
		return ibvgo_fail(f, IBVGO_NO_MEMORY, path, "out of memory");
	}
	free(lib.path);
	free(lib.drivers);
	lib.path = p;
	lib.drivers = d;
	lib.failed = 0;
	return 0;
}

int ibvgo_choose(const char *path, const char *drivers, struct ibvgo_failure *f)
{
	int saved = errno;
	int r;

	pthread_mutex_lock(&lock);
	r = choose(path, drivers, f);
	pthread_mutex_unlock(&lock);
	errno = saved;
	return r;
}

#endif
