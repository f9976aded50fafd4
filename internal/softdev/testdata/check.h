// What the C tests share. Each .c file here is a program, linked with all of the device; see internal/testdata/check.h.

#ifndef SOFTDEV_CHECK_H
#define SOFTDEV_CHECK_H

#include "../core.h"

#include "../../testdata/check.h"

// What the header's inlines fall back to: the library's functions, which a program for this device has from it.
int (ibv_query_port)(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return sd_query_port_old(context, port, attr);
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	return sd_query_device(context, attr);
}

// A call that returns NULL or a negative number, and sets errno.
#define CHECK_ERRNO(failed, want) \
	do { \
		errno = 0; \
		CHECK(failed); \
		CHECK_IS(errno, want); \
	} while (0)

#endif
