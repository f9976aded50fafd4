/* A macro that names libc's largest number. */
#include <stdint.h>

#define MACRO_ALL_BITS UINT64_MAX
