//go:build linux && cgo

#define _GNU_SOURCE
#include "core.h"

#include <unistd.h>

// For functions of a context's table that the header calls without a look: the library fills gaps with such as well. What poll_cq
// returns then is positive, and no count.
static int no_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq, (void)n, (void)wc;
	return EOPNOTSUPP;
}

static int no_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	(void)cq, (void)solicited_only;
	return EOPNOTSUPP;
}

static int no_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp, *bad = wr;
	return EOPNOTSUPP;
}

static int no_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)qp, *bad = wr;
	return EOPNOTSUPP;
}

// fill sets the functions that the header's inlines call.
static void fill(struct sd_context *c)
{
	const uint8_t *absent = c->d->config.absent;
	struct verbs_context *v = &c->v;

#define OP(name) (absent[SD_##name] ? no_##name : sd_##name)
	v->context.ops.poll_cq = OP(poll_cq);
	v->context.ops.req_notify_cq = OP(req_notify_cq);
	v->context.ops.post_send = OP(post_send);
	v->context.ops.post_recv = OP(post_recv);
#undef OP
#define MEMBER(name) v->name = absent[SD_##name] ? NULL : sd_##name
	MEMBER(create_cq_ex);
	MEMBER(create_qp_ex);
	MEMBER(create_rwq_ind_table);
	MEMBER(create_wq);
	MEMBER(destroy_rwq_ind_table);
	MEMBER(destroy_wq);
	MEMBER(modify_wq);
	MEMBER(query_device_ex);
	MEMBER(query_port);
#undef MEMBER
	// An older library's struct begins later, and what is there is somebody else's.
	memset(v, 0xa5, c->d->config.less);
	v->sz = sizeof *v - c->d->config.less;
}

static struct sd_context *context_new(struct softdev *d)
{
	struct sd_context *c = calloc(1, sizeof *c);
	int r = c ? sd_events_init(&c->async) : ENOMEM;

	if (r) {
		free(c);
		errno = r;
		return NULL;
	}
	c->d = d;
	sd_list_init(&c->objects);
	c->v.context.device = &d->dev;
	c->v.context.cmd_fd = -1;
	c->v.context.async_fd = c->async.fd;
	c->v.context.num_comp_vectors = 1;
	c->v.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	pthread_mutex_init(&c->v.context.mutex, NULL);
	fill(c);
	return c;
}

static void context_free(struct sd_context *c)
{
	sd_events_free(&c->async);
	pthread_mutex_destroy(&c->v.context.mutex);
	free(c);
}

struct ibv_context *sd_open_device(struct ibv_device *device)
{
	struct softdev *d = SD_OF(softdev, device);
	struct sd_context *c;
	int value;

	if (sd_enter(d, SD_open_device, &value))
		return NULL;
	c = context_new(d);
	if (!c)
		return NULL;
	value = d->registry.add ? d->registry.add(&c->v.context, d->registry.ops) : 0;
	if (value) {
		context_free(c);
		errno = value;
		return NULL;
	}
	pthread_mutex_lock(&d->lock);
	sd_add(c, &c->o, SD_CONTEXT);
	pthread_mutex_unlock(&d->lock);
	return &c->v.context;
}

// Ends a context and all that is left in it.
void sd_end_context(struct sd_context *c)
{
	sd_end_all(c);
	sd_remove(&c->o);
	if (c->d->registry.remove)
		c->d->registry.remove(&c->v.context);
	context_free(c);
}

// ibv_close_device(3) leaves it to the program to free what it made before; here that ends, as the kernel's part of them does
// when the descriptor is closed, and are counted.
int sd_close_device(struct ibv_context *context)
{
	struct softdev *d = sd_device(context);
	int value;

	if (sd_enter(d, SD_close_device, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	sd_end_context(sd_context(context));
	pthread_mutex_unlock(&d->lock);
	return 0;
}
