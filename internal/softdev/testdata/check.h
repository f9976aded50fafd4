// What the C tests share. Each .c file here is a program, linked with all of the device; it prints what went wrong and ends with 1 if anything did.

#ifndef SOFTDEV_CHECK_H
#define SOFTDEV_CHECK_H

#include "../core.h"

#include <stdio.h>

static int failures;

// What the header's inlines fall back to: the library's functions, which a program for this device has from it.
int (ibv_query_port)(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return sd_query_port_old(context, port, attr);
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	return sd_query_device(context, attr);
}

#define CHECK(ok) \
	do { \
		if (!(ok)) { \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #ok); \
			failures++; \
		} \
	} while (0)

// A call that returns a number that reports failure itself.
#define CHECK_IS(call, want) \
	do { \
		long long got_ = (long long)(call), want_ = (long long)(want); \
		if (got_ != want_) { \
			printf("%s:%d: %s is %lld, want %lld\n", __FILE__, __LINE__, #call, got_, want_); \
			failures++; \
		} \
	} while (0)

// A call that returns NULL or a negative number, and sets errno.
#define CHECK_ERRNO(failed, want) \
	do { \
		errno = 0; \
		CHECK(failed); \
		CHECK_IS(errno, want); \
	} while (0)

#define RUN(test) \
	do { \
		int before_ = failures; \
		test(); \
		if (failures != before_) \
			printf("%s failed\n", #test); \
	} while (0)

#endif
