//go:build linux && cgo

#include "labels_generated.h"

#include "within.h"
#include <infiniband/verbs.h>

int ibvgo_poll_cq_within(struct ibvgo_poll_within *p)
{
	int r;

	if (!ibvgo_turnstile_enter(p->turnstile, p->turn)) {
		p->n = -1;
		return 0;
	}
	r = ibv_poll_cq(p->turnstile->object, (int)p->n, p->wc);
	ibvgo_turnstile_leave(p->turnstile, r > 0 && r <= p->n ? (uint32_t)r : 0);
	return r;
}

int ibvgo_poll_cq_ex_within(struct ibvgo_poll_ex_within *p)
{
	int64_t r;

	if (!ibvgo_turnstile_enter(p->turnstile, p->turn)) {
		p->n = -1;
		return 0;
	}
	r = ibvgo_poll_cq_ex(p->turnstile->object, p->fields, p->n, p->wc);
	ibvgo_turnstile_leave(p->turnstile, (uint32_t)r);
	p->failure = (int32_t)(r >> 32);
	return (int32_t)r;
}
