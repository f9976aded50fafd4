// Self-test of reliable connections: what arrives, what waits, what fails and how.

#include "world.h"

static void moves_messages(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	struct ibv_sge to[3] = {sge(&w.b, 1, 3), sge(&w.b, 100, 0), sge(&w.b, 203, 100)};
	struct ibv_sge from[2] = {sge(&w.a, 7, 5), sge(&w.a, 501, 8)};
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 1000; i++)
		w.a.memory[i] = (unsigned char)i;
	WANT(post_recv(&w.b, 1, to, 3), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 2, .sg_list = from, .num_sge = 2, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
	wc = ONE(w.a.cq, 2, IBV_WC_SUCCESS);
	WANT(wc.opcode, IBV_WC_SEND);
	WANT(wc.qp_num, w.a.qp->qp_num);
	wc = ONE(w.b.cq, 1, IBV_WC_SUCCESS);
	WANT(wc.opcode, IBV_WC_RECV);
	WANT(wc.byte_len, 13);
	WANT(wc.wc_flags, 0);
	WANT(wc.qp_num, w.b.qp->qp_num);
	WANT(wc.src_qp, 0);
	WANT(memcmp(w.b.memory + 1, w.a.memory + 7, 3), 0);
	WANT(memcmp(w.b.memory + 203, w.a.memory + 10, 2), 0);
	WANT(memcmp(w.b.memory + 205, w.a.memory + 501, 8), 0);
	WANT(w.b.memory[213], 0);
	// No bytes, no elements; nothing to be scattered, so a bad key is not looked at.
	to[0].lkey++;
	WANT(post_recv(&w.b, 3, NULL, 0), 0);
	WANT(post_recv(&w.b, 4, to, 1), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 5, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = 0x04030201}), 0);
	from[0].length = 0;
	from[0].lkey++;
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 6, .sg_list = from, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
	ONE(w.a.cq, 6, IBV_WC_SUCCESS);
	NONE(w.a.cq);
	wc = ONE(w.b.cq, 3, IBV_WC_SUCCESS);
	WANT(wc.byte_len, 0);
	WANT(wc.wc_flags, IBV_WC_WITH_IMM);
	WANT(memcmp(&wc.imm_data, "\1\2\3\4", 4), 0);
	ONE(w.b.cq, 4, IBV_WC_SUCCESS);
	end_world(&w);
}

static void inlines(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	char text[] = "inline data of several elements";
	struct ibv_sge to = sge(&w.b, 0, 100);
	struct ibv_sge from[3] = {{.addr = (uintptr_t)text, .length = 6}, {.addr = 0, .length = 0}, {.addr = (uintptr_t)text + 6, .length = 26}};
	struct ibv_send_wr wr = {.wr_id = 1, .sg_list = from, .num_sge = 3, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED};

	// The data is taken at once, though the request waits: no key was needed.
	WANT(post_send(&w.a, wr), 0);
	memset(text, 'x', sizeof text);
	NONE(w.a.cq);
	WANT(post_recv(&w.b, 2, &to, 1), 0);
	ONE(w.a.cq, 1, IBV_WC_SUCCESS);
	WANT(ONE(w.b.cq, 2, IBV_WC_SUCCESS).byte_len, 32);
	CHECK(!strcmp((char *)w.b.memory, "inline data of several elements"), "got %s", w.b.memory);
	from[0].length = 60;
	WANT(post_send(&w.a, wr), EINVAL); // 86 of 64
	from[0].length = UINT32_MAX;
	from[2].length = 1;
	WANT(post_send(&w.a, wr), EINVAL);
	wr.opcode = IBV_WR_RDMA_READ;
	wr.num_sge = 1;
	from[0].length = 8;
	WANT(post_send(&w.a, wr), EINVAL);
	end_world(&w);
}

static struct ibv_send_wr rdma(struct ibv_sge *s, enum ibv_wr_opcode opcode, const struct side *peer, size_t at)
{
	return (struct ibv_send_wr){
		.wr_id = 9, .sg_list = s, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {.remote_addr = (uintptr_t)peer->memory + at, .rkey = peer->mr->rkey},
	};
}

static void reads_and_writes(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	struct ibv_sge s = sge(&w.a, 3, 5000);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < SIZE; i++)
		w.a.memory[i] = (unsigned char)(i * 7);
	WANT(post_send(&w.a, rdma(&s, IBV_WR_RDMA_WRITE, &w.b, 11)), 0);
	wc = ONE(w.a.cq, 9, IBV_WC_SUCCESS);
	WANT(wc.opcode, IBV_WC_RDMA_WRITE);
	WANT(memcmp(w.b.memory + 11, w.a.memory + 3, 5000), 0);
	s = sge(&w.a, 20001, 777);
	WANT(post_send(&w.a, rdma(&s, IBV_WR_RDMA_READ, &w.b, 13)), 0);
	wc = ONE(w.a.cq, 9, IBV_WC_SUCCESS);
	WANT(wc.opcode, IBV_WC_RDMA_READ);
	WANT(wc.byte_len, 777);
	WANT(memcmp(w.b.memory + 13, w.a.memory + 20001, 777), 0);
	NONE(w.b.cq);
	// With immediate data it takes a receive, whose elements stay as they are, and waits for one before it writes.
	wr = rdma(&s, IBV_WR_RDMA_WRITE_WITH_IMM, &w.b, 30000);
	wr.imm_data = 0x01020304;
	WANT(post_send(&w.a, wr), 0);
	WANT(w.b.memory[30000], 0);
	WANT(post_recv(&w.b, 8, NULL, 0), 0);
	ONE(w.a.cq, 9, IBV_WC_SUCCESS);
	wc = ONE(w.b.cq, 8, IBV_WC_SUCCESS);
	WANT(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	WANT(wc.byte_len, 777);
	WANT(wc.wc_flags, IBV_WC_WITH_IMM);
	WANT(wc.imm_data, 0x01020304);
	WANT(memcmp(w.b.memory + 30000, w.a.memory + 20001, 777), 0);
	// No bytes: neither key nor address is looked at.
	s.length = 0;
	wr = rdma(&s, IBV_WR_RDMA_WRITE, &w.b, 0);
	wr.wr.rdma.rkey = 1;
	WANT(post_send(&w.a, wr), 0);
	ONE(w.a.cq, 9, IBV_WC_SUCCESS);
	NO_EVENT(w.context);
	end_world(&w);
}

// fails posts a request that the peer refuses, with a receive and another request behind it; both sides end in ERR.
static void fails(struct world *w, struct ibv_send_wr wr, enum ibv_wc_status here, enum ibv_wc_status there, int event_type)
{
	struct ibv_sge big = sge(&w->b, 0, 100);

	wr.wr_id = 1;
	wr.send_flags = 0; // errors complete all the same
	if (there == IBV_WC_SUCCESS)
		WANT(post_recv(&w->b, 10, &big, 1), 0);
	WANT(post_recv(&w->b, 11, &big, 1), 0);
	WANT(post_recv(&w->a, 12, NULL, 0), 0);
	WANT(post_send(&w->a, wr), 0);
	ONE(w->a.cq, 1, here);
	ONE(w->a.cq, 12, IBV_WC_WR_FLUSH_ERR);
	NONE(w->a.cq);
	ONE(w->b.cq, 10, there == IBV_WC_SUCCESS ? IBV_WC_WR_FLUSH_ERR : there);
	ONE(w->b.cq, 11, IBV_WC_WR_FLUSH_ERR);
	NONE(w->b.cq);
	WANT(state_of(w->a.qp), IBV_QPS_ERR);
	WANT(state_of(w->b.qp), IBV_QPS_ERR);
	if (event_type >= 0)
		EVENT(w->context, event_type, w->b.qp);
	NO_EVENT(w->context);
	// Flushed as they come.
	WANT(post_send(&w->a, (struct ibv_send_wr){.wr_id = 13, .opcode = IBV_WR_SEND}), 0);
	ONE(w->a.cq, 13, IBV_WC_WR_FLUSH_ERR);
	WANT(post_recv(&w->a, 14, NULL, 0), 0);
	ONE(w->a.cq, 14, IBV_WC_WR_FLUSH_ERR);
}

static void remote_errors(void)
{
	enum { KEY, BEFORE, BEHIND, WRAP, NOT_WRITE, NOT_READ, DOMAIN, QP_NOT_WRITE, QP_NOT_READ, NO_READS, INVALID_KEY, CASES };
	int i;

	for (i = 0; i < CASES; i++) {
		struct plan p = plan();
		struct world w;
		struct ibv_mr *other = NULL;
		struct ibv_pd *pd = NULL;
		struct ibv_sge s;
		struct ibv_send_wr wr;
		int here = IBV_WC_REM_ACCESS_ERR, event_type = IBV_EVENT_QP_ACCESS_ERR, reads = i == NOT_READ || i == QP_NOT_READ || i == NO_READS;

		if (i == QP_NOT_WRITE || i == QP_NOT_READ || i == NO_READS) {
			here = IBV_WC_REM_INV_REQ_ERR;
			event_type = IBV_EVENT_QP_REQ_ERR;
		}
		if (i == QP_NOT_WRITE)
			p.access = IBV_ACCESS_REMOTE_READ;
		if (i == QP_NOT_READ)
			p.access = IBV_ACCESS_REMOTE_WRITE;
		if (i == NO_READS)
			p.dest_rd_atomic = 0;
		w = connected_world(&p);
		s = sge(&w.a, 0, 8);
		wr = rdma(&s, reads ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, &w.b, 0);
		if (i == KEY)
			wr.wr.rdma.rkey++;
		if (i == BEFORE)
			wr.wr.rdma.remote_addr--;
		if (i == BEHIND)
			wr.wr.rdma.remote_addr += SIZE - 7;
		if (i == WRAP)
			wr.wr.rdma.remote_addr = UINT64_MAX - 3;
		if (i == DOMAIN)
			pd = sd_alloc_pd(w.context);
		if (i == DOMAIN || i == NOT_WRITE || i == NOT_READ) {
			other = sd_reg_mr(pd ? pd : w.pd, w.b.memory, SIZE, i == NOT_WRITE ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
			wr.wr.rdma.rkey = other->rkey;
		}
		if (i == INVALID_KEY)
			WANT(sd_invalidate(w.pd, w.b.mr->rkey), 0);
		fails(&w, wr, here, IBV_WC_SUCCESS, event_type);
		if (other)
			WANT(sd_dereg_mr(other), 0);
		if (pd)
			WANT(sd_dealloc_pd(pd), 0);
		end_world(&w);
	}
}

static void receive_errors(void)
{
	enum { LENGTH, KEY, READ_ONLY, INV_UNKNOWN, FAULT_LEN, FAULT_OTHER, CASES };
	static const struct {
		int here, there;
	} want[CASES] = {
		[LENGTH] = {IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR},
		[KEY] = {IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR},
		[READ_ONLY] = {IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR},
		[INV_UNKNOWN] = {IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_INV_REQ_ERR},
		[FAULT_LEN] = {IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR},
		[FAULT_OTHER] = {IBV_WC_REM_OP_ERR, IBV_WC_GENERAL_ERR},
	};
	int i;

	for (i = 0; i < CASES; i++) {
		struct plan p = plan();
		struct world w = connected_world(&p);
		struct ibv_mr *other = sd_reg_mr(w.pd, w.b.memory, SIZE, 0);
		struct ibv_sge s = sge(&w.a, 0, 50), to = sge(&w.b, 0, i == LENGTH ? 49 : 50);
		struct ibv_send_wr wr = {.sg_list = &s, .num_sge = 1, .opcode = i == INV_UNKNOWN ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND, .invalidate_rkey = 77};

		if (i == KEY)
			to.lkey ^= 1 << 8;
		if (i == READ_ONLY)
			to.lkey = other->lkey;
		if (i == FAULT_LEN)
			softdev_fail_next_recv(w.d, w.b.qp, IBV_WC_LOC_LEN_ERR, 7);
		if (i == FAULT_OTHER)
			softdev_fail_next_recv(w.d, w.b.qp, IBV_WC_GENERAL_ERR, 7);
		WANT(post_recv(&w.b, 10, &to, 1), 0);
		fails(&w, wr, want[i].here, want[i].there, -1);
		WANT(sd_dereg_mr(other), 0);
		end_world(&w);
	}
}

static void local_errors(void)
{
	enum { KEY, BEHIND, WRAP, READ_INTO_READ_ONLY, TOO_LONG, NO_READS, FAULT, INV, CASES };
	int i;

	for (i = 0; i < CASES; i++) {
		struct plan p = plan();
		struct world w;
		struct ibv_mr *other;
		struct ibv_sge s[2];
		struct ibv_send_wr wr;
		int want = IBV_WC_LOC_PROT_ERR;
		struct ibv_wc wc;

		p.rd_atomic = i != NO_READS;
		w = connected_world(&p);
		other = sd_reg_mr(w.pd, w.a.memory, SIZE, 0);
		s[0] = sge(&w.a, 0, 8);
		s[1] = sge(&w.a, 0, 1u << 31);
		wr = rdma(s, IBV_WR_RDMA_WRITE, &w.b, 0);
		wr.send_flags = 0;
		if (i == KEY)
			s[0].lkey ^= 1;
		if (i == BEHIND)
			s[0].length = SIZE + 1;
		if (i == WRAP)
			s[0].addr = UINT64_MAX - 6;
		if (i == READ_INTO_READ_ONLY || i == NO_READS) {
			wr.opcode = IBV_WR_RDMA_READ;
			s[0].lkey = other->lkey;
		}
		if (i == TOO_LONG) {
			wr.num_sge = 2;
			want = IBV_WC_LOC_LEN_ERR;
		}
		if (i == NO_READS)
			want = IBV_WC_REM_INV_REQ_ERR;
		if (i == FAULT) {
			softdev_fail_next_send(w.d, w.a.qp, IBV_WC_FATAL_ERR, 0x1234);
			want = IBV_WC_FATAL_ERR;
		}
		if (i == INV) {
			wr = (struct ibv_send_wr){.wr_id = 9, .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = w.b.mr->rkey + 1};
			want = IBV_WC_LOC_QP_OP_ERR;
		}
		WANT(post_send(&w.a, wr), 0);
		wc = ONE(w.a.cq, 9, want);
		WANT(wc.vendor_err, i == FAULT ? 0x1234 : 0);
		WANT(state_of(w.a.qp), IBV_QPS_ERR);
		WANT(w.a.qp->state, IBV_QPS_ERR); // the query told the library
		WANT(state_of(w.b.qp), IBV_QPS_RTS);
		NO_EVENT(w.context);
		WANT(sd_dereg_mr(other), 0);
		end_world(&w);
	}
}

static void invalidates(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	struct ibv_mr *mr = sd_reg_mr(w.pd, w.b.memory, SIZE, ALL_ACCESS);
	struct ibv_sge s = sge(&w.a, 0, 8);
	struct ibv_send_wr wr = {.wr_id = 1, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_INV, .invalidate_rkey = mr->rkey};
	struct ibv_sge to = {.addr = (uintptr_t)w.b.memory, .length = 8, .lkey = mr->lkey};
	struct ibv_wc wc;

	WANT(post_recv(&w.b, 2, &to, 1), 0);
	WANT(post_send(&w.a, wr), 0);
	wc = ONE(w.b.cq, 2, IBV_WC_SUCCESS);
	WANT(wc.wc_flags, IBV_WC_WITH_INV);
	WANT(wc.invalidated_rkey, mr->rkey);
	wr = rdma(&s, IBV_WR_RDMA_WRITE, &w.b, 0);
	WANT(post_send(&w.a, wr), 0); // the other key lives
	ONE(w.a.cq, 9, IBV_WC_SUCCESS);
	// Of one's own accord.
	WANT(post_send(&w.b, (struct ibv_send_wr){.wr_id = 3, .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = w.b.mr->rkey, .send_flags = IBV_SEND_SIGNALED}), 0);
	WANT(ONE(w.b.cq, 3, IBV_WC_SUCCESS).opcode, IBV_WC_LOCAL_INV);
	fails(&w, wr, IBV_WC_REM_ACCESS_ERR, IBV_WC_SUCCESS, IBV_EVENT_QP_ACCESS_ERR);
	WANT(sd_dereg_mr(mr), 0);
	end_world(&w);
}

static void posts_are_checked(void)
{
	struct plan p = plan();
	struct world w = make_world(&p);
	struct ibv_sge s[5] = {sge(&w.a, 0, 1)};
	struct ibv_send_wr wr[3] = {
		{.wr_id = 1, .next = &wr[1], .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED},
		{.wr_id = 2, .next = &wr[2], .opcode = IBV_WR_ATOMIC_CMP_AND_SWP},
		{.wr_id = 3, .opcode = IBV_WR_SEND},
	}, *bad = NULL;
	struct ibv_recv_wr rr[3] = {{.wr_id = 4, .next = &rr[1]}, {.wr_id = 5, .next = &rr[2], .sg_list = s, .num_sge = 5}, {.wr_id = 6}}, *rbad = NULL;
	int i;

	WANT(ibv_post_send(w.a.qp, wr, &bad), EINVAL);
	CHECK(bad == &wr[0], "RESET accepts a send");
	WANT(ibv_post_recv(w.a.qp, rr, &rbad), EINVAL);
	CHECK(rbad == &rr[0], "RESET accepts a receive");
	to_init(w.a.qp, 0);
	WANT(post_send(&w.a, wr[2]), EINVAL);
	to_init(w.b.qp, p.access);
	WANT(post_recv(&w.b, 7, NULL, 0), 0); // in INIT
	to_rtr(w.a.qp, w.b.qp->qp_num, p.psn[1], &p, 0);
	WANT(post_send(&w.a, wr[2]), EINVAL);
	to_rts(w.a.qp, p.psn[0], &p);
	to_rtr(w.b.qp, w.a.qp->qp_num, p.psn[0], &p, 1);
	WANT(ibv_post_send(w.a.qp, wr, &bad), EINVAL);
	CHECK(bad == &wr[1], "bad request is %p", (void *)bad);
	ONE(w.a.cq, 1, IBV_WC_SUCCESS);
	ONE(w.b.cq, 7, IBV_WC_SUCCESS);
	EVENT(w.context, IBV_EVENT_COMM_EST, w.b.qp);
	WANT(ibv_post_recv(w.b.qp, rr, &rbad), EINVAL);
	CHECK(rbad == &rr[1], "bad receive is %p", (void *)rbad);
	wr[2].num_sge = -1;
	WANT(post_send(&w.a, wr[2]), EINVAL);
	wr[2].num_sge = 5;
	wr[2].sg_list = s;
	WANT(post_send(&w.a, wr[2]), EINVAL);
	wr[2].num_sge = 0;
	for (i = 0; i < 16; i++) // the first goes to the receive that is there; the place of each is its until it was polled
		WANT(post_send(&w.a, wr[2]), 0);
	WANT(post_send(&w.a, wr[2]), ENOMEM);
	NO_EVENT(w.context); // established once
	for (i = 0; i < 15; i++)
		WANT(post_recv(&w.b, 8, NULL, 0), 0);
	WANT(post_recv(&w.b, 8, NULL, 0), ENOMEM);
	// All were sent and none was signalled: the queue stays full, as hardware's would.
	WANT(post_send(&w.a, wr[2]), ENOMEM);
	NONE(w.a.cq);
	WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
	end_world(&w);
}

static void places_free_up(void)
{
	struct plan p = plan();
	struct world w;
	struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND};
	int i, round;

	p.cap.max_send_wr = 4;
	p.cap.max_recv_wr = 4;
	w = connected_world(&p);
	// Past the end of 32 bits.
	SD_OF(sd_qp, w.a.qp)->sq.head = SD_OF(sd_qp, w.a.qp)->sq.next = UINT32_MAX - 9;
	SD_OF(sd_qp, w.a.qp)->sq.tail = UINT32_MAX - 9;
	SD_OF(sd_qp, w.b.qp)->rq.head = SD_OF(sd_qp, w.b.qp)->rq.next = UINT32_MAX - 5;
	SD_OF(sd_qp, w.b.qp)->rq.tail = UINT32_MAX - 5;
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 4; i++) {
			wr.send_flags = i == 3 ? IBV_SEND_SIGNALED : 0;
			WANT(post_recv(&w.b, 100 + i, NULL, 0), 0);
			WANT(post_send(&w.a, wr), 0);
		}
		WANT(post_send(&w.a, wr), ENOMEM);
		WANT(post_recv(&w.b, 0, NULL, 0), ENOMEM);
		ONE(w.a.cq, 1, IBV_WC_SUCCESS);
		NONE(w.a.cq);
		for (i = 0; i < 4; i++)
			ONE(w.b.cq, 100 + i, IBV_WC_SUCCESS);
	}
	end_world(&w);
}

static void gives_up(void)
{
	struct plan p = plan();
	struct world w;
	uint64_t start, took;

	// (1 + 1) * 4.096 us * 2^10 = 8.4 ms for a QP that does not answer.
	p.timeout = 10;
	p.retry_cnt = 1;
	p.rnr_retry = 2;
	p.min_rnr_timer = 16; // 2.56 ms, three times
	w = connected_world(&p);
	WANT(to_state(w.b.qp, IBV_QPS_ERR), 0);
	start = sd_now();
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 1, .opcode = IBV_WR_SEND}), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 2, .opcode = IBV_WR_SEND}), 0);
	NONE(w.a.cq);
	SOON(w.a.cq, 1, IBV_WC_RETRY_EXC_ERR);
	took = sd_now() - start;
	CHECK(took >= 8388608 && took < 2000000000, "took %" PRIu64 " ns", took);
	SOON(w.a.cq, 2, IBV_WC_WR_FLUSH_ERR);
	WANT(state_of(w.a.qp), IBV_QPS_ERR);
	WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
	WANT(to_state(w.b.qp, IBV_QPS_RESET), 0);
	connect_sides(&w.a, &w.b, &p);
	start = sd_now();
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 3, .opcode = IBV_WR_SEND}), 0);
	SOON(w.a.cq, 3, IBV_WC_RNR_RETRY_EXC_ERR);
	took = sd_now() - start;
	CHECK(took >= 7680000 && took < 2000000000, "took %" PRIu64 " ns", took);
	WANT(state_of(w.b.qp), IBV_QPS_RTS);
	end_world(&w);
}

static void waits_for_ever(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);

	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
	CHECK(!w.d->waiters, "has a deadline");
	// The receiver goes while the sender waits for its receive, and comes again.
	WANT(to_state(w.b.qp, IBV_QPS_RESET), 0);
	WANT(SD_OF(sd_qp, w.a.qp)->sq.waiting, SD_NO_PEER);
	to_init(w.b.qp, 0);
	WANT(post_recv(&w.b, 2, NULL, 0), 0);
	NONE(w.a.cq);
	to_rtr(w.b.qp, w.a.qp->qp_num, p.psn[0], &p, 1);
	ONE(w.a.cq, 1, IBV_WC_SUCCESS);
	ONE(w.b.cq, 2, IBV_WC_SUCCESS);
	EVENT(w.context, IBV_EVENT_COMM_EST, w.b.qp);
	// It is destroyed.
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 3, .opcode = IBV_WR_SEND}), 0);
	WANT(SD_OF(sd_qp, w.a.qp)->sq.waiting, SD_NO_RECV);
	WANT(sd_destroy_qp(w.b.qp), 0);
	w.b.qp = NULL;
	WANT(SD_OF(sd_qp, w.a.qp)->sq.waiting, SD_NO_PEER);
	WANT(to_state(w.a.qp, IBV_QPS_ERR), 0);
	ONE(w.a.cq, 3, IBV_WC_WR_FLUSH_ERR);
	end_world(&w);
}

// Each of these is a peer that hears nothing of this side, or does not answer it.
static void strangers(void)
{
	enum { PSN, DEST, GID, BACK, CASES };
	int i;

	for (i = 0; i < CASES; i++) {
		struct plan p = plan(), q;
		struct world w = make_world(&p);
		struct ibv_qp_attr a;

		q = p;
		if (i == PSN)
			q.psn[0]++;
		to_init(w.a.qp, 0);
		to_init(w.b.qp, 0);
		a = rtr_attr(i == DEST ? 999999 : w.b.qp->qp_num, p.psn[1], &p, 0);
		if (i == GID)
			a.ah_attr.grh.dgid.raw[15]++;
		WANT(sd_modify_qp(w.a.qp, &a, RTR_MASK), 0);
		to_rts(w.a.qp, p.psn[0], &p);
		to_rtr(w.b.qp, i == BACK ? w.b.qp->qp_num : w.a.qp->qp_num, q.psn[0], &p, 1);
		WANT(post_recv(&w.b, 1, NULL, 0), 0);
		WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 3, .opcode = IBV_WR_SEND}), 0);
		CHECK(SD_OF(sd_qp, w.a.qp)->sq.waiting == SD_NO_PEER, "case %d finds a peer", i);
		NONE(w.b.cq);
		NO_EVENT(w.context);
		end_world(&w);
	}
}

static void counts_packets(void)
{
	static const struct {
		uint32_t length, packets;
	} cases[] = {{0, 1}, {1, 1}, {1024, 1}, {1025, 2}, {2048, 2}, {5000, 5}};
	struct plan p = plan();
	struct world w;
	struct ibv_qp_attr a, b;
	struct ibv_qp_init_attr init;
	uint32_t psn = 0xfffffd;
	size_t i;

	p.psn[0] = psn;
	w = connected_world(&p);
	for (i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
		struct ibv_sge s = sge(&w.a, 0, cases[i / 2].length);

		WANT(post_send(&w.a, rdma(&s, i & 1 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ, &w.b, 0)), 0);
		ONE(w.a.cq, 9, IBV_WC_SUCCESS);
		psn = (psn + cases[i / 2].packets) & 0xffffff;
		WANT(sd_query_qp(w.a.qp, &a, 0, &init), 0);
		WANT(sd_query_qp(w.b.qp, &b, 0, &init), 0);
		WANT(a.sq_psn, psn);
		WANT(b.rq_psn, psn);
	}
	end_world(&w);
	// Sides that disagree on the size of packets.
	p.mtu[1] = IBV_MTU_256;
	w = connected_world(&p);
	{
		struct ibv_sge s = sge(&w.a, 0, 256);

		WANT(post_send(&w.a, rdma(&s, IBV_WR_RDMA_WRITE, &w.b, 0)), 0);
		ONE(w.a.cq, 9, IBV_WC_SUCCESS);
		s.length = 257;
		fails(&w, rdma(&s, IBV_WR_RDMA_WRITE, &w.b, 0), IBV_WC_REM_INV_REQ_ERR, IBV_WC_SUCCESS, IBV_EVENT_QP_REQ_ERR);
	}
	end_world(&w);
}

// A QP that is its own peer, with buffers that overlap.
static void oneself(void)
{
	struct plan p = plan();
	struct world w;
	struct ibv_sge from, to;
	int i;

	p.psn[1] = p.psn[0];
	w = make_world(&p);
	connect_sides(&w.a, &w.a, &p);
	for (i = 0; i < 2000; i++)
		w.a.memory[i] = (unsigned char)(i * 3);
	from = sge(&w.a, 0, 1000);
	to = sge(&w.a, 10, 1000);
	WANT(post_recv(&w.a, 1, &to, 1), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 2, .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
	ONE(w.a.cq, 1, IBV_WC_SUCCESS);
	ONE(w.a.cq, 2, IBV_WC_SUCCESS);
	for (i = 0; i < 1000; i++)
		WANT(w.a.memory[i + 10], (unsigned char)(i * 3));
	// It waits for its own receive, which turns out to be too short: one completion for each, and the rest is flushed once.
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 3, .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND}), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 4, .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND}), 0);
	{
		struct ibv_recv_wr rr[2] = {{.wr_id = 5, .next = &rr[1]}, {.wr_id = 6}}, *bad;

		WANT(ibv_post_recv(w.a.qp, rr, &bad), 0);
	}
	ONE(w.a.cq, 5, IBV_WC_LOC_LEN_ERR);
	ONE(w.a.cq, 3, IBV_WC_REM_INV_REQ_ERR);
	ONE(w.a.cq, 4, IBV_WC_WR_FLUSH_ERR);
	ONE(w.a.cq, 6, IBV_WC_WR_FLUSH_ERR);
	NONE(w.a.cq);
	WANT(state_of(w.a.qp), IBV_QPS_ERR);
	end_world(&w);
	// Waiting for itself, it is reset, and destroyed.
	w = make_world(&p);
	p.timeout = 1;
	connect_sides(&w.a, &w.a, &p);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 1, .opcode = IBV_WR_SEND}), 0);
	WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
	connect_sides(&w.a, &w.a, &p);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 1, .opcode = IBV_WR_SEND}), 0);
	end_world(&w);
}

// Both sides wait for each other when one fails: neither loses or doubles a completion. One CQ has all.
static void both_wait(void)
{
	struct plan p = plan();
	struct world w = make_world(&p);
	struct ibv_qp_init_attr init = {.send_cq = w.a.cq, .recv_cq = w.a.cq, .cap = p.cap, .qp_type = IBV_QPT_RC};
	struct ibv_sge s = sge(&w.a, 0, 10);
	struct side c = w.b;

	c.cq = w.a.cq;
	c.qp = sd_create_qp(w.pd, &init);
	CHECK(c.qp, "create_qp: %s", strerror(errno));
	connect_sides(&w.a, &c, &p);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 1, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_SEND}), 0);
	WANT(post_send(&c, (struct ibv_send_wr){.wr_id = 2, .opcode = IBV_WR_SEND}), 0);
	WANT(post_recv(&c, 3, NULL, 0), 0); // too short
	ONE(w.a.cq, 3, IBV_WC_LOC_LEN_ERR);
	ONE(w.a.cq, 1, IBV_WC_REM_INV_REQ_ERR);
	ONE(w.a.cq, 2, IBV_WC_WR_FLUSH_ERR);
	NONE(w.a.cq);
	// Reset takes a QP's own completions out of the common CQ only.
	WANT(post_recv(&w.a, 4, NULL, 0), 0);
	WANT(post_recv(&c, 5, NULL, 0), 0);
	WANT(post_recv(&w.a, 6, NULL, 0), 0);
	WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
	ONE(w.a.cq, 5, IBV_WC_WR_FLUSH_ERR);
	NONE(w.a.cq);
	WANT(sd_destroy_qp(c.qp), 0);
	end_world(&w);
}

static void drains(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1};
	struct ibv_qp_init_attr init;
	struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};

	// One is under way and goes on; the one behind it is held back.
	WANT(post_send(&w.a, wr), 0);
	wr.wr_id = 2;
	WANT(post_send(&w.a, wr), 0);
	WANT(sd_modify_qp(w.a.qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	NO_EVENT(w.context);
	WANT(sd_query_qp(w.a.qp, &a, 0, &init), 0);
	WANT(a.qp_state, IBV_QPS_SQD);
	WANT(a.sq_draining, 1);
	WANT(post_recv(&w.b, 3, NULL, 0), 0);
	WANT(post_recv(&w.b, 4, NULL, 0), 0);
	ONE(w.a.cq, 1, IBV_WC_SUCCESS);
	NONE(w.a.cq);
	EVENT(w.context, IBV_EVENT_SQ_DRAINED, w.a.qp);
	NO_EVENT(w.context);
	WANT(sd_query_qp(w.a.qp, &a, 0, &init), 0);
	WANT(a.sq_draining, 0);
	wr.wr_id = 5;
	WANT(post_send(&w.a, wr), 0);
	NONE(w.a.cq);
	// It still receives.
	WANT(post_recv(&w.a, 6, NULL, 0), 0);
	WANT(post_send(&w.b, wr), 0);
	ONE(w.a.cq, 6, IBV_WC_SUCCESS);
	WANT(to_state(w.a.qp, IBV_QPS_RTS), 0);
	ONE(w.a.cq, 2, IBV_WC_SUCCESS);
	NONE(w.a.cq);
	WANT(post_recv(&w.b, 7, NULL, 0), 0);
	ONE(w.a.cq, 5, IBV_WC_SUCCESS);
	// Without being asked it says nothing, and with nothing under way it says so at once.
	WANT(to_state(w.a.qp, IBV_QPS_SQD), 0);
	NO_EVENT(w.context);
	WANT(to_state(w.a.qp, IBV_QPS_RTS), 0);
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1};
	WANT(sd_modify_qp(w.a.qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	EVENT(w.context, IBV_EVENT_SQ_DRAINED, w.a.qp);
	end_world(&w);
}

static void *acknowledge(void *arg)
{
	struct ibv_async_event *e = arg;

	usleep(20000);
	sd_ack_async_event(e);
	return NULL;
}

static void destroy_waits(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	struct ibv_async_event e;
	pthread_t t;
	uint64_t start;

	WANT(softdev_raise(w.d, SD_QP, w.a.qp, IBV_EVENT_QP_FATAL), 0);
	WANT(softdev_raise(w.d, SD_QP, w.a.qp, IBV_EVENT_QP_FATAL), 0);
	WANT(sd_get_async_event(w.context, &e), 0);
	start = sd_now(); // before the other thread begins to sleep
	WANT(pthread_create(&t, NULL, acknowledge, &e), 0);
	WANT(sd_destroy_qp(w.a.qp), 0);
	CHECK(sd_now() - start >= 15000000, "did not wait");
	NO_EVENT(w.context); // nobody took the second
	pthread_join(t, NULL);
	w.a.qp = NULL;
	end_world(&w);
}

static void closing_ends_all(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	uint32_t orphans[SD_NKINDS];

	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 1, .opcode = IBV_WR_SEND}), 0);
	WANT(post_recv(&w.a, 2, NULL, 0), 0);
	WANT(sd_close_device(w.context), 0);
	softdev_orphans(w.d, orphans);
	WANT(orphans[SD_QP], 2);
	free(w.a.memory);
	free(w.b.memory);
	WANT(softdev_free(w.d), 0);
	// softdev_free closes, with the timer's thread gone already and a peer beginning to wait.
	p.timeout = 20;
	w = connected_world(&p);
	WANT(post_send(&w.b, (struct ibv_send_wr){.wr_id = 1, .opcode = IBV_WR_SEND}), 0);
	WANT(softdev_free(w.d), 1);
	free(w.a.memory);
	free(w.b.memory);
}

static void large(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	size_t size = (size_t)1 << 26;
	unsigned char *from = calloc(1, size), *to = calloc(1, size);
	struct ibv_mr *f = sd_reg_mr(w.pd, from, size, 0), *t = sd_reg_mr(w.pd, to, size, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge s = {.addr = (uintptr_t)from, .length = (uint32_t)size, .lkey = f->lkey};
	struct ibv_sge r = {.addr = (uintptr_t)to, .length = (uint32_t)size, .lkey = t->lkey};

	CHECK(from && to, "no memory");
	from[0] = 1;
	from[size - 1] = 2;
	WANT(post_recv(&w.b, 1, &r, 1), 0);
	WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = 2, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
	ONE(w.a.cq, 2, IBV_WC_SUCCESS);
	WANT(ONE(w.b.cq, 1, IBV_WC_SUCCESS).byte_len, size);
	WANT(to[0], 1);
	WANT(to[size - 1], 2);
	WANT(sd_dereg_mr(f), 0);
	WANT(sd_dereg_mr(t), 0);
	free(from);
	free(to);
	end_world(&w);
}

struct sender {
	struct side *from;
	int n, done;
};

static void *send_many(void *arg)
{
	struct sender *s = arg;
	struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED}, *bad;
	struct ibv_recv_wr rr = {.wr_id = 2}, *rbad;
	struct ibv_wc wc;
	int sent = 0, posted = 0, ended = 0, received = 0;

	while (ended < s->n || received < s->n) {
		if (posted < s->n && !ibv_post_recv(s->from->qp, &rr, &rbad))
			posted++;
		if (sent < s->n && !ibv_post_send(s->from->qp, &wr, &bad))
			sent++;
		while (ibv_poll_cq(s->from->cq, 1, &wc) == 1) {
			if (wc.status != IBV_WC_SUCCESS)
				return NULL;
			wc.wr_id == 1 ? ended++ : received++;
		}
	}
	s->done = 1;
	return NULL;
}

// Both sides send to each other from two threads, with short queues and a deadline that is always near.
static void threads(void)
{
	struct plan p = plan();
	struct world w;
	struct sender a = {.n = 5000}, b = a;
	pthread_t t;

	p.timeout = 25;
	p.rnr_retry = 6;
	p.min_rnr_timer = 0; // 4.6 s
	w = connected_world(&p);
	a.from = &w.a;
	b.from = &w.b;
	WANT(pthread_create(&t, NULL, send_many, &a), 0);
	send_many(&b);
	pthread_join(t, NULL);
	CHECK(a.done && b.done, "a request failed");
	end_world(&w);
}

// Many wait at once: some end by the clock, in whatever order they began, some otherwise, and none hears of another's end.
static void many_wait(void)
{
	struct plan p = plan(), q;
	struct world w;
	struct side s[8], lone;
	int i;

	p.timeout = 0;
	p.retry_cnt = 0;
	w = make_world(&p);
	lone = w.b;
	for (i = 0; i < 8; i++) {
		q = p;
		q.timeout = i & 1 ? 10 - i / 2 : 22; // 2.1 ms and less, the later the shorter; or 17 s
		s[i] = make_side(w.pd, &p);
		to_init(s[i].qp, 0);
		to_rtr(s[i].qp, lone.qp->qp_num, 0, &p, 0); // who knows nothing of it
		to_rts(s[i].qp, 0, &q);
		WANT(post_send(&s[i], (struct ibv_send_wr){.wr_id = i, .opcode = IBV_WR_SEND}), 0);
	}
	WANT(to_state(s[4].qp, IBV_QPS_RESET), 0);
	for (i = 1; i < 8; i += 2)
		SOON(s[i].cq, i, IBV_WC_RETRY_EXC_ERR);
	for (i = 0; i < 8; i += 2)
		NONE(s[i].cq);
	WANT(to_state(s[2].qp, IBV_QPS_ERR), 0);
	ONE(s[2].cq, 2, IBV_WC_WR_FLUSH_ERR);
	for (i = 0; i < 8; i++)
		end_side(&s[i]);
	CHECK(!w.d->waiters, "the list is not empty");
	end_world(&w);
}

// A receive that comes about when the sender gives up: there is one completion, whoever wins.
static void races_the_clock(void)
{
	struct plan p = plan();
	struct world w;
	int i, won = 0;

	p.rnr_retry = 1;
	p.min_rnr_timer = 2; // 40 us
	w = make_world(&p);
	for (i = 0; i < 200; i++) {
		struct ibv_wc wc;

		connect_sides(&w.a, &w.b, &p);
		WANT(post_send(&w.a, (struct ibv_send_wr){.wr_id = i, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}), 0);
		if (i % 4)
			usleep(i % 60);
		WANT(post_recv(&w.b, 1000 + i, NULL, 0), 0);
		while (!ibv_poll_cq(w.a.cq, 1, &wc))
			;
		WANT(wc.wr_id, i);
		CHECK(wc.status == IBV_WC_SUCCESS || wc.status == IBV_WC_RNR_RETRY_EXC_ERR, "status %d", wc.status);
		won += wc.status == IBV_WC_SUCCESS;
		NONE(w.a.cq);
		if (wc.status == IBV_WC_SUCCESS)
			ONE(w.b.cq, 1000 + i, IBV_WC_SUCCESS);
		NONE(w.b.cq);
		WANT(to_state(w.a.qp, IBV_QPS_RESET), 0);
		WANT(to_state(w.b.qp, IBV_QPS_RESET), 0);
	}
	CHECK(won, "the receive never came in time");
	end_world(&w);
}

// Faults of posts say which request was refused; a device that is gone refuses all, and has flushed what there was.
static void faults(void)
{
	struct plan p = plan();
	struct world w = connected_world(&p);
	struct softdev_fault f = {.verb = SD_post_send, .times = 1, .fails = 1, .value = ENOMEM, .err = ENOMEM};
	struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND}, *bad = NULL;
	struct ibv_recv_wr rr = {.wr_id = 2}, *rbad = NULL;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct ibv_qp_init_attr init;

	WANT(softdev_fail(w.d, &f), 0);
	WANT(ibv_post_send(w.a.qp, &wr, &bad), ENOMEM);
	CHECK(bad == &wr, "bad request is %p", (void *)bad);
	f.verb = SD_post_recv;
	WANT(softdev_fail(w.d, &f), 0);
	WANT(ibv_post_recv(w.a.qp, &rr, &rbad), ENOMEM);
	CHECK(rbad == &rr, "bad receive is %p", (void *)rbad);
	WANT(ibv_post_send(w.a.qp, &wr, &bad), 0);
	WANT(softdev_calls(w.d, SD_post_send), 2);
	WANT(ibv_post_recv(w.a.qp, &rr, &rbad), 0);
	softdev_lose(w.d);
	ONE(w.a.cq, 1, IBV_WC_WR_FLUSH_ERR);
	ONE(w.a.cq, 2, IBV_WC_WR_FLUSH_ERR);
	WANT(ibv_post_send(w.a.qp, &wr, &bad), EIO);
	WANT(ibv_post_recv(w.a.qp, &rr, &rbad), EIO);
	WANT(sd_modify_qp(w.a.qp, &attr, IBV_QP_STATE), EIO);
	WANT(sd_query_qp(w.a.qp, &attr, IBV_QP_STATE, &init), EIO);
	WANT(sd_destroy_qp(w.a.qp), EIO);
	CHECK(!sd_create_qp(w.pd, &init) && errno == EIO, "create_qp: %s", strerror(errno));
	WANT(sd_close_device(w.context), 0);
	WANT(softdev_free(w.d), 0);
	free(w.a.memory);
	free(w.b.memory);
}

int main(void)
{
	moves_messages();
	inlines();
	reads_and_writes();
	remote_errors();
	receive_errors();
	local_errors();
	invalidates();
	posts_are_checked();
	places_free_up();
	gives_up();
	waits_for_ever();
	strangers();
	counts_packets();
	oneself();
	both_wait();
	drains();
	destroy_waits();
	closing_ends_all();
	large();
	threads();
	many_wait();
	races_the_clock();
	faults();
	printf("data_test: %d checks passed\n", checks);
	return 0;
}
