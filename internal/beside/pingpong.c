//go:build linux && cgo

#include "pingpong.h"
#include "now.h"

#include <infiniband/verbs.h>

// half is one message: 0, or -1.
static inline int half(struct ibv_qp *from, struct ibv_send_wr *wr, struct ibv_qp *to)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	if (ibv_post_send(from, wr, &bad))
		return -1;
	return ibv_poll_cq(to->recv_cq, 1, &wc) == 1 && wc.status == IBV_WC_SUCCESS ? 0 : -1;
}

int64_t beside_pingpong(struct ibv_qp *a, struct ibv_send_wr *ping, struct ibv_qp *b, struct ibv_send_wr *pong, long rounds)
{
	int64_t start = beside_now();

	while (rounds-- > 0)
		if (half(a, ping, b) || half(b, pong, a))
			return -1;
	return beside_now() - start;
}
