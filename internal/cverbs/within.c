//go:build linux && cgo

#include "labels_generated.h"

#include "within.h"
#include <infiniband/verbs.h>

// Go has the same structs, and asserts their sizes.
_Static_assert(offsetof(struct ibvgo_poll_within, wc) == 24 && offsetof(struct ibvgo_poll_within, shut) == 36, "struct ibvgo_poll_within");
_Static_assert(offsetof(struct ibvgo_poll_ex_within, fields) == 32 && offsetof(struct ibvgo_poll_ex_within, shut) == 44, "struct ibvgo_poll_ex_within");

int ibvgo_poll_cq_within(struct ibvgo_poll_within *p)
{
	struct ibvgo_thread *t = ibvgo_turnstile_enter(p->turnstile, p->turn);
	int r;

	if (!t) {
		p->shut = 1;
		return 0;
	}
	r = ibv_poll_cq(p->cq, p->n, p->wc);
	ibvgo_turnstile_leave(p->turnstile, t, r > 0 && r <= p->n ? (uint32_t)r : 0);
	return r;
}

int ibvgo_poll_cq_ex_within(struct ibvgo_poll_ex_within *p)
{
	struct ibvgo_turnstile *g = p->turnstile;
	struct ibvgo_thread *t = ibvgo_turnstile_enter(g, p->turn);
	int64_t r;

	if (!t) {
		p->shut = 1;
		return 0;
	}
	r = ibvgo_poll_cq_ex(p->cq, p->fields, p->n, p->wc);
	ibvgo_turnstile_leave(g, t, (uint32_t)r);
	p->failure = (int32_t)(r >> 32);
	return (int32_t)r;
}
