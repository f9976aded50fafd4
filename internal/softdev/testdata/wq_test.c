// Self-test of work queues, indirection tables, and packets that are spread over them.

#include "../frame.h"
#include "world.h"

// The key and the rows of Microsoft's verification suite for receive side scaling.
static const uint8_t key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};
static const struct {
	uint8_t src[16], dst[16];
	int bytes;
	uint16_t src_port, dst_port;
	uint32_t addresses, ports;
} suite[] = {
	{{66, 9, 149, 187}, {161, 142, 100, 80}, 4, 2794, 1766, 0x323e8fc2, 0x51ccc178},
	{{199, 92, 111, 2}, {65, 69, 140, 83}, 4, 14230, 4739, 0xd718262a, 0xc626b0ea},
	{{24, 19, 198, 95}, {12, 22, 207, 184}, 4, 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
	{{38, 27, 205, 30}, {209, 142, 163, 6}, 4, 48228, 2217, 0x82989176, 0xafc7327f},
	{{153, 39, 163, 191}, {202, 188, 127, 2}, 4, 44251, 1303, 0x5d1809c5, 0x10e828a2},
	{{0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, [15] = 0x07}, {0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, [15] = 0x01}, 16, 2794, 1766, 0x2cc18cd5, 0x40207d3d},
	{{0x3f, 0xfe, 0x05, 0x01, 0x00, 0x08, 0x00, 0x00, 0x02, 0x60, 0x97, 0xff, 0xfe, 0x40, 0xef, 0xab}, {0xff, 0x02, [15] = 0x01}, 16, 14230, 4739, 0x0f0c461c, 0xdde51bbf},
	{{0x3f, 0xfe, 0x19, 0x00, 0x45, 0x45, 0x00, 0x03, 0x02, 0x00, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf}, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf}, 16, 44251, 38024, 0x4b61e985, 0x02d1feef},
};
#define ROWS (sizeof suite / sizeof suite[0])
#define IPV4 (IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4)
#define IPV6 (IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6)
#define TCP (IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP)
#define UDP (IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)

static void put16(unsigned char *p, unsigned int v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

// checksum is RFC 1071's, begun with a sum.
static unsigned int checksum(const unsigned char *p, size_t n, uint32_t s)
{
	size_t i;

	for (i = 0; i < n; i++)
		s += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s & 0xffff;
}

// What a frame is made of; offsets of what tests change are left behind.
struct packet {
	unsigned char data[256];
	size_t length, ip, l4;
};

static struct packet make(size_t row, int protocol, int tagged, const char *payload)
{
	struct packet k = {.length = 12};
	size_t l4 = (protocol == 6 ? 20 : 8), n = l4 + strlen(payload), a = (size_t)suite[row].bytes;
	unsigned char *p;

	memcpy(k.data, "\x02\x00\x0a\x09\x00\x01\x02\x00\x0a\x09\x00\x02", 12);
	if (tagged) {
		put16(k.data + 12, 0x8100);
		put16(k.data + 14, 0x2005);
		k.length += 4;
	}
	put16(k.data + k.length, a == 4 ? 0x0800 : 0x86dd);
	k.ip = k.length + 2;
	p = k.data + k.ip;
	if (a == 4) {
		p[0] = 0x45;
		put16(p + 2, (unsigned int)(20 + n));
		p[8] = 64;
		p[9] = (unsigned char)protocol;
		memcpy(p + 12, suite[row].src, 4);
		memcpy(p + 16, suite[row].dst, 4);
		put16(p + 10, checksum(p, 20, 0));
		k.l4 = k.ip + 20;
	} else {
		p[0] = 0x60;
		put16(p + 4, (unsigned int)n);
		p[6] = (unsigned char)protocol;
		memcpy(p + 8, suite[row].src, 16);
		memcpy(p + 24, suite[row].dst, 16);
		k.l4 = k.ip + 40;
	}
	p = k.data + k.l4;
	put16(p, suite[row].src_port);
	put16(p + 2, suite[row].dst_port);
	if (protocol == 6)
		p[12] = 0x50;
	else
		put16(p + 4, (unsigned int)n);
	memcpy(p + l4, payload, strlen(payload));
	put16(p + (protocol == 6 ? 16 : 6), checksum(p, n, (uint32_t)(0xffff & ~checksum(suite[row].src, a, 0)) + (0xffff & ~checksum(suite[row].dst, a, 0)) + (uint32_t)protocol + (uint32_t)n));
	k.length = k.l4 + n;
	return k;
}

static void toeplitz(void)
{
	uint8_t input[36];
	size_t i, n;

	for (i = 0; i < ROWS; i++) {
		n = (size_t)suite[i].bytes;
		memcpy(input, suite[i].src, n);
		memcpy(input + n, suite[i].dst, n);
		put16(input + 2 * n, suite[i].src_port);
		put16(input + 2 * n + 2, suite[i].dst_port);
		WANT(softdev_toeplitz(key, 40, input, 2 * n), suite[i].addresses);
		WANT(softdev_toeplitz(key, 40, input, 2 * n + 4), suite[i].ports);
	}
	WANT(softdev_toeplitz(key, 40, input, 37), 0); // longer than the key allows
	WANT(sd_frame_fcs((const unsigned char *)"123456789", 9), 0xcbf43926); // the check value of CRC-32
}

struct rss {
	struct softdev *d;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_wq *wq[4];
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *qp;
	unsigned char memory[4096];
};

static struct ibv_qp *make_qp(struct rss *r, uint64_t fields)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = r->pd, .rwq_ind_tbl = r->table,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ, .rx_hash_key_len = 40, .rx_hash_key = (uint8_t *)key, .rx_hash_fields_mask = fields},
	};

	return sd_create_qp_ex(r->context, &init);
}

static int state(struct ibv_wq *wq, enum ibv_wq_state to)
{
	struct ibv_wq_attr a = {.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = to};

	return ibv_modify_wq(wq, &a);
}

static void open_rss(struct rss *r, uint64_t fields, uint32_t flags, struct softdev_config config)
{
	struct ibv_rwq_ind_table_init_attr t = {.log_ind_tbl_size = 2, .ind_tbl = r->wq};
	int i;

	memset(r, 0, sizeof *r);
	r->d = softdev_new(&config);
	r->context = sd_open_device(softdev_device(r->d));
	r->pd = sd_alloc_pd(r->context);
	r->cq = sd_create_cq(r->context, 64, NULL, NULL, 0);
	r->mr = sd_reg_mr(r->pd, r->memory, sizeof r->memory, IBV_ACCESS_LOCAL_WRITE);
	for (i = 0; i < 4; i++) {
		struct ibv_wq_init_attr init = {
			.wq_context = r, .wq_type = IBV_WQT_RQ, .max_wr = 5, .max_sge = 1, .pd = r->pd, .cq = r->cq,
			.comp_mask = flags ? IBV_WQ_INIT_ATTR_FLAGS : 0, .create_flags = flags,
		};

		r->wq[i] = ibv_create_wq(r->context, &init);
		CHECK(r->wq[i], "create_wq: %s", strerror(errno));
		WANT(init.max_wr, 8);
		WANT(init.max_sge, 4);
		WANT(r->wq[i]->state, IBV_WQS_RESET);
		WANT(state(r->wq[i], IBV_WQS_RDY), 0);
		WANT(r->wq[i]->state, IBV_WQS_RDY);
	}
	r->table = ibv_create_rwq_ind_table(r->context, &t);
	CHECK(r->table, "create_rwq_ind_table: %s", strerror(errno));
	r->qp = make_qp(r, fields);
	CHECK(r->qp, "create_qp_ex: %s", strerror(errno));
}

static void close_rss(struct rss *r)
{
	uint32_t counts[SD_NKINDS];
	int i;

	WANT(ibv_destroy_rwq_ind_table(r->table), EBUSY);
	WANT(ibv_destroy_wq(r->wq[0]), EBUSY);
	WANT(sd_destroy_qp(r->qp), 0);
	WANT(ibv_destroy_rwq_ind_table(r->table), 0);
	WANT(sd_destroy_cq(r->cq), EBUSY);
	for (i = 0; i < 4; i++)
		WANT(ibv_destroy_wq(r->wq[i]), 0);
	WANT(sd_destroy_cq(r->cq), 0);
	WANT(sd_dereg_mr(r->mr), 0);
	WANT(sd_dealloc_pd(r->pd), 0);
	WANT(sd_close_device(r->context), 0);
	softdev_objects(r->d, counts);
	for (i = 0; i < SD_NKINDS; i++)
		WANT(counts[i], 0);
	WANT(softdev_free(r->d), 0);
}

static int post(struct rss *r, int i, uint64_t id, size_t at, uint32_t length)
{
	struct ibv_sge s = {.addr = (uintptr_t)r->memory + at, .length = length, .lkey = r->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &s, .num_sge = 1}, *bad;

	return ibv_post_wq_recv(r->wq[i], &wr, &bad);
}

static void hashes(void)
{
	static struct rss r;
	uint32_t hash, entry;
	size_t i;
	int protocol;

	for (i = 0; i < 2 * ROWS; i++) {
		size_t row = i / 2;
		int six = suite[row].bytes == 16, udp = i & 1;
		struct packet k;
		struct ibv_wc wc;

		open_rss(&r, (six ? IPV6 : IPV4) | (udp ? UDP : TCP), 0, (struct softdev_config){.exact = 0});
		k = make(row, udp ? 17 : 6, i % 3 == 0, "hello");
		WANT(softdev_inject(r.d, r.qp, k.data, k.length, &hash, &entry), ENOBUFS);
		WANT(hash, suite[row].ports);
		WANT(entry, suite[row].ports & 3);
		WANT(softdev_dropped(r.d), 1);
		WANT(post(&r, (int)entry, 7, 0, 200), 0);
		WANT(softdev_inject(r.d, r.qp, k.data, k.length, &hash, &entry), 0);
		wc = ONE(r.cq, 7, IBV_WC_SUCCESS);
		WANT(wc.byte_len, k.length);
		WANT(wc.opcode, IBV_WC_RECV);
		WANT(wc.qp_num, r.wq[entry]->wq_num);
		WANT(wc.wc_flags, six ? 0 : IBV_WC_IP_CSUM_OK);
		WANT(memcmp(r.memory, k.data, k.length), 0);
		for (protocol = 0; protocol < 2; protocol++) { // the other transport's ports are not selected
			k = make(row, udp ? 6 : 17, protocol, "");
			softdev_inject(r.d, r.qp, k.data, k.length, &hash, NULL);
			WANT(hash, suite[row].addresses);
		}
		k = make(six ? 0 : 5, 6, 0, ""); // the other version
		softdev_inject(r.d, r.qp, k.data, k.length, &hash, &entry);
		WANT(hash, 0);
		WANT(entry, 0);
		close_rss(&r);
	}
}

static void shapes(void)
{
	static struct rss r;
	struct packet k = make(0, 6, 0, ""), f;
	uint32_t hash;
	size_t n;

	open_rss(&r, IPV4 | TCP, 0, (struct softdev_config){.exact = 0});
	f = k;
	put16(f.data + f.ip + 6, 0x2000); // more fragments
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, suite[0].addresses);
	f = k;
	put16(f.data + f.ip + 6, 1); // the second fragment
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, suite[0].addresses);
	f = k;
	put16(f.data + f.ip + 6, 0x4000); // may not be fragmented
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, suite[0].ports);
	// Cut short anywhere, it is never read past its end: the copy is as long as the frame.
	for (n = 0; n < k.length; n++) {
		unsigned char *cut = malloc(n + 1);

		memcpy(cut, k.data, n);
		WANT(softdev_inject(r.d, r.qp, cut, n, &hash, NULL), n < 14 ? EINVAL : ENOBUFS);
		if (n >= 14)
			WANT(hash, 0);
		free(cut);
	}
	f = k;
	f.data[f.ip] = 0x4f; // options beyond the end
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, 0);
	close_rss(&r);
	// IPv6 with a hop-by-hop header, then a fragment header.
	k = make(5, 6, 0, "");
	open_rss(&r, IPV6 | TCP, 0, (struct softdev_config){.exact = 0});
	f = k;
	memmove(f.data + f.l4 + 8, f.data + f.l4, f.length - f.l4);
	memset(f.data + f.l4, 0, 8);
	f.data[f.l4] = 6;
	f.data[f.ip + 6] = 0;
	f.length += 8;
	put16(f.data + f.ip + 4, (unsigned int)(f.length - f.ip - 40));
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, suite[5].ports);
	f.data[f.ip + 6] = 44;
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, suite[5].addresses);
	f.data[f.ip + 6] = 0;
	f.data[f.l4 + 1] = 255; // longer than the packet
	softdev_inject(r.d, r.qp, f.data, f.length, &hash, NULL);
	WANT(hash, suite[5].addresses);
	close_rss(&r);
	// Some of the fields, in the same order.
	open_rss(&r, IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_PORT_UDP, 0, (struct softdev_config){.exact = 0});
	k = make(0, 17, 0, "");
	softdev_inject(r.d, r.qp, k.data, k.length, &hash, NULL);
	{
		uint8_t input[6] = {161, 142, 100, 80, 2794 >> 8, 2794 & 255};

		WANT(hash, softdev_toeplitz(key, 40, input, 6));
	}
	close_rss(&r);
}

static void checksums(void)
{
	static struct rss r;
	struct packet k;
	int i;

	open_rss(&r, 0, 0, (struct softdev_config){.exact = 0}); // no fields: all goes to entry 0
	for (i = 0; i < 7; i++) {
		k = make(0, i & 1 ? 17 : 6, 0, "odd");
		if (i == 2)
			k.data[k.ip + 8]--; // the header's
		if (i == 3 || i == 4)
			k.data[k.length - 1]++;
		if (i == 5)
			put16(k.data + k.l4 + 6, 0); // UDP without one
		if (i == 6)
			k = make(5, 6, 0, "");
		WANT(post(&r, 0, 1, 0, 200), 0);
		WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
		WANT(ONE(r.cq, 1, IBV_WC_SUCCESS).wc_flags, i < 2 ? IBV_WC_IP_CSUM_OK : 0);
	}
	// Ethernet's padding is not part of the packet.
	k = make(0, 6, 0, "");
	WANT(post(&r, 0, 1, 0, 200), 0);
	k.data[k.length++] = 0xff;
	WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
	WANT(ONE(r.cq, 1, IBV_WC_SUCCESS).wc_flags, IBV_WC_IP_CSUM_OK);
	close_rss(&r);
	open_rss(&r, 0, 0, (struct softdev_config){.raw_packet_caps = IBV_RAW_PACKET_CAP_SCATTER_FCS});
	k = make(0, 6, 0, "");
	WANT(post(&r, 0, 1, 0, 200), 0);
	WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
	WANT(ONE(r.cq, 1, IBV_WC_SUCCESS).wc_flags, 0);
	close_rss(&r);
}

static void flags(void)
{
	static struct rss r;
	struct packet k = make(0, 6, 1, "tagged"), plain = make(0, 6, 0, "tagged");
	uint32_t crc = sd_frame_fcs(k.data, k.length);
	struct ibv_wq_attr a = {.attr_mask = IBV_WQ_ATTR_FLAGS, .flags_mask = IBV_WQ_FLAGS_CVLAN_STRIPPING};
	unsigned char fcs[4] = {(unsigned char)crc, (unsigned char)(crc >> 8), (unsigned char)(crc >> 16), (unsigned char)(crc >> 24)};

	open_rss(&r, 0, IBV_WQ_FLAGS_SCATTER_FCS | IBV_WQ_FLAGS_CVLAN_STRIPPING, (struct softdev_config){.exact = 0});
	WANT(post(&r, 0, 1, 0, 200), 0);
	WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
	WANT(ONE(r.cq, 1, IBV_WC_SUCCESS).byte_len, plain.length + 4);
	WANT(memcmp(r.memory, plain.data, plain.length), 0);
	WANT(memcmp(r.memory + plain.length, fcs, 4), 0);
	// Stripping can be turned off; other flags are for good.
	WANT(ibv_modify_wq(r.wq[0], &a), 0);
	WANT(post(&r, 0, 2, 0, 200), 0);
	WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
	WANT(ONE(r.cq, 2, IBV_WC_SUCCESS).byte_len, k.length + 4);
	WANT(memcmp(r.memory, k.data, k.length), 0);
	a.flags_mask = IBV_WQ_FLAGS_SCATTER_FCS;
	WANT(ibv_modify_wq(r.wq[0], &a), EOPNOTSUPP);
	a.flags_mask = 1 << 9;
	WANT(ibv_modify_wq(r.wq[0], &a), EINVAL);
	close_rss(&r);
	open_rss(&r, 0, 0, (struct softdev_config){.no_raw_packet_caps = 1});
	a.flags_mask = a.flags = IBV_WQ_FLAGS_CVLAN_STRIPPING;
	WANT(ibv_modify_wq(r.wq[0], &a), EOPNOTSUPP);
	close_rss(&r);
}

static void wq_errors(void)
{
	enum { LENGTH, KEY, FAULT, CASES };
	static struct rss r;
	struct packet k = make(0, 6, 0, "");
	struct ibv_wc wc;
	int i;

	for (i = 0; i < CASES; i++) {
		open_rss(&r, 0, 0, (struct softdev_config){.exact = 0});
		if (i == FAULT)
			softdev_fail_next_wq(r.d, r.wq[0], IBV_WC_GENERAL_ERR, 5);
		if (i == KEY)
			r.mr->lkey ^= 1;
		WANT(post(&r, 0, 1, 0, i == LENGTH ? (uint32_t)k.length - 1 : 200), 0);
		if (i == KEY)
			r.mr->lkey ^= 1;
		WANT(post(&r, 0, 2, 0, 200), 0);
		WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
		wc = ONE(r.cq, 1, i == LENGTH ? IBV_WC_LOC_LEN_ERR : i == KEY ? IBV_WC_LOC_PROT_ERR : IBV_WC_GENERAL_ERR);
		WANT(wc.vendor_err, i == FAULT ? 5 : 0);
		WANT(wc.qp_num, r.wq[0]->wq_num);
		ONE(r.cq, 2, IBV_WC_WR_FLUSH_ERR);
		EVENT(r.context, IBV_EVENT_WQ_FATAL, r.wq[0]);
		WANT(r.wq[0]->state, IBV_WQS_RDY); // nobody told the program's copy
		WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), ENOBUFS);
		WANT(post(&r, 0, 3, 0, 200), 0);
		ONE(r.cq, 3, IBV_WC_WR_FLUSH_ERR);
		WANT(state(r.wq[0], IBV_WQS_RDY), EINVAL);
		WANT(state(r.wq[0], IBV_WQS_RESET), 0);
		WANT(state(r.wq[0], IBV_WQS_RDY), 0);
		WANT(post(&r, 0, 4, 0, 200), 0);
		WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), 0);
		ONE(r.cq, 4, IBV_WC_SUCCESS);
		NO_EVENT(r.context);
		close_rss(&r);
	}
}

static void wq_states(void)
{
	static const int want[3][3] = {
		// to RESET, RDY, ERR
		{0, 0, EINVAL},
		{0, 0, 0},
		{0, EINVAL, 0},
	};
	static struct rss r;
	struct ibv_recv_wr wr[2] = {{.wr_id = 1, .next = &wr[1]}, {.wr_id = 2, .num_sge = 5}}, *bad = NULL;
	struct ibv_wq_attr a;
	int from, to, i;

	open_rss(&r, 0, 0, (struct softdev_config){.exact = 0});
	for (from = 0; from < 3; from++)
		for (to = 0; to < 3; to++) {
			WANT(state(r.wq[1], IBV_WQS_RESET), 0);
			if (from)
				WANT(state(r.wq[1], IBV_WQS_RDY), 0);
			if (from == 2)
				WANT(state(r.wq[1], IBV_WQS_ERR), 0);
			a = (struct ibv_wq_attr){.attr_mask = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE, .curr_wq_state = (from + 1) % 3, .wq_state = to};
			WANT(ibv_modify_wq(r.wq[1], &a), EINVAL);
			a.curr_wq_state = from;
			WANT(ibv_modify_wq(r.wq[1], &a), want[from][to]);
			WANT(r.wq[1]->state, want[from][to] ? from : to);
		}
	a = (struct ibv_wq_attr){.attr_mask = 0};
	WANT(ibv_modify_wq(r.wq[1], &a), EINVAL);
	a.attr_mask = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_RESERVED;
	WANT(ibv_modify_wq(r.wq[1], &a), EINVAL);
	WANT(state(r.wq[1], IBV_WQS_UNKNOWN), EINVAL);
	// In RESET requests are taken and lost; one that is bad in RDY is told, and the one before it is in.
	WANT(state(r.wq[1], IBV_WQS_RESET), 0);
	for (i = 0; i < 20; i++)
		WANT(post(&r, 1, 1, 0, 1), 0);
	NONE(r.cq);
	WANT(state(r.wq[1], IBV_WQS_RDY), 0);
	WANT(ibv_post_wq_recv(r.wq[1], wr, &bad), EINVAL);
	CHECK(bad == &wr[1], "bad request is %p", (void *)bad);
	for (i = 0; i < 7; i++)
		WANT(post(&r, 1, 3, 0, 1), 0);
	WANT(post(&r, 1, 4, 0, 1), ENOMEM);
	WANT(state(r.wq[1], IBV_WQS_ERR), 0);
	ONE(r.cq, 1, IBV_WC_WR_FLUSH_ERR);
	WANT(state(r.wq[1], IBV_WQS_RESET), 0); // the other seven go
	NONE(r.cq);
	close_rss(&r);
}

#define NO(call, errno_) \
	do { \
		errno = 0; \
		CHECK(!(call), "not refused"); \
		WANT(errno, errno_); \
	} while (0)

static void refusals(void)
{
	static struct rss r;
	struct ibv_context *other;
	struct ibv_pd *far;
	struct ibv_wq_init_attr base, w;
	struct ibv_rwq_ind_table_init_attr t;
	struct ibv_qp_init_attr_ex q, qbase;
	struct ibv_recv_wr wr = {.wr_id = 1}, *bad;
	struct ibv_send_wr sr = {.wr_id = 1}, *sbad;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT};
	struct ibv_qp_init_attr init;
	struct ibv_wq *wq;

	open_rss(&r, IPV4, 0, (struct softdev_config){.max_wq = 5, .raw_packet_caps = IBV_RAW_PACKET_CAP_IP_CSUM});
	other = sd_open_device(softdev_device(r.d));
	far = sd_alloc_pd(other);
	base = (struct ibv_wq_init_attr){.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1, .pd = r.pd, .cq = r.cq};
#define WQ(member, value, errno_) \
	w = base; \
	w.member = value; \
	NO(ibv_create_wq(r.context, &w), errno_)
	WQ(wq_type, 1, EINVAL);
	WQ(comp_mask, 2, EINVAL);
	WQ(pd, NULL, EINVAL);
	WQ(pd, far, EINVAL);
	WQ(cq, NULL, EINVAL);
	WQ(max_wr, 16385, EINVAL);
	WQ(max_sge, 17, EINVAL);
	w.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	base.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	WQ(create_flags, IBV_WQ_FLAGS_SCATTER_FCS, EOPNOTSUPP);
	WQ(create_flags, IBV_WQ_FLAGS_CVLAN_STRIPPING, EOPNOTSUPP);
	WQ(create_flags, IBV_WQ_FLAGS_DELAY_DROP, EOPNOTSUPP);
	WQ(create_flags, IBV_WQ_FLAGS_PCI_WRITE_END_PADDING, EOPNOTSUPP);
	WQ(create_flags, IBV_WQ_FLAGS_RESERVED, EINVAL);
	WQ(create_flags, IBV_WQ_FLAGS_RESERVED | IBV_WQ_FLAGS_SCATTER_FCS, EINVAL);
#undef WQ
	base.comp_mask = 0;
	base.create_flags = 0xffffffff; // without the mask's bit they mean nothing
	wq = ibv_create_wq(r.context, &base);
	CHECK(wq, "create_wq: %s", strerror(errno));
	NO(ibv_create_wq(r.context, &base), ENOMEM); // the sixth
	WANT(ibv_destroy_wq(wq), 0);

	t = (struct ibv_rwq_ind_table_init_attr){.log_ind_tbl_size = 2, .ind_tbl = r.wq, .comp_mask = 1};
	NO(ibv_create_rwq_ind_table(r.context, &t), EINVAL);
	t.comp_mask = 0;
	t.log_ind_tbl_size = 9;
	NO(ibv_create_rwq_ind_table(r.context, &t), EINVAL);
	t.log_ind_tbl_size = 0;
	NO(ibv_create_rwq_ind_table(other, &t), EINVAL);

	qbase = (struct ibv_qp_init_attr_ex){
		.qp_type = IBV_QPT_RAW_PACKET, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = r.pd, .rwq_ind_tbl = r.table,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ, .rx_hash_key_len = 40, .rx_hash_key = (uint8_t *)key, .rx_hash_fields_mask = IPV4},
	};
#define QP(member, value, errno_) \
	q = qbase; \
	q.member = value; \
	NO(sd_create_qp_ex(r.context, &q), errno_)
	QP(qp_type, IBV_QPT_UD, EOPNOTSUPP);
	QP(pd, far, EINVAL);
	QP(rwq_ind_tbl, NULL, EINVAL);
	QP(comp_mask, IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE, EINVAL);
	QP(cap.max_recv_wr, 1, EINVAL);
	QP(cap.max_send_wr, 1, EINVAL);
	QP(rx_hash_conf.rx_hash_function, 2, EOPNOTSUPP);
	QP(rx_hash_conf.rx_hash_key_len, 39, EINVAL);
	QP(rx_hash_conf.rx_hash_key, NULL, EINVAL);
	QP(rx_hash_conf.rx_hash_fields_mask, IPV4 | IBV_RX_HASH_SRC_IPV6, EINVAL);
	QP(rx_hash_conf.rx_hash_fields_mask, IPV4 | TCP | IBV_RX_HASH_DST_PORT_UDP, EINVAL);
	QP(rx_hash_conf.rx_hash_fields_mask, IPV4 | IBV_RX_HASH_INNER, EOPNOTSUPP);
	QP(rx_hash_conf.rx_hash_fields_mask, IPV4 | IBV_RX_HASH_IPSEC_SPI, EOPNOTSUPP);
	QP(rx_hash_conf.rx_hash_fields_mask, IPV4 | 1 << 12, EINVAL);
#undef QP
	WANT(ibv_post_recv(r.qp, &wr, &bad), EINVAL);
	WANT(ibv_post_send(r.qp, &sr, &sbad), EINVAL);
	WANT(sd_modify_qp(r.qp, &attr, IBV_QP_STATE), EOPNOTSUPP);
	WANT(sd_query_qp(r.qp, &attr, IBV_QP_STATE, &init), EOPNOTSUPP);
	CHECK(r.qp->qp_num != r.wq[0]->wq_num && r.wq[0]->wq_num != r.wq[1]->wq_num, "numbers are shared");
	WANT(sd_dealloc_pd(far), 0);
	WANT(sd_close_device(other), 0);
	close_rss(&r);
}

static void losing(void)
{
	static struct rss r;
	struct packet k = make(0, 6, 0, "");

	open_rss(&r, 0, 0, (struct softdev_config){.exact = 0});
	WANT(post(&r, 0, 1, 0, 200), 0);
	softdev_lose(r.d);
	ONE(r.cq, 1, IBV_WC_WR_FLUSH_ERR);
	WANT(softdev_inject(r.d, r.qp, k.data, k.length, NULL, NULL), ENOBUFS);
	WANT(sd_destroy_qp(r.qp), EIO);
	WANT(ibv_destroy_wq(r.wq[0]), EIO);
	WANT(sd_close_device(r.context), 0);
	WANT(softdev_free(r.d), 0);
}

// A device without the verb: the header calls what is there all the same.
static void absent(void)
{
	static struct rss r;
	struct softdev_fault f = {.verb = SD_post_wq_recv, .times = 1, .fails = 1, .value = ENOMEM, .err = ENOMEM};
	struct ibv_recv_wr wr = {.wr_id = 1}, *bad = NULL;
	struct softdev_config config = {.absent[SD_post_wq_recv] = 1};

	open_rss(&r, 0, 0, config);
	WANT(ibv_post_wq_recv(r.wq[0], &wr, &bad), EOPNOTSUPP);
	CHECK(bad == &wr, "bad request is %p", (void *)bad);
	close_rss(&r);
	config.absent[SD_post_wq_recv] = 0;
	open_rss(&r, 0, 0, config);
	WANT(softdev_fail(r.d, &f), 0);
	bad = NULL;
	WANT(ibv_post_wq_recv(r.wq[0], &wr, &bad), ENOMEM);
	CHECK(bad == &wr, "bad request is %p", (void *)bad);
	WANT(ibv_post_wq_recv(r.wq[0], &wr, &bad), 0);
	close_rss(&r);
}

int main(void)
{
	toeplitz();
	hashes();
	shapes();
	checksums();
	flags();
	wq_errors();
	wq_states();
	refusals();
	losing();
	absent();
	printf("wq_test: %d checks passed\n", checks);
	return 0;
}
