/* packed and aligned(8) together: no padding inside, the whole rounded up. */
#include <stdint.h>

struct __attribute__((packed, aligned(8))) packed_aligned8 {
	uint64_t key;
	uint32_t low;
	uint32_t high;
	uint32_t extra;
	uint64_t tail;
};
