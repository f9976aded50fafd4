// Prints the layout of ring.h.

#include "../ring.h"

#include <stddef.h>
#include <stdio.h>

#define AT(field) printf(#field " %zu\n", offsetof(struct ibvgo_ring, field))

int main(void)
{
	printf("line %d\nsize %zu\nentry %zu\n", IBVGO_RING_LINE, offsetof(struct ibvgo_ring, entries), sizeof(struct ibvgo_wc));
	AT(tail);
	AT(news);
	AT(seen);
	AT(head);
	AT(mask);
	AT(sleeping);
	return 0;
}
