/* Macros cast to a signed type: negative values. */
#include <stdint.h>

#define CAST_MIN ((int64_t)UINT64_C(0x8000000000000000))
#define CAST_MINUS_ONE ((int64_t)(-1))
