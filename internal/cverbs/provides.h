// Whose code a function of an object is.

#ifndef IBVGO_PROVIDES_H
#define IBVGO_PROVIDES_H

#include <stdint.h>

// ibvgo_provides tells whether the function at an address is in a shared library whose file's name begins so: "librxe-". Any thread may call it.
int ibvgo_provides(const char *library, uintptr_t function);

#endif
