// Calls what is generated for the made-up header, in the place of Go and of the loader. Memory has exactly Go's sizes, so that a
// sanitizer sees a byte too many. Exits with 0 if all is as it should be.

#include "labels_generated.h"

#include <infiniband/toy.h>
#include "calls_generated.h"
#include "registry.h"
#include "table_generated.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GO_ATTR 24 // bytes of struct ibv_attr in the newest record

static void demand(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "%s\n", what);
		exit(1);
	}
}

// What the loader answers, and what it was asked.
static ibvgo_fn_t answer;
static const void *asked_object;
static int asked_index;

ibvgo_fn_t ibvgo_pick(const void *object, int index, int *why)
{
	asked_object = object;
	asked_index = index;
	*why = ENOSYS;
	return answer;
}

static struct ibv_context context;
static struct ibv_pd pd = {.context = &context};

static void missing(void)
{
	struct ibv_obj obj = {.base = {.context = &context}};
	uintptr_t slot = 0;

	errno = 0;
	demand(!ibvgo_ibv_alloc_pd(&context) && errno == ENOSYS && asked_object == &context, "null");
	demand(asked_index == IBVGO_INDEX_ibv_alloc_pd, "index");
	demand(ibvgo_ibv_dealloc_pd(&pd) == ENOSYS && asked_object == &context, "errno");
	errno = 0;
	demand(ibvgo_ibv_get_index(&context, 1) == -1 && errno == ENOSYS, "minus1");
	demand(ibvgo__ibv_list(&context, NULL, 0, 0) == -ENOSYS, "negative");
	demand(!strcmp(ibvgo_ibv_kind_str(0), ""), "text");
	demand(ibvgo_ibv_kind_of(&pd) == 0, "value");
	demand(ibvgo_ibv_buf(&pd, &slot, &slot) == 0, "address");
	ibvgo_ibv_ack(&obj, 1);
	demand(asked_object == &context && asked_index == IBVGO_INDEX_ibv_ack, "the context of what an object begins with");
	demand(ibvgo_ibv_dealloc_pd(NULL) == ENOSYS && !asked_object, "no object");
}

static int listed(struct ibv_context *c, struct ibv_attr *list, size_t most, size_t size)
{
	demand(c == &context && !list && most == 5, "list's arguments");
	return size;
}

static int registered(struct ibv_pd *p, struct ibv_compat_attr *attr)
{
	memset(attr, 7, sizeof(struct ibv_attr)); // as large as this header has it
	return p == &pd ? 0 : -EINVAL;
}

static void copies(void)
{
	unsigned char *in = malloc(GO_ATTR), *out = malloc(GO_ATTR);
	size_t n = sizeof(struct ibv_attr) < GO_ATTR ? sizeof(struct ibv_attr) : GO_ATTR, i;

	memset(in, 3, GO_ATTR);
	memset(out, 9, GO_ATTR);
	demand(ibvgo_call_ibv_query(&context, (void *)in, (void *)out) == 0, "query");
	for (i = 0; i < GO_ATTR; i++)
		demand(in[i] == 3 && out[i] == (i < n ? 3 : 9), "query's bytes");
	demand(ibvgo_call_ibv_query(&context, NULL, (void *)out) == 0 && out[0] == 1, "query without input");
	answer = (ibvgo_fn_t)registered;
	demand(ibvgo_call_ibv_reg(&pd, (void *)out) == 0 && out[0] == 7, "macro");
	answer = (ibvgo_fn_t)listed;
	demand(ibvgo_call_ibv_list(&context, NULL, 5) == GO_ATTR, "list's size");
	free(in);
	free(out);
}

static int on_obj(struct ibv_obj *obj, uint32_t n)
{
	return obj ? (int)n : -1;
}

static int on_pd(struct ibv_pd *p, uint32_t n)
{
	return p && p->context ? (int)n : -1;
}

// The newest record's forms, whatever this header has.
struct new_obj {
	struct ibv_pd base;
	void *old_op;
	int (*new_op)(struct ibv_obj *obj, uint32_t n);
};

struct new_context {
	int (*ctx_op)(struct ibv_pd *pd, uint32_t n);
	void *set;
	size_t sz;
	struct ibv_context context;
};

static void members(void)
{
	struct new_obj obj = {.new_op = on_obj};
	struct new_context ext = {.ctx_op = on_pd, .sz = sizeof ext};
	struct ibv_pd p = {.context = &ext.context};

	demand(ibvgo_call_ibv_new_op((void *)&obj, 5) == 5, "member of an object");
	demand(ibvgo_call_ibv_ctx_op(&p, 6) == EOPNOTSUPP, "no extended context");
	ext.context.abi_compat = (void *)UINTPTR_MAX;
	demand(ibvgo_call_ibv_ctx_op(&p, 6) == 6, "member of the extended context");
	ext.sz = sizeof ext - 1;
	demand(ibvgo_call_ibv_ctx_op(&p, 6) == EOPNOTSUPP, "a shorter context");
	ext.sz = sizeof ext;
	ext.ctx_op = NULL;
	demand(ibvgo_call_ibv_ctx_op(&p, 6) == EOPNOTSUPP, "no such operation");
}

int main(void)
{
	missing();
	copies();
	members();
	return 0;
}
