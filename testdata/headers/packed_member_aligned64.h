/* In a packed struct, aligned on one member moves that member and aligns the whole. */
#include <stdint.h>

struct packed_cacheline {
	uint16_t first;
	uint16_t second;
	uint32_t third;
	uint32_t fourth;
	uint32_t fifth;
	uint32_t line __attribute__((aligned(64)));
} __attribute__((packed));
