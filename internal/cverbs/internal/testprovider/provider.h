// A provider of contexts, protection domains, completion queues and work queues, without a device: a receive completes as soon as
// it is posted.

#ifndef IBVTEST_PROVIDER_H
#define IBVTEST_PROVIDER_H

#include <stddef.h>
#include <stdint.h>

struct ibv_context;
struct ibv_cq;
struct ibvtest_provider;

// What is to happen in the next calls of operations, as often as times says: they do nothing, set errno to err, and return NULL, or
// value if their result is a number.
struct ibvtest_script {
	long times;
	int value;
	int err;
};

// ibvtest_open makes a provider whose extended context has the size of its header, less so many bytes. The caller owns it until
// ibvtest_close, which returns how many objects are left, and frees it if there are none. One thread at a time may use it.
struct ibvtest_provider *ibvtest_open(size_t less);
int ibvtest_close(struct ibvtest_provider *p);
struct ibv_context *ibvtest_context(struct ibvtest_provider *p);
struct ibvtest_script *ibvtest_next(struct ibvtest_provider *p);
// ibvtest_objects returns how many domains, completion queues and work queues there are.
void ibvtest_objects(struct ibvtest_provider *p, int *pds, int *cqs, int *wqs);

// ibvtest_function returns the operation that serves an exported function, without ibv_ before its name; NULL if there is none.
void *ibvtest_function(const char *name);

// These call operations n times, as C programs do, and return how many nanoseconds that took.
int64_t ibvtest_time_pd(struct ibvtest_provider *p, long n);
int64_t ibvtest_time_poll(struct ibv_cq *cq, long n);
int64_t ibvtest_time_notify(struct ibv_cq *cq, long n);

#endif
