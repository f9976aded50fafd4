/* Runs of bit-fields of two widths between plain bytes. */
#include <stdint.h>

struct mixed_runs {
	uint16_t a : 10;
	uint16_t b : 2;
	uint16_t c : 2;
	uint16_t d : 2;
	uint8_t one;
	uint8_t two;
	uint16_t e : 10;
	uint16_t f : 4;
	uint16_t g : 2;
	uint8_t h : 4;
	uint8_t i : 3;
	uint8_t j : 1;
	uint8_t last;
};
