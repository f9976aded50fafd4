// Polling within a turnstile. Results are written, and not returned: what cgo does to return one takes longer.

#ifndef IBVGO_WITHIN_H
#define IBVGO_WITHIN_H

#include "turnstile.h"
#include "pollex.h"

struct ibv_cq;
struct ibv_wc;

// The result if the turnstile's turn is another one, or the thread cannot be noted.
#define IBVGO_SHUT INT64_MIN

// ibvgo_poll_cq_within is ibv_poll_cq() within a turnstile, which counts the completions.
void ibvgo_poll_cq_within(struct ibvgo_turnstile *g, uint64_t turn, struct ibv_cq *cq, int32_t n, struct ibv_wc *wc, int64_t *result);

// ibvgo_poll_cq_ex_within is ibvgo_poll_cq_ex() within a turnstile, which counts the completions.
void ibvgo_poll_cq_ex_within(struct ibvgo_turnstile *g, uint64_t turn, struct ibv_cq_ex *cq, uint32_t fields, int32_t n, struct ibvgo_wc_ex *out, int64_t *result);

#endif
