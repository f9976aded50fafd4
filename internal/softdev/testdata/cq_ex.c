// Extended completion queues: ibv_create_cq_ex(3).

#define _GNU_SOURCE
#include "control.h"

#include <time.h>

#define STAMPS (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

static struct ibv_cq_ex *create(uint32_t cqe, uint64_t wc_flags, uint32_t flags)
{
	struct ibv_cq_init_attr_ex a = {.cqe = cqe, .wc_flags = wc_flags, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = flags};

	return ibv_create_cq_ex(context, &a);
}

static int start(struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr a = {0};

	return ibv_start_poll(cq, &a);
}

static void destroy(struct ibv_cq_ex *cq)
{
	CHECK_IS(sd_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

// The errno values of mlx5's create_cq, in its order: the first that is wrong counts.
static void test_refused(void)
{
	struct softdev_config lacks = {.absent = {[SD_create_cq_ex] = 1}};
	struct ibv_cq_init_attr_ex bad[] = {
		{.cqe = 0},
		{.cqe = (1 << 20) + 1},
		{.cqe = UINT32_MAX},
		{.cqe = 1, .comp_vector = 1},
		{.cqe = 1, .comp_vector = UINT32_MAX},
		{.cqe = 1, .comp_mask = 1 << 2},
		{.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = 1 << 2},
		{.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD},
		{.cqe = 1, .comp_mask = 1 << 2, .wc_flags = IBV_WC_EX_WITH_CVLAN},
	};
	struct ibv_cq_init_attr_ex good = {.cqe = 1, .flags = 1 << 2}; // which count for nothing without their bit
	struct ibv_cq_ex *cq;
	size_t i;

	begin(NULL);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_ERRNO(!ibv_create_cq_ex(context, &bad[i]), EINVAL);
	for (i = 0; i < 64; i++) {
		uint64_t flag = UINT64_C(1) << i;

		cq = create(1, flag, 0);
		if (flag & (IBV_WC_STANDARD_FLAGS | STAMPS)) {
			CHECK(cq != NULL);
			destroy(cq);
		} else {
			CHECK(!cq && errno == EOPNOTSUPP);
		}
	}
	cq = ibv_create_cq_ex(context, &good);
	CHECK(cq && cq->cqe == 1 && cq->context == context);
	destroy(cq);
	softdev_fail(device, &(struct softdev_fault){.verb = SD_create_cq_ex, .times = 1, .fails = 1, .err = ENOSPC});
	CHECK_ERRNO(!create(1, 0, 0), ENOSPC);
	end();
	begin(&lacks);
	CHECK_ERRNO(!create(1, 0, 0), EOPNOTSUPP);
	end();
}

// What was asked for can be read, each from its place, and there is no reader for the rest but for those that need no asking.
static void test_fields(void)
{
	struct ibv_wc wc = {.wr_id = 1, .status = IBV_WC_GENERAL_ERR, .opcode = IBV_WC_RECV, .vendor_err = 2, .byte_len = 3, .imm_data = 4, .qp_num = 5,
		.src_qp = 6, .wc_flags = IBV_WC_GRH, .slid = 7, .sl = 8, .dlid_path_bits = 9};
	struct ibv_cq_ex *cq;

	begin(NULL);
	cq = create(4, IBV_WC_STANDARD_FLAGS, 0);
	CHECK_IS(softdev_complete(device, ibv_cq_ex_to_cq(cq), &wc, 0), 0);
	CHECK_IS(start(cq), 0);
	CHECK(cq->wr_id == 1 && cq->status == IBV_WC_GENERAL_ERR && ibv_wc_read_opcode(cq) == IBV_WC_RECV && ibv_wc_read_vendor_err(cq) == 2);
	CHECK(ibv_wc_read_byte_len(cq) == 3 && ibv_wc_read_imm_data(cq) == 4 && ibv_wc_read_invalidated_rkey(cq) == 4 && ibv_wc_read_qp_num(cq) == 5);
	CHECK(ibv_wc_read_src_qp(cq) == 6 && ibv_wc_read_wc_flags(cq) == IBV_WC_GRH && ibv_wc_read_slid(cq) == 7 && ibv_wc_read_sl(cq) == 8);
	CHECK_IS(ibv_wc_read_dlid_path_bits(cq), 9);
	CHECK(!cq->read_completion_ts && !cq->read_completion_wallclock_ns && !cq->read_cvlan && !cq->read_flow_tag && !cq->read_tm_info);
	ibv_end_poll(cq);
	destroy(cq);
	cq = create(4, 0, 0);
	CHECK(cq->read_opcode && cq->read_vendor_err && cq->read_wc_flags);
	CHECK(!cq->read_byte_len && !cq->read_imm_data && !cq->read_qp_num && !cq->read_src_qp && !cq->read_slid && !cq->read_sl && !cq->read_dlid_path_bits);
	destroy(cq);
	end();
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// The time is when the completion was made, and not when it is read, also behind others that were dropped.
static void test_stamps(void)
{
	struct ibv_device_attr_ex a;
	struct ibv_cq_ex *cq;
	uint64_t raw[3], wall[3];

	begin(NULL);
	CHECK_IS(ibv_query_device_ex(context, NULL, &a), 0);
	CHECK(a.completion_timestamp_mask == UINT64_MAX && a.hca_core_clock == 1000000);
	cq = create(4, STAMPS, 0);
	raw[0] = now(CLOCK_MONOTONIC);
	wall[0] = now(CLOCK_REALTIME);
	CHECK_IS(complete(ibv_cq_ex_to_cq(cq), 1), 0);
	raw[1] = now(CLOCK_MONOTONIC);
	wall[1] = now(CLOCK_REALTIME);
	pause_ms(2);
	CHECK_IS(complete(ibv_cq_ex_to_cq(cq), 2), 0);
	raw[2] = now(CLOCK_MONOTONIC);
	wall[2] = now(CLOCK_REALTIME);
	pause_ms(2);
	CHECK_IS(start(cq), 0);
	CHECK(ibv_wc_read_completion_ts(cq) >= raw[0] && ibv_wc_read_completion_ts(cq) <= raw[1]);
	CHECK(ibv_wc_read_completion_wallclock_ns(cq) >= wall[0] && ibv_wc_read_completion_wallclock_ns(cq) <= wall[1]);
	CHECK_IS(ibv_next_poll(cq), 0);
	CHECK(ibv_wc_read_completion_ts(cq) >= raw[1] + 2000000 && ibv_wc_read_completion_ts(cq) <= raw[2]);
	CHECK(ibv_wc_read_completion_wallclock_ns(cq) > wall[1] && ibv_wc_read_completion_wallclock_ns(cq) <= wall[2]);
	ibv_end_poll(cq);
	destroy(cq);
	end();
}

// An empty queue starts nothing; a batch ends where the program wants it to, or the queue is empty, and what is left comes next.
static void test_batches(void)
{
	struct ibv_poll_cq_attr unknown = {.comp_mask = 1};
	struct ibv_cq_ex *cq;
	struct ibv_cq *plain;
	struct ibv_wc wc[8];
	int single, i;

	for (single = 0; single < 2; single++) {
		begin(NULL);
		cq = create(8, 0, single ? IBV_CREATE_CQ_ATTR_SINGLE_THREADED : 0);
		plain = ibv_cq_ex_to_cq(cq);
		CHECK_IS(start(cq), ENOENT);
		CHECK_IS(start(cq), ENOENT); // nothing was left locked
		CHECK_IS(ibv_start_poll(cq, &unknown), EINVAL);
		CHECK_IS(ibv_next_poll(cq), EINVAL); // there is no batch
		ibv_end_poll(cq);
		for (i = 0; i < 5; i++)
			CHECK_IS(complete(plain, i), 0);
		CHECK_IS(start(cq), 0);
		CHECK_IS(cq->wr_id, 0);
		CHECK_IS(start(cq), EDEADLK);
		CHECK_IS(ibv_next_poll(cq), 0);
		CHECK_IS(cq->wr_id, 1);
		CHECK_IS(complete(plain, 5), 0); // the device goes on
		ibv_end_poll(cq);
		CHECK_IS(ibv_poll_cq(plain, 1, wc), 1); // like any queue
		CHECK_IS(wc[0].wr_id, 2);
		CHECK_IS(start(cq), 0);
		for (i = 3; i < 6; i++) {
			CHECK_IS(cq->wr_id, i);
			CHECK_IS(ibv_next_poll(cq), i < 5 ? 0 : ENOENT);
		}
		CHECK_IS(complete(plain, 6), 0);
		CHECK_IS(ibv_next_poll(cq), 0); // the batch is still there
		CHECK_IS(cq->wr_id, 6);
		ibv_end_poll(cq);
		CHECK_IS(start(cq), ENOENT);
		CHECK_IS(softdev_calls(device, SD_start_poll), 7);
		CHECK_IS(softdev_calls(device, SD_next_poll), 6);
		destroy(cq);
		end();
	}
}

static void test_faults(void)
{
	struct softdev_config lacks = {.absent = {[SD_start_poll] = 1, [SD_next_poll] = 1}};
	struct ibv_cq_ex *cq;
	int i;

	begin(NULL);
	cq = create(8, 0, 0);
	for (i = 0; i < 3; i++)
		CHECK_IS(complete(ibv_cq_ex_to_cq(cq), i), 0);
	softdev_fail(device, &(struct softdev_fault){.verb = SD_start_poll, .times = 1, .fails = 1, .value = EIO});
	CHECK_IS(start(cq), EIO); // which takes nothing, and is no batch
	CHECK_IS(start(cq), 0);
	CHECK_IS(cq->wr_id, 0);
	softdev_fail(device, &(struct softdev_fault){.verb = SD_next_poll, .times = 1, .fails = 1, .value = EIO});
	CHECK_IS(ibv_next_poll(cq), EIO);
	ibv_end_poll(cq);
	CHECK_IS(start(cq), 0);
	CHECK_IS(cq->wr_id, 1);
	ibv_end_poll(cq);
	softdev_lose(device); // completions can be polled all the same
	CHECK_IS(start(cq), 0);
	CHECK_IS(cq->wr_id, 2);
	CHECK_IS(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	CHECK_IS(sd_destroy_cq(ibv_cq_ex_to_cq(cq)), EIO);
	CHECK_IS(sd_close_device(context), 0);
	CHECK_IS(softdev_free(device), 0);
	begin(&lacks);
	cq = create(1, 0, 0);
	CHECK_IS(start(cq), EOPNOTSUPP);
	CHECK_IS(ibv_next_poll(cq), EOPNOTSUPP);
	destroy(cq);
	end();
}

// A full queue loses the new completion and tells; one that ignores it loses the oldest, and does not.
static void test_overrun(void)
{
	struct softdev_config exact = {.exact = 1};
	struct ibv_async_event e;
	struct ibv_cq_ex *cq;
	int i;

	begin(&exact);
	cq = create(3, STAMPS, 0);
	for (i = 0; i < 4; i++)
		CHECK_IS(complete(ibv_cq_ex_to_cq(cq), i), i < 3 ? 0 : EOVERFLOW);
	CHECK_IS(sd_get_async_event(context, &e), 0);
	CHECK(e.event_type == IBV_EVENT_CQ_ERR && e.element.cq == ibv_cq_ex_to_cq(cq));
	sd_ack_async_event(&e);
	CHECK_IS(start(cq), 0);
	CHECK_IS(cq->wr_id, 0);
	ibv_end_poll(cq);
	destroy(cq);
	cq = create(3, STAMPS, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
	for (i = 0; i < 5; i++)
		CHECK_IS(complete(ibv_cq_ex_to_cq(cq), i), 0);
	CHECK(!readable(context->async_fd));
	CHECK_IS(start(cq), 0);
	for (i = 2; i < 5; i++) {
		CHECK_IS(cq->wr_id, i);
		CHECK_IS(ibv_next_poll(cq), i < 4 ? 0 : ENOENT);
	}
	ibv_end_poll(cq);
	destroy(cq);
	end();
}

static struct ibv_cq_ex *shared;
static atomic_uint_fast64_t sum;

static void *poller(void *arg)
{
	uint64_t had = 0;

	while (had < 1000) {
		if (start(shared))
			continue;
		do {
			atomic_fetch_add(&sum, shared->wr_id);
			had++;
		} while (had < 1000 && !ibv_next_poll(shared));
		ibv_end_poll(shared);
	}
	return arg;
}

// Batches of several threads do not mix, while the device adds to the queue.
static void test_threads(void)
{
	pthread_t t[3];
	uint64_t i;

	begin(NULL);
	shared = create(4096, 0, 0);
	for (i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, poller, NULL);
	for (i = 1; i <= 3000; i++)
		CHECK_IS(complete(ibv_cq_ex_to_cq(shared), i), 0);
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	CHECK_IS(sum, 3000 * 3001 / 2);
	CHECK_IS(start(shared), ENOENT);
	destroy(shared);
	end();
}

// Events come as for any queue; ibv_get_cq_event(3).
static void test_events(void)
{
	struct ibv_cq_init_attr_ex a = {.cqe = 1, .cq_context = &a};
	struct ibv_cq_ex *cq;
	struct ibv_cq *got;
	void *cookie;

	begin(NULL);
	a.channel = sd_create_comp_channel(context);
	cq = ibv_create_cq_ex(context, &a);
	CHECK_IS(ibv_req_notify_cq(ibv_cq_ex_to_cq(cq), 0), 0);
	CHECK_IS(complete(ibv_cq_ex_to_cq(cq), 1), 0);
	CHECK_IS(sd_get_cq_event(a.channel, &got, &cookie), 0);
	CHECK(got == ibv_cq_ex_to_cq(cq) && cookie == &a);
	sd_ack_cq_events(got, 1);
	CHECK_IS(sd_destroy_comp_channel(a.channel), EBUSY);
	destroy(cq);
	CHECK_IS(sd_destroy_comp_channel(a.channel), 0);
	end();
}

int main(void)
{
	RUN(test_refused);
	RUN(test_fields);
	RUN(test_stamps);
	RUN(test_batches);
	RUN(test_faults);
	RUN(test_overrun);
	RUN(test_threads);
	RUN(test_events);
	return failures != 0;
}
