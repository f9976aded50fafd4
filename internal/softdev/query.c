//go:build linux && cgo

#include "core.h"

#include <endian.h>
#include <stdio.h>

// How many of the things that are limited by memory only.
#define MANY 65536

static void device_attr(struct softdev *d, struct ibv_device_attr *a)
{
	const struct softdev_config *c = &d->config;

	*a = (struct ibv_device_attr){
		.fw_ver = "1.0.0",
		.node_guid = htobe64(SD_GUID),
		.sys_image_guid = htobe64(SD_GUID),
		.max_mr_size = c->max_mr_size,
		.page_size_cap = 0x1000,
		.hw_ver = 1,
		.max_qp = MANY,
		.max_qp_wr = c->max_qp_wr,
		.device_cap_flags = IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_MEM_MGT_EXTENSIONS,
		.max_sge = c->max_sge,
		.max_sge_rd = c->max_sge,
		.max_cq = MANY,
		.max_cqe = c->max_cqe,
		.max_mr = MANY,
		.max_pd = MANY,
		.max_qp_rd_atom = SD_MAX_RD_ATOMIC,
		.max_res_rd_atom = MANY,
		.max_qp_init_rd_atom = SD_MAX_RD_ATOMIC,
		.atomic_cap = IBV_ATOMIC_NONE,
		.max_pkeys = 1,
		.local_ca_ack_delay = 15,
		.phys_port_cnt = 1,
	};
}

int sd_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	struct softdev *d = sd_device(context);
	int value;

	if (sd_enter(d, SD_query_device, &value))
		return value;
	device_attr(d, attr);
	return 0;
}

// size is the caller's header's, and attr may be shorter or longer than ours: ibv_query_device_ex(3).
int sd_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr, size_t size)
{
	struct softdev *d = sd_device(context);
	struct ibv_device_attr_ex a;
	int value;

	if (sd_enter(d, SD_query_device_ex, &value))
		return value;
	if ((input && input->comp_mask) || size < sizeof a.orig_attr)
		return EINVAL;
	memset(&a, 0, sizeof a);
	device_attr(d, &a.orig_attr);
	a.device_cap_flags_ex = a.orig_attr.device_cap_flags;
	a.completion_timestamp_mask = UINT64_MAX;
	a.hca_core_clock = 1000000; // kHz: a tick is a nanosecond
	a.raw_packet_caps = d->config.raw_packet_caps;
	a.max_wq_type_rq = d->config.max_wq;
	a.rss_caps = (struct ibv_rss_caps){
		.supported_qpts = 1 << IBV_QPT_RAW_PACKET,
		.max_rwq_indirection_tables = MANY,
		.max_rwq_indirection_table_size = 1 << SD_MAX_LOG_TABLE,
		.rx_hash_fields_mask = SD_HASH_FIELDS,
		.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
	};
	memset(attr, 0, size);
	memcpy(attr, &a, size < sizeof a ? size : sizeof a);
	return 0;
}

// An Ethernet port: no LIDs, one partition. The physical states are LinkUp and Disabled, as soft-RoCE's.
static void port_attr(int active, struct ibv_port_attr *a)
{
	memset(a, 0, sizeof *a);
	a->state = active ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	a->max_mtu = IBV_MTU_4096;
	a->active_mtu = IBV_MTU_4096;
	a->gid_tbl_len = SD_GIDS;
	a->port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS;
	a->max_msg_sz = 1u << 31;
	a->pkey_tbl_len = 1;
	a->max_vl_num = 1;
	a->active_width = 1; // one lane
	a->active_speed = 1; // of 2.5 Gbit/s
	a->phys_state = active ? 5 : 3;
	a->link_layer = IBV_LINK_LAYER_ETHERNET;
}

int sd_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	struct softdev *d = sd_device(context);
	struct ibv_port_attr a;
	int value, active;

	if (sd_enter(d, SD_query_port, &value))
		return value;
	if (port != 1)
		return EINVAL;
	pthread_mutex_lock(&d->lock);
	active = d->port_active;
	pthread_mutex_unlock(&d->lock);
	port_attr(active, &a);
	memset(attr, 0, size);
	memcpy(attr, &a, size < sizeof a ? size : sizeof a);
	return 0;
}

// The library's own ibv_query_port, which the header calls if the context is too short to have the other: its struct ends earlier.
int sd_query_port_old(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return sd_query_port(context, port, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

int sd_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	int value;

	if (sd_enter(sd_device(context), SD_query_pkey, &value))
		return value;
	if (port != 1 || index) {
		errno = EINVAL;
		return -1;
	}
	*pkey = 0xffff;
	return 0;
}

int sd_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	int value;

	if (sd_enter(sd_device(context), SD_get_pkey_index, &value))
		return value;
	if (port != 1 || pkey != 0xffff) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}
