// Devices and contexts: opening and closing, what can be asked of them, and what they may lack.

#define _GNU_SOURCE
#include "control.h"

#include <arpa/inet.h>
#include <endian.h>

// The registry that a device tells of its contexts.
static void *registered[8];
static softdev_function_t const *registered_ops;
static int refuse;

static int add(void *object, softdev_function_t const *ops)
{
	int i;

	if (refuse)
		return refuse;
	registered_ops = ops;
	for (i = 0; registered[i]; i++)
		;
	registered[i] = object;
	return 0;
}

static int count(void)
{
	int i, n = 0;

	for (i = 0; i < 8; i++)
		n += !!registered[i];
	return n;
}

static int take_out(void *object)
{
	int i;

	for (i = 0; i < 8; i++)
		if (registered[i] == object) {
			registered[i] = NULL;
			return 0;
		}
	CHECK(!"registered");
	return ENOENT;
}

static void test_device(void)
{
	struct softdev_config config = {.name = "red"};
	struct softdev *d = softdev_new(&config);
	softdev_function_t ops[] = {NULL};
	struct ibv_context *a, *b;

	refuse = EEXIST;
	CHECK_IS(softdev_set_registry(d, add, take_out, ops), EEXIST);
	refuse = 0;
	CHECK_IS(softdev_set_registry(d, add, take_out, ops), 0);
	CHECK_IS(count(), 1);
	CHECK(registered[0] == softdev_device(d) && registered_ops == ops);
	CHECK(!strcmp(sd_get_device_name(softdev_device(d)), "red"));
	CHECK_IS(be64toh(sd_get_device_guid(softdev_device(d))), 0x00000afffe090001);
	CHECK_IS(sd_get_device_index(softdev_device(d)), 1);
	a = sd_open_device(softdev_device(d));
	b = sd_open_device(softdev_device(d));
	CHECK(a && b && a != b && a->device == softdev_device(d) && a->num_comp_vectors == 1);
	CHECK(verbs_get_ctx(a) && verbs_get_ctx(a)->sz == sizeof(struct verbs_context));
	CHECK_IS(count(), 3);
	refuse = ENOMEM;
	CHECK_ERRNO(!sd_open_device(softdev_device(d)), ENOMEM);
	refuse = 0;
	CHECK_IS(sd_close_device(b), 0);
	CHECK_IS(count(), 2);
	CHECK_IS(softdev_free(d), 1);
	CHECK_IS(count(), 0);
	config.less = sizeof(struct verbs_context);
	CHECK_ERRNO(!softdev_new(&config), EINVAL);
}

// Limits that the attributes of a device cannot tell, and that rooms in powers of two cannot have.
static void test_limits(void)
{
	struct softdev_config configs[] = {
		{.max_qp_wr = UINT32_C(1) << 31}, {.max_sge = UINT32_C(1) << 31}, {.max_cqe = UINT32_MAX},
		{.max_inline_data = UINT32_C(1) << 31}, {.max_wq = UINT32_C(1) << 31},
	};
	struct softdev_config most = {.max_qp_wr = INT32_MAX, .max_sge = INT32_MAX, .max_cqe = INT32_MAX};
	struct softdev *d = softdev_new(&most);
	size_t i;

	CHECK(d != NULL);
	CHECK_IS(softdev_free(d), 0);
	for (i = 0; i < sizeof configs / sizeof configs[0]; i++)
		CHECK_ERRNO(!softdev_new(&configs[i]), EINVAL);
	CHECK(sd_room(0) == 1 && sd_room(1) == 1 && sd_room(2) == 2 && sd_room(3) == 4 && sd_room(4) == 4 && sd_room(5) == 8);
	CHECK(sd_room((1 << 30) - 1) == 1 << 30 && sd_room(1 << 30) == 1 << 30);
	CHECK(sd_room((1 << 30) + 1) == UINT32_C(1) << 31 && sd_room(INT32_MAX) == UINT32_C(1) << 31);
	CHECK(sd_room(UINT32_C(1) << 31) == UINT32_C(1) << 31 && sd_room(UINT32_MAX) == UINT32_C(1) << 31);
}

static void test_names(void)
{
	struct softdev_config config = {.absent = {[SD_alloc_pd] = 1}};
	struct softdev *d = softdev_new(&config);
	softdev_function_t served;

	CHECK(!strcmp(softdev_verb_name(SD_poll_cq), "poll_cq"));
	CHECK(!softdev_verb_name(-1) && !softdev_verb_name(SD_NVERBS));
	CHECK(softdev_is_underscored(SD_query_gid_ex) && softdev_is_underscored(SD_query_gid_table) && !softdev_is_underscored(SD_query_gid));
	CHECK(!softdev_function(d, SD_alloc_pd) && !softdev_function(d, SD_poll_cq) && !softdev_function(d, -1) && !softdev_function(d, SD_NVERBS));
	CHECK(softdev_function(d, SD_dealloc_pd) == (softdev_function_t)sd_dealloc_pd);
	CHECK(!strcmp(softdev_alias(d, 0, &served), "reg_mr_iova2") && served == (softdev_function_t)sd_reg_mr_iova2);
	CHECK(!softdev_alias(d, 1, &served) && !softdev_alias(d, -1, &served));
	CHECK_IS(softdev_calls(d, -1) + softdev_calls(d, SD_NVERBS), 0);
	CHECK_IS(softdev_free(d), 0);
}

static void test_queries(void)
{
	struct ibv_device_attr a, twin;
	struct ibv_device_attr_ex ex;
	struct ibv_query_device_ex_input input = {.comp_mask = 1};
	struct ibv_port_attr p;

	begin(NULL);
	memset(&a, 0xff, sizeof a);
	CHECK_IS(sd_query_device(context, &a), 0);
	CHECK_IS(a.max_qp_wr, 16384);
	CHECK_IS(a.max_sge, 16);
	CHECK_IS(a.max_cqe, 1 << 20);
	CHECK_IS(a.max_mr_size, 1ll << 40);
	CHECK_IS(a.phys_port_cnt, 1);
	CHECK_IS(a.node_guid, sd_get_device_guid(context->device));
	memset(&ex, 0xff, sizeof ex);
	CHECK_IS(ibv_query_device_ex(context, NULL, &ex), 0);
	memset(&twin, 0, sizeof twin);
	sd_query_device(context, &twin);
	CHECK_IS(memcmp(&ex.orig_attr, &twin, sizeof twin), 0);
	CHECK_IS(ex.raw_packet_caps, 15);
	CHECK_IS(ex.max_wq_type_rq, 4096);
	CHECK_IS(ex.rss_caps.max_rwq_indirection_table_size, 256);
	CHECK_IS(ex.rss_caps.supported_qpts, 1 << 8);
	CHECK_IS(ex.rss_caps.rx_hash_function, 1);
	CHECK_IS(sd_query_device_ex(context, &input, &ex, sizeof ex), EINVAL);
	CHECK_IS(sd_query_device_ex(context, NULL, &ex, sizeof ex.orig_attr - 1), EINVAL);
	CHECK_IS(ibv_query_port(context, 1, &p), 0);
	CHECK(p.state == IBV_PORT_ACTIVE && p.active_mtu == IBV_MTU_4096 && p.gid_tbl_len == 16 && p.pkey_tbl_len == 1);
	CHECK(p.link_layer == IBV_LINK_LAYER_ETHERNET && p.phys_state == 5);
	CHECK_IS(ibv_query_port(context, 0, &p), EINVAL);
	CHECK_IS(ibv_query_port(context, 2, &p), EINVAL);
	end();
}

// Sizes are those of the caller's header: what lies behind is not touched, and what the device does not know is zero.
static void test_sizes(void)
{
	struct {
		struct ibv_device_attr_ex a;
		unsigned char more[16];
	} long_attr;
	struct {
		struct ibv_port_attr a;
		unsigned char more[8];
	} long_port;
	size_t i;

	begin(NULL);
	memset(&long_attr, 0xff, sizeof long_attr);
	CHECK_IS(sd_query_device_ex(context, NULL, &long_attr.a, sizeof(struct ibv_device_attr)), 0);
	CHECK_IS(long_attr.a.orig_attr.max_qp_wr, 16384);
	CHECK_IS(long_attr.a.comp_mask, 0xffffffff);
	CHECK_IS(sd_query_device_ex(context, NULL, &long_attr.a, sizeof long_attr), 0);
	for (i = 0; i < sizeof long_attr.more; i++)
		CHECK_IS(long_attr.more[i], 0);
	memset(&long_port, 0xff, sizeof long_port);
	CHECK_IS(sd_query_port_old(context, 1, (struct _compat_ibv_port_attr *)&long_port.a), 0);
	CHECK_IS(long_port.a.gid_tbl_len, 16);
	CHECK_IS(long_port.a.flags, 0);
	CHECK_IS(long_port.a.port_cap_flags2, 0xffff);
	CHECK_IS(sd_query_port(context, 1, &long_port.a, sizeof long_port), 0);
	CHECK_IS(long_port.a.port_cap_flags2, 0);
	for (i = 0; i < sizeof long_port.more; i++)
		CHECK_IS(long_port.more[i], 0);
	end();
}

static void test_gids(void)
{
	static const uint8_t link_local[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0xff, 0xfe, 9, 0, 1}, mapped[16] = {[10] = 0xff, 0xff, 10, 9, 0, 1}, none[16];
	const uint8_t *want[] = {link_local, link_local, mapped, mapped, none, none};
	struct ibv_gid_entry e[5], one;
	union ibv_gid gid;
	__be16 pkey = 0;
	int i;

	begin(NULL);
	for (i = 0; i < 6; i++) {
		CHECK_IS(sd_query_gid(context, 1, i, &gid), 0);
		CHECK_IS(memcmp(gid.raw, want[i], 16), 0);
	}
	CHECK_IS(sd_query_gid(context, 1, 15, &gid), 0);
	CHECK_ERRNO(sd_query_gid(context, 1, 16, &gid) == -1, EINVAL);
	CHECK_ERRNO(sd_query_gid(context, 1, -1, &gid) == -1, EINVAL);
	CHECK_ERRNO(sd_query_gid(context, 2, 0, &gid) == -1, EINVAL);
	CHECK_IS(sd_query_gid_table(context, e, 5, 0, sizeof *e), 4);
	CHECK_IS(sd_query_gid_table(context, e, 3, 0, sizeof *e), -EINVAL);
	CHECK_IS(sd_query_gid_table(context, e, 5, 1, sizeof *e), -EINVAL);
	for (i = 0; i < 4; i++) {
		CHECK(!memcmp(e[i].gid.raw, want[i], 16) && (int)e[i].gid_index == i && e[i].port_num == 1);
		CHECK_IS(e[i].gid_type, i % 2 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1);
		CHECK_IS(sd_query_gid_ex(context, 1, i, &one, 0, sizeof one), 0);
		CHECK_IS(memcmp(&one, &e[i], sizeof one), 0);
	}
	memset(&one, 0xff, sizeof one);
	CHECK_IS(sd_query_gid_ex(context, 1, 3, &one, 0, sizeof one.gid), 0);
	CHECK(!memcmp(one.gid.raw, mapped, 16) && one.gid_index == 0xffffffff);
	CHECK_IS(sd_query_gid_ex(context, 1, 4, &one, 0, sizeof one), ENODATA);
	CHECK_IS(sd_query_gid_ex(context, 1, 16, &one, 0, sizeof one), EINVAL);
	CHECK_IS(sd_query_gid_ex(context, 2, 0, &one, 0, sizeof one), EINVAL);
	CHECK_IS(sd_query_gid_ex(context, 1, 0, &one, 1, sizeof one), EINVAL);
	CHECK_IS(sd_query_pkey(context, 1, 0, &pkey), 0);
	CHECK_IS(pkey, 0xffff);
	CHECK_ERRNO(sd_query_pkey(context, 1, 1, &pkey) == -1, EINVAL);
	CHECK_ERRNO(sd_query_pkey(context, 2, 0, &pkey) == -1, EINVAL);
	CHECK_IS(sd_get_pkey_index(context, 1, 0xffff), 0);
	CHECK_ERRNO(sd_get_pkey_index(context, 1, htons(0x7fff)) == -1, EINVAL);
	CHECK_ERRNO(sd_get_pkey_index(context, 2, 0xffff) == -1, EINVAL);
	end();
}

// A context takes what is left with it.
static void test_orphans(void)
{
	uint32_t counts[SD_NKINDS], want[SD_NKINDS] = {[SD_PD] = 2, [SD_MR] = 1, [SD_CHANNEL] = 1, [SD_CQ] = 2};
	static char memory[10];
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;

	begin(NULL);
	pd = sd_alloc_pd(context);
	sd_alloc_pd(context);
	sd_reg_mr(pd, memory, 10, 0);
	channel = sd_create_comp_channel(context);
	cq = sd_create_cq(context, 10, NULL, channel, 0);
	sd_create_cq(context, 10, NULL, NULL, 0);
	ibv_req_notify_cq(cq, 0);
	complete(cq, 1);
	softdev_raise(device, SD_CQ, cq, IBV_EVENT_CQ_ERR);
	softdev_objects(device, counts);
	want[SD_CONTEXT] = 1;
	CHECK_IS(memcmp(counts, want, sizeof want), 0);
	CHECK_IS(sd_close_device(context), 0);
	want[SD_CONTEXT] = 0;
	softdev_orphans(device, counts);
	CHECK_IS(memcmp(counts, want, sizeof want), 0);
	softdev_objects(device, counts);
	memset(want, 0, sizeof want);
	CHECK_IS(memcmp(counts, want, sizeof want), 0);
	context = sd_open_device(softdev_device(device));
	end();
}

// An older library's context is shorter; a device may lack functions.
static void test_lacking(void)
{
	struct softdev_config config = {
		.less = offsetof(struct verbs_context, advise_mr),
		.absent = {[SD_create_wq] = 1, [SD_poll_cq] = 1, [SD_req_notify_cq] = 1, [SD_post_send] = 1, [SD_post_recv] = 1},
	};
	struct ibv_send_wr send, *bad_send = NULL;
	struct ibv_recv_wr recv, *bad_recv = NULL;
	struct ibv_wq_init_attr attr = {.wq_type = IBV_WQT_RQ};
	struct ibv_device_attr_ex ex;
	struct ibv_wc wc;
	struct ibv_cq *cq;

	begin(&config);
	CHECK(verbs_get_ctx(context)->sz == sizeof(struct verbs_context) - config.less);
	CHECK(!verbs_get_ctx_op(context, query_port) && verbs_get_ctx_op(context, modify_wq));
	CHECK_IS(ibv_query_device_ex(context, NULL, &ex), 0);
	CHECK_ERRNO(!ibv_create_wq(context, &attr), EOPNOTSUPP);
	cq = sd_create_cq(context, 1, NULL, NULL, 0);
	CHECK_IS(ibv_poll_cq(cq, 1, &wc), EOPNOTSUPP);
	CHECK_IS(ibv_req_notify_cq(cq, 0), EOPNOTSUPP);
	CHECK_IS(context->ops.post_send(NULL, &send, &bad_send), EOPNOTSUPP);
	CHECK_IS(context->ops.post_recv(NULL, &recv, &bad_recv), EOPNOTSUPP);
	CHECK(bad_send == &send && bad_recv == &recv);
	CHECK_IS(sd_destroy_cq(cq), 0);
	end();
}

int main(void)
{
	RUN(test_device);
	RUN(test_limits);
	RUN(test_names);
	RUN(test_queries);
	RUN(test_sizes);
	RUN(test_gids);
	RUN(test_orphans);
	RUN(test_lacking);
	return failures != 0;
}
