// What the tests share that no request goes through.

#ifndef SOFTDEV_CONTROL_H
#define SOFTDEV_CONTROL_H

#include "check.h"

#include <poll.h>

// Most tests have a device with an open context.
static struct softdev *device;
static struct ibv_context *context;

static inline void begin(const struct softdev_config *config)
{
	static const struct softdev_config plain;

	device = softdev_new(config ? config : &plain);
	context = sd_open_device(softdev_device(device));
	CHECK(context != NULL);
}

// Nothing may be left but the context.
static inline void end(void)
{
	uint32_t counts[SD_NKINDS], i;

	softdev_objects(device, counts);
	CHECK_IS(counts[SD_CONTEXT], 1);
	for (i = SD_CONTEXT + 1; i < SD_NKINDS; i++)
		CHECK_IS(counts[i], 0);
	CHECK_IS(sd_close_device(context), 0);
	CHECK_IS(softdev_free(device), 0);
}

static inline void pause_ms(int ms)
{
	poll(NULL, 0, ms);
}

static inline int complete(struct ibv_cq *cq, uint64_t id)
{
	struct ibv_wc wc = {.wr_id = id, .opcode = IBV_WC_RECV, .byte_len = 77};

	return softdev_complete(device, cq, &wc, 0);
}

// readable tells whether a descriptor has something.
static inline int readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

#endif
