// Functions that note how they were called, to be put wherever a function of verbs.h or of its objects is wanted.

#ifndef IBVTEST_RECORD_H
#define IBVTEST_RECORD_H

#include <stddef.h>
#include <stdint.h>

// As many functions as there are, arguments as they note, calls that they remember, bytes of what an argument points to.
#define IBVTEST_SLOTS 1024
#define IBVTEST_ARGS 6
#define IBVTEST_CALLS 8
#define IBVTEST_BYTES 512

// A call of slot, with the registers for integer arguments: those beyond the function's own are whatever was there, and so are
// the upper bits of those that are shorter.
struct ibvtest_call {
	int slot;
	uint64_t args[IBVTEST_ARGS];
};

// What the functions do: they return result with errno set to err, unless that is 0. For each argument with a look, that many
// bytes at it are copied to seen, and turned over in place if flip is set. The functions change calls, log and seen only. None of
// it is locked: one thread at a time.
struct ibvtest_record {
	uint64_t result;
	int err;
	size_t look[IBVTEST_ARGS];
	int flip[IBVTEST_ARGS];
	int calls;
	struct ibvtest_call log[IBVTEST_CALLS];
	unsigned char seen[IBVTEST_ARGS][IBVTEST_BYTES];
};

extern struct ibvtest_record ibvtest_record;

// ibvtest_slot returns the function that notes itself as i; NULL if there is none.
void *ibvtest_slot(int i);

// ibvtest_hook loads a library for good and stores the address of each function, the first one being that of slot first, in the
// array that the library has under the name ibvtest_slots, of n entries. It returns an error's text, or NULL.
const char *ibvtest_hook(const char *path, int first, int n);

#endif
