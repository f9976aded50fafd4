/* A typedef that raises the alignment of a scalar, and one that lowers it. */
#include <stdint.h>

typedef uint32_t raised_word __attribute__((aligned(16)));
typedef uint64_t lowered_word __attribute__((aligned(4)));

struct holds_raised {
	char c;
	raised_word w;
};

struct holds_lowered {
	int i;
	lowered_word w;
};
