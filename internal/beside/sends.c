//go:build linux && cgo

#include "sends.h"
#include "now.h"

#include <infiniband/verbs.h>

#define MOST 64

struct requests {
	struct ibv_sge from, to;
	struct ibv_send_wr send[MOST];
	struct ibv_recv_wr recv[MOST];
};

static void build(struct requests *r, int chain)
{
	int i;

	for (i = 0; i < chain; i++) {
		int last = i == chain - 1;

		r->send[i] = (struct ibv_send_wr){.wr_id = i, .next = last ? NULL : &r->send[i + 1], .sg_list = &r->from, .num_sge = 1,
			.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
		r->recv[i] = (struct ibv_recv_wr){.wr_id = i, .next = last ? NULL : &r->recv[i + 1], .sg_list = &r->to, .num_sge = 1};
	}
}

// take polls until n completions have come, all of them good: 0, or -1.
static int take(struct ibv_cq *cq, int n)
{
	struct ibv_wc wc[16];
	int i, got;

	while (n > 0) {
		got = ibv_poll_cq(cq, n < 16 ? n : 16, wc);
		if (got <= 0) // everything happens in the posting thread
			return -1;
		for (i = 0; i < got; i++)
			if (wc[i].status != IBV_WC_SUCCESS)
				return -1;
		n -= got;
	}
	return 0;
}

int beside_sends(struct ibv_qp *from, struct ibv_qp *to, uint64_t memory, uint32_t lkey, long n, int chain, int64_t *wall, int64_t *cpu)
{
	struct requests r = {{.addr = memory, .length = 64, .lkey = lkey}, {.addr = memory + 64, .length = 64, .lkey = lkey}, {{0}}, {{0}}};
	struct ibv_send_wr *bad_send;
	struct ibv_recv_wr *bad_recv;

	if (chain < 1 || chain > MOST)
		return -1;
	build(&r, chain);
	*wall = beside_clock(CLOCK_MONOTONIC);
	*cpu = beside_clock(CLOCK_THREAD_CPUTIME_ID);
	for (; n > 0; n -= chain)
		if (ibv_post_recv(to, r.recv, &bad_recv) || ibv_post_send(from, r.send, &bad_send) || take(to->recv_cq, chain) || take(from->send_cq, chain))
			return -1;
	*cpu = beside_clock(CLOCK_THREAD_CPUTIME_ID) - *cpu;
	*wall = beside_clock(CLOCK_MONOTONIC) - *wall;
	return 0;
}
