/* Macros cast to narrow types keep these types. */
#include <stdint.h>

#define NARROW_SHORT ((unsigned short)0xffff)
#define NARROW_FIVE ((uint32_t)5)
