//go:build linux && cgo

#define _GNU_SOURCE
#include "loader_open.h"

#ifdef IBVGO_GLIBC

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

int ibvgo_same_file(const char *a, const char *b)
{
	struct stat s, t;

	return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

const char *ibvgo_file_of(void *h)
{
	struct link_map *map = NULL;

	return dlinfo(h, RTLD_DI_LINKMAP, &map) || !map ? "" : map->l_name;
}

int ibvgo_defines(void *h, ibvgo_fn_t fn)
{
	struct link_map *map = NULL, *of = NULL;
	Dl_info info;

	return !dlinfo(h, RTLD_DI_LINKMAP, &map) && dladdr1((void *)fn, &info, (void **)&of, RTLD_DL_LINKMAP) && map == of;
}

static int other_copy(const char *path, void *h, struct ibvgo_failure *f)
{
	return ibvgo_fail(f, IBVGO_OTHER_COPY, path, "something else in this process has loaded %s", ibvgo_file_of(h));
}

// concerns tells whether the dynamic linker's words are about path.
static int concerns(const char *text, const char *path)
{
	size_t n = strlen(path);

	return !strncmp(text, path, n) && text[n] == ':';
}

// opened lets the dynamic linker load path. It is local: nothing else in the process is meant to be bound to it by accident. If f
// has the reason for a file that is not usable, and there was no other, that stays.
static void *opened(const char *path, struct ibvgo_failure *f)
{
	void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *text = h ? NULL : dlerror();
	int named, missing;

	if (h)
		return h;
	text = text ? text : "no reason given";
	named = !strchr(path, '/') && concerns(text, path);
	if (f->reason != IBVGO_FINE && (named || concerns(text, f->path)))
		return NULL;
	missing = named && strstr(text, "cannot open shared object file");
	ibvgo_fail(f, missing ? IBVGO_MISSING : IBVGO_UNLOADABLE, path, "%s", text);
	return NULL;
}

// by_name leaves it to the dynamic linker which file is loaded: only that knows ld.so.cache.
static void *by_name(const char *name, struct ibvgo_failure *f)
{
	void *h = ibvgo_present(name);

	if (h || ibvgo_search(name, f))
		return h;
	return opened(name, f);
}

// A library that needs libibverbs is bound to the copy that has this SONAME, and objects of one copy are poison to the other.
void *ibvgo_open(const char *path, struct ibvgo_failure *f)
{
	int named = !strchr(path, '/');
	void *other = ibvgo_present(IBVGO_LIBRARY);
	void *h = NULL;

	f->reason = IBVGO_FINE;
	if (named) {
		h = by_name(path, f);
	} else if (other) {
		// Not opened again: if the file was replaced meanwhile, that would load a second copy.
		if (ibvgo_same_file(path, ibvgo_file_of(other)))
			return other;
		other_copy(path, other, f);
	} else if (!ibvgo_check(path, f)) {
		h = opened(path, f);
	}
	if (h && other && h != other) {
		other_copy(path, other, f);
		dlclose(h);
		h = NULL;
	}
	if (other)
		dlclose(other);
	return h;
}

char *ibvgo_drivers(void)
{
	const char *now = getenv("RDMAV_DRIVERS");

	return now ? strdup(now) : NULL;
}

void ibvgo_set_drivers(const char *drivers)
{
	if (drivers)
		setenv("RDMAV_DRIVERS", drivers, 1);
	else
		unsetenv("RDMAV_DRIVERS");
}

#endif
