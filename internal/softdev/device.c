//go:build linux && cgo

#define _GNU_SOURCE
#include "core.h"

#include <endian.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[SD_NVERBS] = {
#define X(name) [SD_##name] = #name,
	SOFTDEV_VERBS(X)
#undef X
};

static const softdev_function_t functions[SD_NVERBS] = {
#define X(name) [SD_##name] = (softdev_function_t)(void *)sd_##name,
	SOFTDEV_EXPORTED(X)
	SOFTDEV_UNDERSCORED(X)
#undef X
	[SD_query_port] = (softdev_function_t)(void *)sd_query_port_old,
};

const char *softdev_verb_name(int verb)
{
	return verb >= 0 && verb < SD_NVERBS ? names[verb] : NULL;
}

int softdev_is_underscored(int verb)
{
	return verb == SD_query_gid_ex || verb == SD_query_gid_table;
}

softdev_function_t softdev_function(struct softdev *d, int verb)
{
	return verb >= 0 && verb < SD_NVERBS && !d->config.absent[verb] ? functions[verb] : NULL;
}

static const struct {
	enum softdev_verb verb;
	const char *name;
	softdev_function_t served;
} aliases[] = {
#define X(verb, name) {SD_##verb, #name, (softdev_function_t)(void *)sd_##name},
	SOFTDEV_ALIASES(X)
#undef X
};

const char *softdev_alias(struct softdev *d, int i, softdev_function_t *served)
{
	if (i < 0 || i >= (int)(sizeof aliases / sizeof *aliases))
		return NULL;
	*served = d->config.absent[aliases[i].verb] ? NULL : aliases[i].served;
	return aliases[i].name;
}

// Zeros of a configuration become what softdev.h says that they stand for.
static void complete(struct softdev_config *c)
{
#define DEFAULT(member, value) c->member = c->member ? c->member : (value)
	if (!c->name[0])
		strcpy(c->name, "softdev0");
	c->name[sizeof c->name - 1] = 0;
	DEFAULT(max_qp_wr, 16384);
	DEFAULT(max_sge, 16);
	DEFAULT(max_cqe, 1 << 20);
	DEFAULT(max_inline_data, 256);
	DEFAULT(max_wq, 4096);
	DEFAULT(max_mr_size, UINT64_C(1) << 40);
	DEFAULT(raw_packet_caps, IBV_RAW_PACKET_CAP_CVLAN_STRIPPING |
		IBV_RAW_PACKET_CAP_SCATTER_FCS | IBV_RAW_PACKET_CAP_IP_CSUM | IBV_RAW_PACKET_CAP_DELAY_DROP);
#undef DEFAULT
	if (c->no_raw_packet_caps)
		c->raw_packet_caps = 0;
}

// possible tells whether a device can be so. Its attributes tell limits as C's int.
static int possible(const struct softdev_config *c)
{
	return c->less <= offsetof(struct verbs_context, sz) && c->max_qp_wr <= INT32_MAX && c->max_sge <= INT32_MAX &&
	       c->max_cqe <= INT32_MAX && c->max_inline_data <= INT32_MAX && c->max_wq <= INT32_MAX;
}

struct softdev *softdev_new(const struct softdev_config *config)
{
	struct softdev *d;
	int r;

	if (!possible(config)) {
		errno = EINVAL;
		return NULL;
	}
	d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->config = *config;
	complete(&d->config);
	d->dev.node_type = IBV_NODE_CA;
	d->dev.transport_type = IBV_TRANSPORT_IB;
	snprintf(d->dev.name, sizeof d->dev.name, "%.*s", (int)sizeof d->dev.name - 1, d->config.name);
	memcpy(d->dev.dev_name, d->dev.name, sizeof d->dev.name);
	d->port_active = 1;
	sd_list_init(&d->contexts);
	pthread_mutex_init(&d->lock, NULL);
	r = sd_timer_start(d);
	if (r) {
		pthread_mutex_destroy(&d->lock);
		free(d);
		errno = r;
		return NULL;
	}
	return d;
}

int softdev_set_registry(struct softdev *d, softdev_add *add, softdev_remove *remove, softdev_function_t const *ops)
{
	int r = add(&d->dev, ops);

	if (!r)
		d->registry = (struct sd_registry){add, remove, ops};
	return r;
}

int softdev_free(struct softdev *d)
{
	int open = 0;

	sd_timer_stop(d);
	if (d->registry.remove)
		d->registry.remove(&d->dev);
	for (; d->contexts.next != &d->contexts; open++)
		sd_end_context((struct sd_context *)d->contexts.next);
	softdev_heal(d);
	pthread_mutex_destroy(&d->lock);
	free(d->mrs.slot);
	free(d->qps.slot);
	free(d);
	return open;
}

struct ibv_device *softdev_device(struct softdev *d)
{
	return &d->dev;
}

const char *sd_get_device_name(struct ibv_device *device)
{
	int value;

	return sd_enter(SD_OF(softdev, device), SD_get_device_name, &value) ? NULL : device->name;
}

__be64 sd_get_device_guid(struct ibv_device *device)
{
	int value;

	return sd_enter(SD_OF(softdev, device), SD_get_device_guid, &value) ? 0 : htobe64(SD_GUID);
}

int sd_get_device_index(struct ibv_device *device)
{
	int value;

	return sd_enter(SD_OF(softdev, device), SD_get_device_index, &value) ? value : 1;
}
