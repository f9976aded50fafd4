//go:build linux && cgo

#include "labels_generated.h"

#include "posted.h"
#include <errno.h>
#include <infiniband/verbs.h>

// The address of the thread's errno, which stays the same; NULL until its first post. Asking the C library for it each time is two calls. It is initial-exec
// for the same reason as ibvgo_this_thread.
static __thread int *own_errno __attribute__((tls_model("initial-exec")));

static void __attribute__((noinline, cold)) find_errno(void)
{
	own_errno = &errno;
}

// clear_errno lets minus1 tell what a post has set from what was there.
static inline void clear_errno(void)
{
	if (__builtin_expect(!own_errno, 0))
		find_errno();
	*own_errno = 0;
}

// minus1 is what a post means that has returned -1.
static int __attribute__((noinline, cold)) minus1(void)
{
	return errno ? errno : -1;
}

int ibvgo_send(struct ibvgo_send_post *p)
{
	int r;

	clear_errno();
	r = ibv_post_send(p->qp, p->wr, &p->bad);
	return r == -1 ? minus1() : r;
}

int ibvgo_receive(struct ibvgo_recv_post *p)
{
	int r;

	clear_errno();
	r = ibv_post_recv(p->qp, p->wr, &p->bad);
	return r == -1 ? minus1() : r;
}
