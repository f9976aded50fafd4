/* packed and aligned(4) in two attributes: a short at an odd offset of an aligned struct. */
#include <stdint.h>

struct two_attributes {
	uint32_t opcode;
	uint32_t owner;
	uint8_t flags;
	uint16_t length;
	uint8_t pad;
	uint32_t key;
} __attribute__((packed)) __attribute__((aligned(4)));
