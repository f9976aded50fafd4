// A provider that was built with the header of a release to come: it takes as many bytes as that header says from each struct that
// it is given, and fills as many. For one thread at a time.

#ifndef PROVIDER_H
#define PROVIDER_H

#include <stddef.h>

// What the caller's structs are full of, and what the provider fills them with.
enum { ASKED = 0x5a, ANSWERED = 0xa5 };

// An object is anything that calls are made on. All belong to one context, and live as long as the program.
struct objects {
	void *context, *cq, *qp, *counters, *action;
	size_t context_size; // of what is around the context
};
struct objects provider_objects(void);

// provider_ops is the array to register for the context.
const void *provider_ops(void);

// provider_expect tells the size of the caller's struct, before a call that is to grow it.
void provider_expect(size_t size);

// provider_age makes the context one of a library that does not know query_port, and whose query_device_ex is not supported.
void provider_age(void);

// provider_complaint returns what the provider found wrong, or NULL, and how many structs it was given since the last time.
const char *provider_complaint(int *given);

#endif
