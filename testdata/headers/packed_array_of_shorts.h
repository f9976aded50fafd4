/* In a packed struct, an array of shorts starts at an odd offset. */
#include <stdint.h>

struct packed_shorts {
	uint8_t kind;
	uint16_t parts[3];
	uint32_t sum;
} __attribute__((packed));
