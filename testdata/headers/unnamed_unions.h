/* Several unnamed unions in one struct, structs within them. */
#include <stdint.h>

struct request {
	uint64_t id;
	union {
		uint32_t imm;
		uint32_t key;
	};
	union {
		struct {
			uint64_t addr;
			uint32_t rkey;
		} remote;
		struct {
			uint64_t addr;
			uint64_t compare;
			uint64_t swap;
			uint32_t rkey;
		} atomic;
	} wr;
	union {
		struct {
			void *window;
			uint32_t rkey;
		} bind;
		struct {
			void *hdr;
			uint16_t size;
		} segment;
	};
};
