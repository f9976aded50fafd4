//go:build linux && cgo

#define _GNU_SOURCE
#include "loader_open.h"

#ifdef IBVGO_GLIBC

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct wanted {
	const char *name;
	char file[4096];
};

// soname returns the name that an object gives itself, or NULL.
static const char *soname(const struct dl_phdr_info *o)
{
	const ElfW(Dyn) *d = NULL;
	ElfW(Addr) strings = 0;
	size_t at = 0;
	int i;

	for (i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB)
			strings = d->d_un.d_ptr;
		else if (d->d_tag == DT_SONAME)
			at = d->d_un.d_val;
	}
	// The dynamic linker makes this an address, but not where it may not write.
	if (strings < o->dlpi_addr)
		strings += o->dlpi_addr;
	return strings && at ? (const char *)strings + at : NULL;
}

static int is_wanted(struct dl_phdr_info *o, size_t size, void *arg)
{
	struct wanted *w = arg;
	const char *base = strrchr(o->dlpi_name, '/'), *name;

	(void)size;
	if (!base) // the program, or the kernel's
		return 0;
	name = soname(o);
	if (strcmp(name ? name : base + 1, w->name))
		return 0;
	snprintf(w->file, sizeof w->file, "%s", o->dlpi_name);
	return 1;
}

// Not by dlopen(name, RTLD_NOLOAD): that opens each file of the name to see whether it is loaded, and waits if one is a FIFO.
void *ibvgo_present(const char *name)
{
	struct wanted w = {.name = name};
	void *h;

	if (!dl_iterate_phdr(is_wanted, &w))
		return NULL;
	h = dlopen(w.file, RTLD_NOW | RTLD_NOLOAD);
	if (!h)
		dlerror();
	return h;
}

static int has_interpreter(struct dl_phdr_info *program, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	for (i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_INTERP)
			return 1;
	return -1; // the first is the program: no need to look at others
}

int ibvgo_static(void)
{
	return dl_iterate_phdr(has_interpreter, NULL) < 0;
}

#endif
