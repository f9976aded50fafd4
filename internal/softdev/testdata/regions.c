// Protection domains and memory regions, and the numbers that keys are made of.

#define _GNU_SOURCE
#include "control.h"

static void test_regions(void)
{
	struct softdev_config config = {.memlock = 10000, .max_mr_size = 8000};
	static char memory[8192] __attribute__((aligned(4096)));
	struct ibv_pd *pd, *other;
	struct ibv_mr *a, *b;

	begin(&config);
	pd = sd_alloc_pd(context);
	other = sd_alloc_pd(context);
	a = sd_reg_mr(pd, memory, 6000, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	CHECK(a && a->pd == pd && a->context == context && a->addr == memory && a->length == 6000 && a->lkey == a->rkey);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 4001, 0), ENOMEM);
	b = sd_reg_mr_iova2(other, memory, 4000, 0x7000, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	CHECK(b && b->lkey != a->lkey && b->lkey >> 8 != a->lkey >> 8);
	CHECK_IS(sd_dealloc_pd(pd), EBUSY);
	// What is asked for wrongly.
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 0, 0), EINVAL);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 8001, 0), EINVAL);
	CHECK_ERRNO(!sd_reg_mr(pd, (void *)-100l, 101, 0), EINVAL);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 1, IBV_ACCESS_REMOTE_WRITE), EINVAL);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 1, IBV_ACCESS_REMOTE_ATOMIC), EINVAL);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 1, 1 << 10), EINVAL);
	CHECK_ERRNO(!sd_reg_mr(pd, memory, 1, IBV_ACCESS_ON_DEMAND), EOPNOTSUPP);
	CHECK_ERRNO(!sd_reg_mr_iova2(pd, memory, 1, 0x7001, 0), EINVAL);
	pthread_mutex_lock(&device->lock);
	{
		struct ibv_sge in = {.addr = (uintptr_t)memory, .length = 6000, .lkey = a->lkey}, out = in, before = in, wrong = in, empty = {.lkey = 1};

		out.addr++;
		before.addr--;
		wrong.lkey ^= 1;
		CHECK(sd_local(pd, &in, 0) == memory && sd_local(pd, &in, IBV_ACCESS_LOCAL_WRITE) == memory);
		in.addr += 5990;
		in.length = 10;
		CHECK(sd_local(pd, &in, 0) == memory + 5990);
		in.length = 11;
		CHECK(!sd_local(pd, &in, 0));
		CHECK(!sd_local(pd, &out, 0) && !sd_local(pd, &before, 0) && !sd_local(pd, &wrong, 0) && !sd_local(other, &out, 0) && sd_local(pd, &empty, 0));
		CHECK(sd_remote(pd, a->rkey, (uintptr_t)memory, 10, IBV_ACCESS_REMOTE_READ) == memory);
		CHECK(!sd_remote(pd, a->rkey, (uintptr_t)memory, 10, IBV_ACCESS_REMOTE_WRITE));
		CHECK(!sd_remote(pd, b->rkey, 0x7000, 10, IBV_ACCESS_REMOTE_WRITE));
		CHECK(sd_remote(other, b->rkey, 0x7001, 3999, IBV_ACCESS_REMOTE_WRITE) == memory + 1);
		CHECK(!sd_remote(other, b->rkey, 0x7001, UINT64_MAX, IBV_ACCESS_REMOTE_WRITE));
		CHECK(!sd_remote(other, b->rkey, UINT64_MAX, 2, IBV_ACCESS_REMOTE_WRITE));
	}
	pthread_mutex_unlock(&device->lock);
	CHECK_IS(sd_dereg_mr(a), 0);
	// Memory is not touched, not even looked at.
	CHECK_IS(sd_dereg_mr(sd_reg_mr(pd, NULL, 4000, 0)), 0);
	a = sd_reg_mr(pd, memory, 6000, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_READ);
	pthread_mutex_lock(&device->lock);
	CHECK(sd_remote(pd, a->rkey, 100, 1, IBV_ACCESS_REMOTE_READ) == memory + 100);
	pthread_mutex_unlock(&device->lock);
	CHECK_IS(sd_dereg_mr(a), 0);
	CHECK_IS(sd_dereg_mr(b), 0);
	CHECK_IS(sd_dealloc_pd(pd), 0);
	CHECK_IS(sd_dealloc_pd(other), 0);
	end();
}

// A key is not soon used again, though there are few regions at a time.
static void test_keys(void)
{
	static char memory[1];
	uint32_t keys[1000];
	struct ibv_pd *pd;
	struct ibv_mr *mr, *many[300];
	int i, j;

	begin(NULL);
	pd = sd_alloc_pd(context);
	for (i = 0; i < 1000; i++) {
		mr = sd_reg_mr(pd, memory, 1, 0);
		keys[i] = mr->lkey;
		for (j = 0; j < i; j++)
			CHECK(keys[i] != keys[j]);
		sd_dereg_mr(mr);
	}
	for (i = 0; i < 300; i++)
		many[i] = sd_reg_mr(pd, memory, 1, 0);
	for (i = 0; i < 300; i++) {
		for (j = 0; j < i; j++)
			CHECK(many[i]->lkey >> 8 != many[j]->lkey >> 8);
		CHECK(many[i]->lkey >> 8);
	}
	for (i = 0; i < 300; i++)
		CHECK_IS(sd_dereg_mr(many[i]), 0);
	sd_dealloc_pd(pd);
	end();
}

static void test_numbers(void)
{
	struct sd_numbers t = {.slot = NULL};
	int thing;
	uint32_t i, n;

	CHECK(!sd_numbered(&t, 5));
	// Only so many fit, and one that is freed is found.
	for (i = 0; i < 99; i++) {
		n = sd_number(&t, &thing, 100);
		CHECK(n >= 2 && n <= 100 && sd_numbered(&t, n) == &thing);
	}
	CHECK_IS(sd_number(&t, &thing, 100), 0);
	sd_unnumber(&t, 50);
	CHECK(!sd_numbered(&t, 50));
	CHECK_IS(sd_number(&t, &thing, 100), 50);
	free(t.slot);
}

int main(void)
{
	RUN(test_regions);
	RUN(test_keys);
	RUN(test_numbers);
	return failures != 0;
}
