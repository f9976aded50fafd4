//go:build linux && cgo

#include "functions.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

// with_more is an int in a register whose upper half says nothing of its sign.
static int64_t with_more(int32_t result)
{
	return (int64_t)(UINT64_C(0x5a5a5a5a) << 32 | (uint32_t)result);
}

int64_t ctest_note(struct ctest_note *note, int value, void *p)
{
	// Locals that the compiler puts at multiples of 16 tell where the stack is, and that it is aligned.
	_Alignas(16) volatile char local[16];

	local[0] = 1;
	note->calls++;
	note->value = value;
	note->pointer = p;
	note->stack = (uintptr_t)local;
	note->misaligned = (uintptr_t)__builtin_frame_address(0) % 16;
	errno = value; // C's own thread-local memory is where it belongs
	return with_more(note->result);
}

int ctest_deep(struct ctest_note *note, int bytes, void *p)
{
	volatile char local[bytes];

	(void)note;
	(void)p;
	for (int i = bytes - 1; i >= 0; i -= 1024)
		local[i] = (char)i;
	return local[bytes - 1] == (char)(bytes - 1);
}

// ctest_clobber changes every register that a C function may, and a few that it has to put back, which the compiler does.
int ctest_clobber(struct ctest_note *note, int value, void *p)
{
	(void)p;
#if defined(__x86_64__)
	__asm__ volatile("mov $-1, %%rax; mov %%rax, %%rcx; mov %%rax, %%rdx; mov %%rax, %%rsi; mov %%rax, %%r8; mov %%rax, %%r9;"
		"mov %%rax, %%r10; mov %%rax, %%r11; mov %%rax, %%r12; mov %%rax, %%r13; mov %%rax, %%r14; mov %%rax, %%r15; mov %%rax, %%rbx;"
		"pcmpeqd %%xmm0, %%xmm0; pcmpeqd %%xmm7, %%xmm7; pcmpeqd %%xmm15, %%xmm15" ::
		: "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rbx", "xmm0", "xmm7", "xmm15", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("mov x1, #-1; mov x2, x1; mov x8, x1; mov x9, x1; mov x16, x1; mov x17, x1; mov x18, x1; mov x19, x1; mov x20, x1;"
		"mov x21, x1; mov x26, x1; mov x27, x1; mov x28, x1; mov x30, x1; movi v0.16b, #255; movi v31.16b, #255" ::
		: "x1", "x2", "x8", "x9", "x16", "x17", "x18", "x19", "x20", "x21", "x26", "x27", "x28", "x30", "v0", "v31", "cc");
#endif
	note->calls++;
	return value;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int ctest_stay(struct ctest_note *note, int microseconds, void *p)
{
	uint64_t end = now() + (uint64_t)microseconds * 1000;

	(void)p;
	atomic_store((_Atomic uint32_t *)&note->inside, 1);
	while (now() < end)
		;
	atomic_store((_Atomic uint32_t *)&note->inside, 0);
	note->calls++;
	return 0;
}

int ctest_touch(struct ctest_note *note, int value, void *p)
{
	(void)p;
	if (note->gone) // what a destroyed object looks like
		note->touched++;
	note->calls++;
	return value;
}

int64_t ctest_post(struct ctest_note *note, void *request, void **bad)
{
	note->calls++;
	note->pointer = request;
	if (note->touched)
		*bad = request;
	return with_more(note->result);
}
