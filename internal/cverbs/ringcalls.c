//go:build linux && cgo

#include "labels_generated.h"

#include "ringcalls.h"
#include <errno.h>
#include <infiniband/verbs.h>

int32_t ibvgo_ring_poll(void *cq, int32_t n, void *wc)
{
	return ibv_poll_cq(cq, n, wc);
}

int32_t ibvgo_ring_arm(void *cq)
{
	return ibv_req_notify_cq(cq, 0);
}

int32_t ibvgo_ring_take(void *channel, void **cq, uint64_t *number)
{
	struct ibv_cq *queue;
	void *context;

	errno = 0;
	if (ibv_get_cq_event(channel, &queue, &context))
		return errno ? errno : EIO; // without errno it is no success all the same
	*cq = queue;
	*number = (uintptr_t)context;
	return 0;
}

void ibvgo_ring_ack(void *cq, uint32_t events)
{
	ibv_ack_cq_events(cq, events);
}
