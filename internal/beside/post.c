//go:build linux && cgo

#include "post.h"
#include "now.h"

#include <infiniband/verbs.h>

int64_t beside_posts(struct ibv_qp *qp, struct ibv_send_wr *chain, long posts)
{
	struct ibv_send_wr *bad;
	int64_t start = beside_now();

	while (posts-- > 0)
		if (ibv_post_send(qp, chain, &bad))
			return -1;
	return beside_now() - start;
}
