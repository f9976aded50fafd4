/* Bit-fields of an unnamed struct in an unnamed union: counted from their own struct's start. */
#include <stdint.h>

struct bits_nested {
	uint32_t head;
	union {
		uint32_t word;
		struct {
			uint32_t low : 12;
			uint32_t high : 20;
		};
	};
};
