// Whose code a function of an object is.

#ifndef IBVGO_FILEOF_H
#define IBVGO_FILEOF_H

#include <stdint.h>

// ibvgo_code_file is the file that the code at an address was loaded from, NULL if there is none. The name is valid as long as that is
// loaded. Any thread may call it.
const char *ibvgo_code_file(uintptr_t function);

#endif
