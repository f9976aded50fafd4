/* An unnamed union of a pointer and a number inside a packed struct. */
#include <stddef.h>
#include <stdint.h>

struct packed_union {
	uint64_t id;
	union {
		void *where;
		uint64_t word;
	};
	size_t length;
	uint64_t stamp;
	int code;
	uint32_t left;
	uint32_t right;
} __attribute__((packed));
