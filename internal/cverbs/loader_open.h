// The loader's dealings with the dynamic linker. Only loader.c calls these, and holds its lock; they may change errno.

#ifndef IBVGO_LOADER_OPEN_H
#define IBVGO_LOADER_OPEN_H

#include "loader.h"

// ibvgo_open loads path and makes sure that the process has no other copy. It returns a handle to dlclose, or NULL and fills f.
void *ibvgo_open(const char *path, struct ibvgo_failure *f);

// ibvgo_drivers returns RDMAV_DRIVERS, for the caller to free, or NULL.
char *ibvgo_drivers(void);

// ibvgo_set_drivers stores RDMAV_DRIVERS, for the library to read, or removes it. Like any setenv, this is no good beside a thread
// of C code that reads the environment.
void ibvgo_set_drivers(const char *drivers);

// ibvgo_present returns a handle, to dlclose, of what is loaded and has name as its SONAME or, if it has none, as its file's name:
// by us or by something else, such as librdmacm. It is NULL if nothing is. It opens no file.
void *ibvgo_present(const char *name);

// ibvgo_search checks the file that the dynamic linker is going to find for a name without a slash. It returns -1 and fills f if
// that must not be loaded. Else it returns 0, and fills f if there is one that the dynamic linker passes over, for the case that it
// finds no other. Files that only ld.so.cache leads to, and those that libraries need, are not seen.
int ibvgo_search(const char *name, struct ibvgo_failure *f);

// ibvgo_static tells whether this program is linked statically.
int ibvgo_static(void);

// ibvgo_defines tells whether a function is of h itself, not of a library that h needs.
int ibvgo_defines(void *h, ibvgo_fn_t fn);

// ibvgo_file_of returns the path that the dynamic linker has for h. It lives as long as h.
const char *ibvgo_file_of(void *h);

// ibvgo_same_file tells whether both paths lead to one file.
int ibvgo_same_file(const char *a, const char *b);

#endif
