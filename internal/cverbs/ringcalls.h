// The verbs that a thread which polls completion queues into a ring calls, in one form each that needs no verbs.h.

#ifndef IBVGO_RINGCALLS_H
#define IBVGO_RINGCALLS_H

#include <stdint.h>

// cq is a struct ibv_cq *, channel a struct ibv_comp_channel *, wc an array of n struct ibv_wc. Any thread may call them as it may the verbs.

// ibvgo_ring_poll is ibv_poll_cq: a count, or a negative number.
int32_t ibvgo_ring_poll(void *cq, int32_t n, void *wc);
// ibvgo_ring_arm is ibv_req_notify_cq for any completion: 0, or an errno value, negative with some providers.
int32_t ibvgo_ring_arm(void *cq);
// ibvgo_ring_take is ibv_get_cq_event: 0 with the queue and its number, its cq_context, or an errno value; EAGAIN if there is no event and the
// channel's descriptor does not block.
int32_t ibvgo_ring_take(void *channel, void **cq, uint64_t *number);
// ibvgo_ring_ack is ibv_ack_cq_events.
void ibvgo_ring_ack(void *cq, uint32_t events);

#endif
