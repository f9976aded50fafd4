// Verbs that are made to fail, and a device that goes.

#define _GNU_SOURCE
#include "control.h"

static void fail(int verb, uint64_t skip, uint64_t times, int value, int err)
{
	struct softdev_fault f = {.verb = verb, .skip = skip, .times = times, .fails = 1, .value = value, .err = err};

	CHECK_IS(softdev_fail(device, &f), 0);
}

static void test_faults(void)
{
	struct softdev_fault slow = {.verb = SD_alloc_pd, .times = 1, .delay_ns = 30000000}, none = {.verb = SD_alloc_pd};
	struct ibv_wc wc;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	uint64_t start;

	begin(NULL);
	fail(SD_alloc_pd, 1, 2, 0, ENOMEM);
	fail(SD_alloc_pd, 1, 1, 0, EPERM);
	fail(SD_dealloc_pd, 0, 1, EBUSY, EBUSY);
	CHECK_IS(softdev_fail(device, &none), 0);
	pd = sd_alloc_pd(context);
	CHECK(pd != NULL);
	CHECK_ERRNO(!sd_alloc_pd(context), ENOMEM);
	CHECK_ERRNO(!sd_alloc_pd(context), ENOMEM);
	CHECK_IS(sd_dealloc_pd(pd), EBUSY);
	CHECK_IS(sd_dealloc_pd(pd), 0);
	pd = sd_alloc_pd(context);
	CHECK(pd != NULL);
	CHECK_ERRNO(!sd_alloc_pd(context), EPERM);
	CHECK_IS(sd_dealloc_pd(pd), 0);
	CHECK_IS(device->faulty, 0);
	CHECK_IS(softdev_calls(device, SD_alloc_pd), 5);
	CHECK_IS(softdev_calls(device, SD_dealloc_pd), 3);
	// Slow, and no failure.
	CHECK_IS(softdev_fail(device, &slow), 0);
	start = sd_now();
	pd = sd_alloc_pd(context);
	CHECK(pd && sd_now() - start >= 30000000);
	CHECK_IS(sd_dealloc_pd(pd), 0);
	// poll_cq, whose calls are counted elsewhere; and healing.
	cq = sd_create_cq(context, 4, NULL, NULL, 0);
	complete(cq, 1);
	fail(SD_poll_cq, 0, 1, -EIO, 0);
	fail(SD_poll_cq, 0, 1, -1, 0);
	fail(SD_poll_cq, 2, 0, 0, 0);
	fail(SD_poll_cq, 0, 1000, -1, 0);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), -EIO);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), -1);
	CHECK_IS(ibv_poll_cq(cq, 0, &wc), 0);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), 1);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), -1);
	softdev_heal(device);
	CHECK_IS(device->faulty, 0);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), 0);
	CHECK_IS(softdev_calls(device, SD_poll_cq), 6);
	CHECK_IS(sd_destroy_cq(cq), 0);
	end();
}

// What each verb returns for an errno value: see its manual page.
static void test_failure(void)
{
	CHECK_IS(softdev_failure(SD_dealloc_pd, EBUSY), EBUSY);
	CHECK_IS(softdev_failure(SD_post_send, ENOMEM), ENOMEM);
	CHECK_IS(softdev_failure(SD_query_port, EINVAL), EINVAL);
	CHECK_IS(softdev_failure(SD_close_device, EIO), -1);
	CHECK_IS(softdev_failure(SD_query_gid_ex, ENODATA), ENODATA);
	CHECK_IS(softdev_failure(SD_query_gid, EIO), -1);
	CHECK_IS(softdev_failure(SD_query_pkey, EIO), -1);
	CHECK_IS(softdev_failure(SD_get_pkey_index, EIO), -1);
	CHECK_IS(softdev_failure(SD_get_async_event, EIO), -1);
	CHECK_IS(softdev_failure(SD_get_cq_event, EIO), -1);
	CHECK_IS(softdev_failure(SD_query_gid_table, EIO), -EIO);
	CHECK_IS(softdev_failure(SD_poll_cq, EIO), -EIO);
	CHECK_IS(softdev_failure(SD_alloc_pd, EIO), 0);
	CHECK_IS(softdev_failure(SD_ack_cq_events, EIO), 0);
	CHECK_IS(softdev_failure(-1, EIO), 0);
}

// Each verb of this file made to fail does nothing but say so.
static void test_each_fault(void)
{
	static char memory[10];
	struct ibv_device_attr_ex attr;
	struct ibv_comp_channel *channel;
	struct ibv_async_event e;
	struct ibv_gid_entry entry;
	struct ibv_port_attr port;
	union ibv_gid gid;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq, *got;
	void *arg;
	__be16 pkey;
	uint32_t before[SD_NKINDS], after[SD_NKINDS];
	int verb;

	begin(NULL);
	pd = sd_alloc_pd(context);
	mr = sd_reg_mr(pd, memory, 10, 0);
	channel = sd_create_comp_channel(context);
	cq = sd_create_cq(context, 1, NULL, channel, 0);
	softdev_objects(device, before);
	for (verb = 0; verb < SD_NVERBS; verb++)
		fail(verb, 0, 1, softdev_failure(verb, ENOSPC), ENOSPC);
	CHECK_ERRNO(!sd_open_device(context->device), ENOSPC);
	CHECK_ERRNO(!sd_alloc_pd(context), ENOSPC);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 1, 0), ENOSPC);
	fail(SD_reg_mr, 0, 1, 0, ENOSPC); // the same verb
	CHECK_ERRNO(!sd_reg_mr_iova2(pd, memory, 1, (uintptr_t)memory, 0), ENOSPC);
	CHECK_IS(softdev_calls(device, SD_reg_mr), 3);
	CHECK_ERRNO(!sd_create_comp_channel(context), ENOSPC);
	CHECK_ERRNO(!sd_create_cq(context, 1, NULL, NULL, 0), ENOSPC);
	CHECK_ERRNO(sd_get_async_event(context, &e) == -1, ENOSPC);
	CHECK_ERRNO(sd_get_cq_event(channel, &got, &arg) == -1, ENOSPC);
	CHECK_ERRNO(sd_query_gid(context, 1, 0, &gid) == -1, ENOSPC);
	CHECK_ERRNO(sd_query_pkey(context, 1, 0, &pkey) == -1, ENOSPC);
	CHECK_ERRNO(sd_get_pkey_index(context, 1, 0xffff) == -1, ENOSPC);
	CHECK_ERRNO(sd_get_device_index(context->device) == -1, ENOSPC);
	CHECK_ERRNO(!sd_get_device_name(context->device), ENOSPC);
	CHECK_ERRNO(!sd_get_device_guid(context->device), ENOSPC);
	CHECK_ERRNO(sd_close_device(context) == -1, ENOSPC);
	CHECK_IS(sd_dealloc_pd(pd), ENOSPC);
	CHECK_IS(sd_dereg_mr(mr), ENOSPC);
	CHECK_IS(sd_destroy_cq(cq), ENOSPC);
	CHECK_IS(sd_destroy_comp_channel(channel), ENOSPC);
	CHECK_IS(sd_query_device(context, &attr.orig_attr), ENOSPC);
	CHECK_IS(sd_query_device_ex(context, NULL, &attr, sizeof attr), ENOSPC);
	CHECK_IS(ibv_query_port(context, 1, &port), ENOSPC);
	CHECK_IS(sd_query_gid_ex(context, 1, 0, &entry, 0, sizeof entry), ENOSPC);
	CHECK_IS(sd_query_gid_table(context, &entry, 1, 0, sizeof entry), -ENOSPC);
	CHECK_IS(ibv_poll_cq(cq, 1, NULL), -ENOSPC);
	CHECK_IS(ibv_req_notify_cq(cq, 0), ENOSPC);
	sd_ack_cq_events(cq, 1);
	CHECK_IS(cq->comp_events_completed, 0);
	e = (struct ibv_async_event){.event_type = IBV_EVENT_CQ_ERR, .element.cq = cq};
	sd_ack_async_event(&e);
	CHECK_IS(cq->async_events_completed, 0);
	softdev_objects(device, after);
	CHECK_IS(memcmp(before, after, sizeof before), 0);
	softdev_heal(device);
	CHECK_IS(sd_dereg_mr(mr), 0);
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_IS(sd_destroy_comp_channel(channel), 0);
	CHECK_IS(sd_dealloc_pd(pd), 0);
	end();
}

// The device goes: what is in memory can still be had, and all else fails until the context is closed.
static void test_lose(void)
{
	struct ibv_comp_channel *channel;
	struct ibv_async_event e;
	struct ibv_wc wc;
	union ibv_gid gid;
	struct ibv_pd *pd;
	struct ibv_cq *cq, *got;
	void *arg;
	uint32_t counts[SD_NKINDS];

	begin(NULL);
	pd = sd_alloc_pd(context);
	channel = sd_create_comp_channel(context);
	cq = sd_create_cq(context, 4, NULL, channel, 0);
	ibv_req_notify_cq(cq, 0);
	complete(cq, 1);
	softdev_lose(device);
	softdev_lose(device);
	CHECK_IS(sd_get_async_event(context, &e), 0);
	CHECK_IS(e.event_type, IBV_EVENT_DEVICE_FATAL);
	CHECK(!readable(context->async_fd));
	sd_ack_async_event(&e);
	CHECK_IS(sd_get_cq_event(channel, &got, &arg), 0);
	sd_ack_cq_events(cq, 1);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), 1);
	CHECK(!strcmp(sd_get_device_name(context->device), "softdev0"));
	CHECK_ERRNO(!sd_alloc_pd(context), EIO);
	CHECK_ERRNO(!sd_open_device(context->device), EIO);
	CHECK_ERRNO(sd_query_gid(context, 1, 0, &gid) == -1, EIO);
	CHECK_IS(sd_query_gid_table(context, NULL, 0, 0, 0), -EIO);
	CHECK_IS(ibv_req_notify_cq(cq, 0), EIO);
	CHECK_IS(sd_destroy_cq(cq), EIO);
	CHECK_IS(sd_dealloc_pd(pd), EIO);
	// A fault wins over the loss, and is healed without ending it.
	fail(SD_dealloc_pd, 0, 1, EBUSY, EBUSY);
	CHECK_IS(sd_dealloc_pd(pd), EBUSY);
	softdev_heal(device);
	CHECK_IS(sd_dealloc_pd(pd), EIO);
	CHECK_IS(sd_close_device(context), 0);
	softdev_orphans(device, counts);
	CHECK(counts[SD_PD] == 1 && counts[SD_CQ] == 1 && counts[SD_CHANNEL] == 1);
	CHECK_IS(softdev_free(device), 0);
}

int main(void)
{
	RUN(test_faults);
	RUN(test_failure);
	RUN(test_each_fault);
	RUN(test_lose);
	return failures != 0;
}
