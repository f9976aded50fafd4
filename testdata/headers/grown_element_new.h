/* The element of grown_element_old.h with a member more: incompatible, as it is passed in arrays. */
#include <stdint.h>

struct element {
	uint32_t kind;
	uint64_t value;
	uint64_t more;
};

int use_elements(struct element *list, int n);
