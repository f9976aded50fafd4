// What a device sees in an Ethernet frame. C files of this folder only.

#ifndef SOFTDEV_FRAME_H
#define SOFTDEV_FRAME_H

#include "core.h"

struct sd_frame {
	const unsigned char *data;
	size_t length;
	int tagged;   // has an 802.1Q tag
	int version;  // 4 or 6, or 0: no whole IP packet is in it
	const unsigned char *ip, *src, *dst;
	size_t address; // bytes of src and of dst
	int fragment;   // of a datagram: there are no ports to be seen
	int protocol;   // of what l4 has; IPPROTO_TCP and so on
	const unsigned char *l4;
	size_t l4_length;
};

void sd_frame_parse(struct sd_frame *f, const unsigned char *data, size_t length);
int sd_frame_checksums(const struct sd_frame *f); // whether IPv4's and TCP's or UDP's are there and right
uint32_t sd_frame_fcs(const unsigned char *data, size_t length);

// rss.c. sd_rss_check returns 0 or errno. sd_rss_hash is 0 if none of the selected fields is in the frame.
int sd_rss_check(const struct ibv_rx_hash_conf *conf);
uint32_t sd_rss_hash(const struct sd_qp *qp, const struct sd_frame *f);

#endif
