//go:build linux && cgo

#include "pace.h"
#include "now.h"

int64_t beside_pace(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;
	int64_t start = beside_now();
	int i;

	for (i = 0; i < 4000; i++) {
		a += b;
		c += d;
		b += 5;
		d += 7;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); // so that it stays a loop
	}
	return beside_now() - start;
}
