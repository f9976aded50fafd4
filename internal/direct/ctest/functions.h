// Functions of the form that package direct calls. Two of them return more than the int that the caller knows of: C may leave anything in the
// upper half of the register.

#ifndef CTEST_FUNCTIONS_H
#define CTEST_FUNCTIONS_H

#include <stdint.h>

// What calls leave behind. ctest.Note is the same in Go.
struct ctest_note {
	uint64_t calls;
	int64_t value;
	void *pointer;
	uintptr_t stack;
	uint64_t misaligned;
	int32_t result;
	uint32_t inside;
	uint32_t gone;
	uint32_t touched;
};

// ctest_note keeps its arguments, and where its stack is, and returns note->result.
int64_t ctest_note(struct ctest_note *note, int value, void *p);
// ctest_deep uses so much stack, and returns 1.
int ctest_deep(struct ctest_note *note, int bytes, void *p);
// ctest_clobber spoils the registers, and returns value.
int ctest_clobber(struct ctest_note *note, int value, void *p);
// ctest_stay stays for so long, with note->inside set.
int ctest_stay(struct ctest_note *note, int microseconds, void *p);
// ctest_touch counts if the note is gone, and returns value.
int ctest_touch(struct ctest_note *note, int value, void *p);
// ctest_post keeps the request as note->pointer, names it as bad if note->touched is set, and returns note->result.
int64_t ctest_post(struct ctest_note *note, void *request, void **bad);

#endif
