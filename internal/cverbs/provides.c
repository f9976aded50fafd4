//go:build linux && cgo

#define _GNU_SOURCE
#include "provides.h"

#include <dlfcn.h>
#include <string.h>

int ibvgo_provides(const char *library, uintptr_t function)
{
	Dl_info info;
	const char *name;

	if (!function || !dladdr((void *)function, &info) || !info.dli_fname)
		return 0;
	name = strrchr(info.dli_fname, '/');
	name = name ? name + 1 : info.dli_fname;
	return !strncmp(name, library, strlen(library));
}
