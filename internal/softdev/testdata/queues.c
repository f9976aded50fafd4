// Completion queues.

#define _GNU_SOURCE
#include "control.h"

static void test_cq_limits(void)
{
	struct softdev_config exact = {.exact = 1, .max_cqe = 1000};
	struct ibv_comp_channel *channel;
	struct ibv_context *other;
	struct ibv_cq *cq;

	begin(NULL);
	other = sd_open_device(context->device);
	channel = sd_create_comp_channel(other);
	CHECK_ERRNO(!sd_create_cq(context, 1, NULL, channel, 0), EINVAL);
	CHECK_IS(sd_destroy_comp_channel(channel), 0);
	CHECK_IS(sd_close_device(other), 0);
	cq = sd_create_cq(context, 100, &cq, NULL, 0);
	CHECK(cq && cq->cqe == 128 && cq->cq_context == &cq && cq->context == context && !cq->channel);
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_ERRNO(!sd_create_cq(context, 0, NULL, NULL, 0), EINVAL);
	CHECK_ERRNO(!sd_create_cq(context, -1, NULL, NULL, 0), EINVAL);
	CHECK_ERRNO(!sd_create_cq(context, (1 << 20) + 1, NULL, NULL, 0), EINVAL);
	CHECK_ERRNO(!sd_create_cq(context, 1, NULL, NULL, 1), EINVAL);
	CHECK_ERRNO(!sd_create_cq(context, 1, NULL, NULL, -1), EINVAL);
	end();
	begin(&exact);
	cq = sd_create_cq(context, 1000, NULL, NULL, 0);
	CHECK_IS(cq->cqe, 1000);
	CHECK_IS(sd_destroy_cq(cq), 0);
	end();
	exact.exact = 0;
	begin(&exact);
	cq = sd_create_cq(context, 900, NULL, NULL, 0);
	CHECK_IS(cq->cqe, 1000);
	CHECK_IS(sd_destroy_cq(cq), 0);
	end();
}

// Completions come in order; what does not fit is lost and reported, and the queue goes on.
static void test_overrun(void)
{
	struct softdev_config config = {.exact = 1};
	struct ibv_async_event e;
	struct ibv_wc wc[8];
	struct ibv_cq *cq;
	int i;

	begin(&config);
	cq = sd_create_cq(context, 3, NULL, NULL, 0);
	CHECK_IS(ibv_poll_cq(cq, 8, wc), 0);
	for (i = 0; i < 3; i++)
		CHECK_IS(complete(cq, i), 0);
	CHECK_IS(complete(cq, 3), EOVERFLOW);
	CHECK_IS(complete(cq, 4), EOVERFLOW);
	for (i = 0; i < 2; i++) {
		CHECK_IS(sd_get_async_event(context, &e), 0);
		CHECK(e.event_type == IBV_EVENT_CQ_ERR && e.element.cq == cq);
		sd_ack_async_event(&e);
	}
	CHECK_IS(ibv_poll_cq(cq, 0, wc), 0);
	CHECK_IS(ibv_poll_cq(cq, -1, wc), -EINVAL);
	CHECK_IS(ibv_poll_cq(cq, 2, wc), 2);
	CHECK(wc[0].wr_id == 0 && wc[1].wr_id == 1 && wc[1].byte_len == 77);
	CHECK_IS(complete(cq, 5), 0);
	CHECK_IS(ibv_poll_cq(cq, 8, wc), 2);
	CHECK(wc[0].wr_id == 2 && wc[1].wr_id == 5);
	CHECK_IS(softdev_calls(device, SD_poll_cq), 5);
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_IS(softdev_calls(device, SD_poll_cq), 5);
	end();
}

// Polling frees places of the queue that a completion belongs to, and a purge takes out its completions only.
static void test_purge(void)
{
	_Atomic uint32_t one = 0, two = 0;
	struct ibv_wc wc[8] = {0};
	struct ibv_cq *cq;
	int i;

	begin(NULL);
	cq = sd_create_cq(context, 8, NULL, NULL, 0);
	pthread_mutex_lock(&device->lock);
	for (i = 0; i < 6; i++) {
		wc[0].wr_id = i;
		CHECK_IS(sd_push(SD_OF(sd_cq, cq), wc, i % 2 ? &one : &two, i + 1, 0), 0);
	}
	pthread_mutex_unlock(&device->lock);
	CHECK_IS(ibv_poll_cq(cq, 2, wc), 2);
	CHECK(one == 2 && two == 1);
	pthread_mutex_lock(&device->lock);
	sd_purge(SD_OF(sd_cq, cq), &two);
	pthread_mutex_unlock(&device->lock);
	CHECK_IS(ibv_poll_cq(cq, 8, wc), 2);
	CHECK(wc[0].wr_id == 3 && wc[1].wr_id == 5 && one == 6 && two == 1);
	CHECK_IS(sd_destroy_cq(cq), 0);
	end();
}

static void *churn(void *arg)
{
	static char memory[100];
	struct ibv_pd *pd = sd_alloc_pd(arg);
	int i;

	for (i = 0; i < 200; i++) {
		struct ibv_mr *mr = sd_reg_mr(pd, memory, 100, 0);
		struct ibv_cq *cq = sd_create_cq(arg, 4, NULL, NULL, 0);
		struct ibv_wc wc;

		complete(cq, i);
		CHECK_IS(ibv_poll_cq(cq, 1, &wc), 1);
		softdev_calls(device, SD_poll_cq);
		sd_dereg_mr(mr);
		CHECK_IS(sd_destroy_cq(cq), 0);
	}
	CHECK_IS(sd_dealloc_pd(pd), 0);
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	int i;

	begin(NULL);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn, context);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK_IS(softdev_calls(device, SD_poll_cq), 800);
	end();
}

int main(void)
{
	RUN(test_cq_limits);
	RUN(test_overrun);
	RUN(test_purge);
	RUN(test_threads);
	return failures != 0;
}
