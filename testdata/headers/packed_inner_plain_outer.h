/* A packed struct inside a plain one: the outer aligns what comes after it. */
#include <stdint.h>

#pragma pack(push, 1)
struct tight {
	void *at;
	uint32_t len;
};
#pragma pack(pop)

struct roomy {
	struct tight head;
	void *next;
};
