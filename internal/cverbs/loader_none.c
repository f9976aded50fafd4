//go:build linux && cgo

// The loader where there is no glibc: everything compiles, and nothing is ever found.

#include "loader.h"

#ifndef IBVGO_GLIBC

static int none(struct ibvgo_failure *f)
{
	return f ? ibvgo_fail(f, IBVGO_NO_GLIBC, IBVGO_LIBRARY, "this program is built without glibc") : -1;
}

ibvgo_fn_t ibvgo_fn(int index)
{
	(void)index;
	return NULL;
}

int ibvgo_why(void)
{
	return IBVGO_NO_LIBRARY;
}

int ibvgo_choose(const char *path, const char *drivers, struct ibvgo_failure *f)
{
	(void)path;
	(void)drivers;
	return none(f);
}

int ibvgo_load(struct ibvgo_failure *f)
{
	return none(f);
}

int ibvgo_loaded(char *path, size_t room)
{
	(void)path;
	(void)room;
	return 0;
}

#endif
