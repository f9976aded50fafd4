//go:build linux && cgo

#include "frame.h"

#include <netinet/in.h>

#define IPV4 (IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4)
#define IPV6 (IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6)
#define TCP (IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP)
#define UDP (IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)
#define LACKING (IBV_RX_HASH_IPSEC_SPI | UINT64_C(1) << 31) // the latter is IBV_RX_HASH_INNER, whose type varies

int sd_rss_check(const struct ibv_rx_hash_conf *conf)
{
	uint64_t fields = conf->rx_hash_fields_mask;

	if (conf->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ)
		return EOPNOTSUPP;
	if (conf->rx_hash_key_len != 40 || !conf->rx_hash_key)
		return EINVAL;
	if (fields & ~(SD_HASH_FIELDS | LACKING))
		return EINVAL;
	if (fields & LACKING)
		return EOPNOTSUPP;
	// mlx5 has one kind of packet for each QP, and so has this device.
	if ((fields & IPV4 && fields & IPV6) || (fields & TCP && fields & UDP))
		return EINVAL;
	return 0;
}

// take appends n bytes to what is hashed.
static size_t take(unsigned char *input, size_t at, const unsigned char *field, size_t n)
{
	memcpy(input + at, field, n);
	return at + n;
}

// The order is that of Microsoft's definition of receive side scaling: addresses, then ports, each of the source first. Where ports are
// selected and the packet has none, fragments among them, its addresses are hashed alone.
uint32_t sd_rss_hash(const struct sd_qp *qp, const struct sd_frame *f)
{
	uint64_t src = f->version == 4 ? IBV_RX_HASH_SRC_IPV4 : IBV_RX_HASH_SRC_IPV6;
	uint64_t dst = f->version == 4 ? IBV_RX_HASH_DST_IPV4 : IBV_RX_HASH_DST_IPV6;
	uint64_t src_port = f->protocol == IPPROTO_TCP ? IBV_RX_HASH_SRC_PORT_TCP : IBV_RX_HASH_SRC_PORT_UDP;
	uint64_t dst_port = f->protocol == IPPROTO_TCP ? IBV_RX_HASH_DST_PORT_TCP : IBV_RX_HASH_DST_PORT_UDP;
	unsigned char input[36];
	size_t n = 0;

	if (!f->version)
		return 0;
	if (qp->hash_fields & (IPV4 | IPV6) && !(qp->hash_fields & (src | dst)))
		return 0; // a packet of the other kind
	if (qp->hash_fields & src)
		n = take(input, n, f->src, f->address);
	if (qp->hash_fields & dst)
		n = take(input, n, f->dst, f->address);
	if ((f->protocol == IPPROTO_TCP || f->protocol == IPPROTO_UDP) && !f->fragment && f->l4_length >= 4) {
		if (qp->hash_fields & src_port)
			n = take(input, n, f->l4, 2);
		if (qp->hash_fields & dst_port)
			n = take(input, n, f->l4 + 2, 2);
	}
	return n ? softdev_toeplitz(qp->hash_key, sizeof qp->hash_key, input, n) : 0;
}

uint32_t softdev_toeplitz(const uint8_t *key, size_t key_length, const uint8_t *data, size_t n)
{
	uint32_t window, hash = 0;
	size_t i;
	int bit;

	if (key_length < n + 4)
		return 0;
	window = (uint32_t)key[0] << 24 | (uint32_t)key[1] << 16 | (uint32_t)key[2] << 8 | key[3];
	for (i = 0; i < n; i++) {
		for (bit = 7; bit >= 0; bit--) {
			if (data[i] >> bit & 1)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> bit & 1);
		}
	}
	return hash;
}
