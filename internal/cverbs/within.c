//go:build linux && cgo

#include "labels_generated.h"

#include "within.h"
#include <infiniband/verbs.h>

void ibvgo_poll_cq_within(struct ibvgo_turnstile *g, uint64_t turn, struct ibv_cq *cq, int32_t n, struct ibv_wc *wc, int64_t *result)
{
	struct ibvgo_thread *t = ibvgo_turnstile_enter(g, turn);
	int32_t r;

	if (!t) {
		*result = IBVGO_SHUT;
		return;
	}
	r = ibv_poll_cq(cq, n, wc);
	ibvgo_turnstile_leave(g, t, r > 0 && r <= n ? (uint32_t)r : 0);
	*result = r;
}

void ibvgo_poll_cq_ex_within(struct ibvgo_turnstile *g, uint64_t turn, struct ibv_cq_ex *cq, uint32_t fields, int32_t n, struct ibvgo_wc_ex *out, int64_t *result)
{
	struct ibvgo_thread *t = ibvgo_turnstile_enter(g, turn);
	int64_t r;

	if (!t) {
		*result = IBVGO_SHUT;
		return;
	}
	r = ibvgo_poll_cq_ex(cq, fields, n, out);
	ibvgo_turnstile_leave(g, t, (uint32_t)r);
	*result = r;
}
