/* An array's element before it grew: see grown_element_new.h. */
#include <stdint.h>

struct element {
	uint32_t kind;
	uint64_t value;
};

int use_elements(struct element *list, int n);
