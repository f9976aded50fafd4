// Polling within a turnstile. Arguments are in memory, as those who call by cgocall have them, and the results are ints.

#ifndef IBVGO_WITHIN_H
#define IBVGO_WITHIN_H

#include "turnstile.h"
#include "pollex.h"

struct ibv_wc;

// A poll of a turnstile's CQ. Go has the same struct.
struct ibvgo_poll_within {
	struct ibvgo_turnstile *turnstile;
	uint64_t turn;
	struct ibv_wc *wc;
	int64_t n; // Go's int, with a value of C's; less than 0 afterwards: nothing was polled, since the turnstile's turn is another one, or the thread cannot be noted
};

// A poll of a turnstile's extended CQ. Go has the same struct.
struct ibvgo_poll_ex_within {
	struct ibvgo_turnstile *turnstile;
	uint64_t turn;
	struct ibvgo_wc_ex *wc;
	uint32_t fields;
	int32_t n;       // less than 0 afterwards: as above
	int32_t failure; // a result: the upper half of ibvgo_poll_cq_ex()'s
};

// ibvgo_poll_cq_within is ibv_poll_cq() within a turnstile, which counts the completions; or 0, and n is less than 0.
int ibvgo_poll_cq_within(struct ibvgo_poll_within *p);

// ibvgo_poll_cq_ex_within is ibvgo_poll_cq_ex() within a turnstile, which counts the completions. It returns how many there are; or 0, and n is less than 0.
int ibvgo_poll_cq_ex_within(struct ibvgo_poll_ex_within *p);

#endif
