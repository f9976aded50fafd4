//go:build linux && cgo

#include "frame.h"

#include <netinet/in.h>

static unsigned int be16(const unsigned char *p)
{
	return (unsigned int)p[0] << 8 | p[1];
}

// parse4 reads an IPv4 packet, RFC 791: n bytes at f->ip, Ethernet's padding included.
static void parse4(struct sd_frame *f, size_t n)
{
	size_t header, total;

	if (n < 20 || f->ip[0] >> 4 != 4)
		return;
	header = (size_t)(f->ip[0] & 15) * 4;
	total = be16(f->ip + 2);
	if (header < 20 || total < header || total > n)
		return;
	f->version = 4;
	f->src = f->ip + 12;
	f->dst = f->ip + 16;
	f->address = 4;
	f->fragment = (be16(f->ip + 6) & 0x3fff) != 0; // more fragments, or an offset
	f->protocol = f->ip[9];
	f->l4 = f->ip + header;
	f->l4_length = total - header;
}

// skip6 steps over the extension headers that a router or a receiver may have put before the payload, RFC 8200.
static void skip6(struct sd_frame *f)
{
	while (f->protocol == IPPROTO_HOPOPTS || f->protocol == IPPROTO_ROUTING || f->protocol == IPPROTO_DSTOPTS || f->protocol == IPPROTO_FRAGMENT) {
		size_t n = 8;

		if (f->l4_length >= 8 && f->protocol != IPPROTO_FRAGMENT)
			n += (size_t)f->l4[1] * 8;
		if (f->l4_length < n) {
			f->protocol = IPPROTO_NONE;
			return;
		}
		if (f->protocol == IPPROTO_FRAGMENT)
			f->fragment = 1;
		f->protocol = f->l4[0];
		f->l4 += n;
		f->l4_length -= n;
	}
}

static void parse6(struct sd_frame *f, size_t n)
{
	if (n < 40 || f->ip[0] >> 4 != 6 || be16(f->ip + 4) > n - 40)
		return;
	f->version = 6;
	f->src = f->ip + 8;
	f->dst = f->ip + 24;
	f->address = 16;
	f->protocol = f->ip[6];
	f->l4 = f->ip + 40;
	f->l4_length = be16(f->ip + 4);
	skip6(f);
}

void sd_frame_parse(struct sd_frame *f, const unsigned char *data, size_t length)
{
	size_t at = 12;
	unsigned int type;

	*f = (struct sd_frame){.data = data, .length = length};
	f->tagged = length >= 16 && be16(data + 12) == 0x8100;
	while (length >= at + 6 && (be16(data + at) == 0x8100 || be16(data + at) == 0x88a8))
		at += 4;
	if (length < at + 2)
		return;
	type = be16(data + at);
	f->ip = data + at + 2;
	if (type == 0x0800)
		parse4(f, length - at - 2);
	else if (type == 0x86dd)
		parse6(f, length - at - 2);
}

// sum adds up 16-bit words, RFC 1071; the last may be half a word.
static uint64_t sum(const unsigned char *p, size_t n)
{
	uint64_t s = 0;

	for (; n > 1; n -= 2, p += 2)
		s += be16(p);
	return n ? s + ((uint64_t)p[0] << 8) : s;
}

static int right(uint64_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s == 0xffff;
}

int sd_frame_checksums(const struct sd_frame *f)
{
	if (f->version != 4 || f->fragment || !right(sum(f->ip, (size_t)(f->l4 - f->ip))))
		return 0;
	// A UDP datagram whose checksum is 0 has none: nothing was verified.
	if (f->protocol == IPPROTO_UDP) {
		if (f->l4_length < 8 || !be16(f->l4 + 6))
			return 0;
	} else if (f->protocol != IPPROTO_TCP || f->l4_length < 20) {
		return 0;
	}
	return right(sum(f->src, 8) + (uint64_t)f->protocol + f->l4_length + sum(f->l4, f->l4_length));
}

// sd_frame_fcs is Ethernet's CRC-32, IEEE 802.3 3.2.9.
uint32_t sd_frame_fcs(const unsigned char *data, size_t length)
{
	uint32_t crc = 0xffffffff;
	int bit;

	for (; length; length--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}
