//go:build linux && cgo

#define _GNU_SOURCE
#include "loader_open.h"

#ifdef IBVGO_GLIBC

#include <dlfcn.h>
#include <stdio.h>

// folders returns the list of where the dynamic linker looks for what the program opens, for the caller to free, or NULL.
static Dl_serinfo *folders(void)
{
	void *program = dlopen(NULL, RTLD_NOW);
	Dl_serinfo size, *r = NULL;

	if (program && !dlinfo(program, RTLD_DI_SERINFOSIZE, &size))
		r = calloc(1, size.dls_size);
	if (r && (dlinfo(program, RTLD_DI_SERINFOSIZE, r) || dlinfo(program, RTLD_DI_SERINFO, r))) {
		free(r);
		r = NULL;
	}
	if (program)
		dlclose(program);
	return r;
}

// passed_over tells whether the dynamic linker goes on to the next folder.
static int passed_over(const struct ibvgo_failure *f)
{
	return f->reason == IBVGO_MISSING || f->reason == IBVGO_ARCHITECTURE || f->reason == IBVGO_UNREADABLE;
}

int ibvgo_search(const char *name, struct ibvgo_failure *f)
{
	Dl_serinfo *list = folders();
	struct ibvgo_failure now;
	char path[sizeof now.path];
	unsigned i;
	int r = 0;

	for (i = 0; list && i < list->dls_cnt; i++) {
		snprintf(path, sizeof path, "%s/%s", list->dls_serpath[i].dls_name, name);
		r = ibvgo_check(path, &now);
		if (!r)
			break;
		if (now.reason != IBVGO_MISSING && f->reason == IBVGO_FINE)
			*f = now;
		if (!passed_over(&now)) {
			*f = now;
			break;
		}
		r = 0;
	}
	free(list);
	return r;
}

#endif
