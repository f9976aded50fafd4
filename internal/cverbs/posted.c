//go:build linux && cgo

#include "labels_generated.h"

#include "posted.h"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>

// Go has the same structs, and asserts their sizes.
_Static_assert(offsetof(struct ibvgo_send_post, bad) == 16 && offsetof(struct ibvgo_recv_post, bad) == 16, "struct ibvgo_send_post");

// Where the thread has errno, as ibvgo_this_thread: asking the C library each time takes 3 ns of a post. NULL: that was not asked yet.
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
