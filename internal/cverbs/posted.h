// Posts. Results are written, and not returned, and the functions are inline: what cgo does otherwise takes longer.

#ifndef IBVGO_POSTED_H
#define IBVGO_POSTED_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>

// What has become of a post.
struct ibvgo_posted {
	uintptr_t bad;  // the first request that was not taken
	int64_t result; // 0 or the errno value
};

// ibvgo_send is ibv_post_send(). Addresses of what is in C memory, which cgo does not look at.
static inline void ibvgo_send(uintptr_t qp, uintptr_t wr, struct ibvgo_posted *out)
{
	struct ibv_send_wr *bad = NULL;
	int r;

	errno = 0;
	r = ibv_post_send((struct ibv_qp *)qp, (struct ibv_send_wr *)wr, &bad);
	out->bad = (uintptr_t)bad;
	out->result = r == -1 && errno ? errno : r;
}

// ibvgo_receive is ibv_post_recv().
static inline void ibvgo_receive(uintptr_t qp, uintptr_t wr, struct ibvgo_posted *out)
{
	struct ibv_recv_wr *bad = NULL;
	int r;

	errno = 0;
	r = ibv_post_recv((struct ibv_qp *)qp, (struct ibv_recv_wr *)wr, &bad);
	out->bad = (uintptr_t)bad;
	out->result = r == -1 && errno ? errno : r;
}

#endif
