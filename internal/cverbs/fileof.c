//go:build linux && cgo

#define _GNU_SOURCE
#include "fileof.h"

#include <dlfcn.h>
#include <stddef.h>

const char *ibvgo_code_file(uintptr_t function)
{
	Dl_info info;

	return function && dladdr((void *)function, &info) ? info.dli_fname : NULL;
}
