// Completion channels and asynchronous events: taking, waiting, acknowledging.

#define _GNU_SOURCE
#include "control.h"

#include <fcntl.h>
#include <signal.h>

static atomic_int destroyed;

static void test_notify(void)
{
	struct ibv_wc bad = {.status = IBV_WC_WR_FLUSH_ERR}, good = {.wr_id = 1};
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq, *got;
	void *arg;

	begin(NULL);
	channel = sd_create_comp_channel(context);
	CHECK(channel && channel->context == context && channel->fd >= 0);
	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK);
	CHECK_ERRNO(sd_get_cq_event(channel, &got, &arg) == -1, EAGAIN);
	cq = sd_create_cq(context, 16, &device, channel, 0);
	CHECK(cq->channel == channel && channel->refcnt == 1);
	CHECK_IS(sd_destroy_comp_channel(channel), EBUSY);
	// Not armed: nothing. What is there before arming does not count either.
	complete(cq, 0);
	CHECK_IS(ibv_req_notify_cq(cq, 0), 0);
	CHECK(!readable(channel->fd));
	// One event for each arming.
	complete(cq, 1);
	complete(cq, 2);
	CHECK(readable(channel->fd));
	CHECK_IS(sd_get_cq_event(channel, &got, &arg), 0);
	CHECK(got == cq && arg == &device && !readable(channel->fd));
	// Solicited or failed ones only.
	CHECK_IS(ibv_req_notify_cq(cq, 1), 0);
	complete(cq, 3);
	CHECK(!readable(channel->fd));
	softdev_complete(device, cq, &good, 1);
	CHECK(readable(channel->fd));
	CHECK_IS(sd_get_cq_event(channel, &got, &arg), 0);
	ibv_req_notify_cq(cq, 1);
	softdev_complete(device, cq, &bad, 0);
	CHECK_IS(sd_get_cq_event(channel, &got, &arg), 0);
	// Any completion is still waited for if solicited ones are asked for as well.
	ibv_req_notify_cq(cq, 0);
	ibv_req_notify_cq(cq, 1);
	complete(cq, 4);
	CHECK_IS(sd_get_cq_event(channel, &got, &arg), 0);
	sd_ack_cq_events(cq, 4);
	// An event that nobody took goes with the queue.
	ibv_req_notify_cq(cq, 0);
	complete(cq, 5);
	CHECK(readable(channel->fd));
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK(!readable(channel->fd) && channel->refcnt == 0);
	// Arming without a channel leads nowhere.
	cq = sd_create_cq(context, 16, NULL, NULL, 0);
	CHECK_IS(ibv_req_notify_cq(cq, 0), 0);
	CHECK_IS(complete(cq, 1), 0);
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_IS(sd_destroy_comp_channel(channel), 0);
	end();
}

// A device that goes by the last request forgets that any completion was asked for.
static void test_last_notify(void)
{
	struct softdev_config config = {.last_notify = 1};
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;

	begin(&config);
	channel = sd_create_comp_channel(context);
	cq = sd_create_cq(context, 16, NULL, channel, 0);
	ibv_req_notify_cq(cq, 0);
	ibv_req_notify_cq(cq, 1);
	complete(cq, 1);
	CHECK(!readable(channel->fd));
	ibv_req_notify_cq(cq, 0);
	complete(cq, 2);
	CHECK(readable(channel->fd));
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_IS(sd_destroy_comp_channel(channel), 0);
	end();
}

// A thread that waits for an event.
static void *wait_cq(void *arg)
{
	struct ibv_comp_channel *channel = arg;
	struct ibv_cq *cq = NULL;
	void *cq_context;

	CHECK_IS(sd_get_cq_event(channel, &cq, &cq_context), 0);
	return cq;
}

static void nothing(int signal)
{
	(void)signal;
}

// Waiting ends with the event, and not with a signal.
static void test_wait(void)
{
	struct sigaction act = {.sa_handler = nothing}, old;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	pthread_t thread;
	void *got;

	begin(NULL);
	sigaction(SIGUSR1, &act, &old);
	channel = sd_create_comp_channel(context);
	cq = sd_create_cq(context, 16, NULL, channel, 0);
	ibv_req_notify_cq(cq, 0);
	pthread_create(&thread, NULL, wait_cq, channel);
	pause_ms(20);
	pthread_kill(thread, SIGUSR1);
	pause_ms(20);
	complete(cq, 1);
	pthread_join(thread, &got);
	CHECK(got == cq);
	sd_ack_cq_events(cq, 1);
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_IS(sd_destroy_comp_channel(channel), 0);
	sigaction(SIGUSR1, &old, NULL);
	end();
}

static void *destroy(void *arg)
{
	CHECK_IS(sd_destroy_cq(arg), 0);
	destroyed = 1;
	return NULL;
}

// Destroying waits for what was taken to be acknowledged: ibv_get_cq_event(3), ibv_get_async_event(3).
static void test_acknowledge(void)
{
	struct ibv_comp_channel *channel;
	struct ibv_async_event e;
	struct ibv_cq *cq, *got;
	pthread_t thread;
	void *arg;

	begin(NULL);
	channel = sd_create_comp_channel(context);
	cq = sd_create_cq(context, 16, NULL, channel, 0);
	ibv_req_notify_cq(cq, 0);
	complete(cq, 1);
	CHECK_IS(sd_get_cq_event(channel, &got, &arg), 0);
	CHECK_IS(softdev_raise(device, SD_CQ, cq, IBV_EVENT_CQ_ERR), 0);
	CHECK_IS(softdev_raise(device, SD_CQ, cq, IBV_EVENT_CQ_ERR), 0);
	CHECK_IS(sd_get_async_event(context, &e), 0);
	destroyed = 0;
	pthread_create(&thread, NULL, destroy, cq);
	pause_ms(20);
	CHECK_IS(destroyed, 0);
	sd_ack_cq_events(cq, 1);
	pause_ms(20);
	CHECK_IS(destroyed, 0);
	sd_ack_async_event(&e);
	pthread_join(thread, NULL);
	CHECK(!readable(context->async_fd));
	CHECK_IS(sd_destroy_comp_channel(channel), 0);
	CHECK_IS(softdev_calls(device, SD_ack_cq_events), 1);
	CHECK_IS(softdev_calls(device, SD_ack_async_event), 1);
	end();
}

static void test_port_events(void)
{
	struct ibv_context *other;
	struct ibv_async_event e;
	struct ibv_port_attr p;
	struct ibv_cq *cq;

	begin(NULL);
	other = sd_open_device(context->device);
	fcntl(context->async_fd, F_SETFL, O_NONBLOCK);
	CHECK_ERRNO(sd_get_async_event(context, &e) == -1, EAGAIN);
	softdev_set_port(device, 0);
	softdev_set_port(device, 1);
	CHECK_IS(softdev_raise_port(device, IBV_EVENT_GID_CHANGE, 1), 0);
	CHECK_IS(softdev_raise_port(device, IBV_EVENT_CQ_ERR, 1), EINVAL);
	CHECK_IS(softdev_raise_port(device, IBV_EVENT_SRQ_ERR, 1), EINVAL);
	CHECK_IS(softdev_raise_port(device, 12345, 1), EINVAL);
	CHECK_IS(sd_get_async_event(context, &e), 0);
	CHECK(e.event_type == IBV_EVENT_PORT_ERR && e.element.port_num == 1);
	sd_ack_async_event(&e);
	CHECK_IS(sd_get_async_event(other, &e), 0);
	CHECK_IS(e.event_type, IBV_EVENT_PORT_ERR);
	CHECK_IS(sd_get_async_event(context, &e), 0);
	CHECK_IS(e.event_type, IBV_EVENT_PORT_ACTIVE);
	CHECK_IS(sd_get_async_event(context, &e), 0);
	CHECK_IS(e.event_type, IBV_EVENT_GID_CHANGE);
	CHECK_ERRNO(sd_get_async_event(context, &e) == -1, EAGAIN);
	softdev_set_port(device, 0);
	CHECK_IS(ibv_query_port(context, 1, &p), 0);
	CHECK(p.state == IBV_PORT_DOWN && p.phys_state == 3);
	cq = sd_create_cq(context, 1, NULL, NULL, 0);
	CHECK_IS(softdev_raise(device, SD_CQ, cq, IBV_EVENT_PORT_ERR), EINVAL);
	CHECK_IS(softdev_raise(device, SD_CQ, cq, IBV_EVENT_QP_FATAL), EINVAL);
	CHECK_IS(softdev_raise(device, SD_CONTEXT, cq, IBV_EVENT_PORT_ERR), EINVAL);
	CHECK_IS(sd_destroy_cq(cq), 0);
	CHECK_IS(sd_close_device(other), 0);
	end();
}

int main(void)
{
	RUN(test_notify);
	RUN(test_last_notify);
	RUN(test_wait);
	RUN(test_acknowledge);
	RUN(test_port_events);
	return failures != 0;
}
