/* A 16-bit member that carries flags of a wider enum keeps its width. */
#include <stdint.h>

enum wide_flags {
	WIDE_FLAG_FIRST = 1 << 0,
	WIDE_FLAG_LAST = 1u << 31,
};

struct narrow_flags {
	uint32_t before;
	uint16_t flags;
	uint16_t after;
};
