// What tests in C share. A program counts what goes wrong, prints it, and ends with 1 if anything did.

#ifndef IBVGO_CHECK_H
#define IBVGO_CHECK_H

#include <stdio.h>

static int failures;

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

#define RUN(test) \
	do { \
		int before_ = failures; \
		test(); \
		if (failures != before_) \
			printf("%s failed\n", #test); \
	} while (0)

#endif
