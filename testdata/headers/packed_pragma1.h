/* #pragma pack(1): 8-byte members at offsets that are multiples of four. */
#include <stdint.h>

#pragma pack(push, 1)
struct pragma1 {
	uint64_t a;
	uint32_t b;
	uint64_t c;
	uint64_t d;
	uint64_t e;
	uint32_t f;
};
#pragma pack(pop)
