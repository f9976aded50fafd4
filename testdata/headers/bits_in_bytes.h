/* Bit-fields that fill one byte, then an array of shorts. */
#include <stdint.h>

struct bits_in_bytes {
	uint8_t kind;
	uint8_t low : 3;
	uint8_t high : 5;
	uint16_t parts[3];
};
