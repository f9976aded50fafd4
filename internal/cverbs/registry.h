// Providers in this process: code that serves calls on objects of its own, which libibverbs knows nothing of.

#ifndef IBVGO_REGISTRY_H
#define IBVGO_REGISTRY_H

#include "loader.h"
#include <errno.h>
#include <stdatomic.h>

// How many objects are registered. Only ibvgo_owner and registry.c use it.
extern atomic_size_t ibvgo_live;

// ibvgo_register makes ops serve the calls on object, a struct ibv_context *, struct ibv_device * or struct ibv_buf *: what belongs
// to a context is found by its context. ops is an array of ibvgo_nsymbols, indexed like ibvgo_symbols, NULL where a call is not
// supported. It is not copied: it and object have to stay until ibvgo_unregister has returned. It returns 0, EINVAL for NULL,
// EEXIST for an object that is there already, or ENOMEM. Any thread may call it at any time; it has to return before object is
// given to anyone.
int ibvgo_register(void *object, const ibvgo_fn_t *ops);

// ibvgo_unregister undoes it, and returns 0 or ENOENT. It does not wait for calls: whoever calls it makes sure, as before
// ibv_close_device, that no call on the object or on what belongs to it runs or will be started.
int ibvgo_unregister(void *object);

// ibvgo_lookup is the part of ibvgo_owner for a process that has providers.
ibvgo_fn_t ibvgo_lookup(const void *object, int index, int *owned);

// ibvgo_owner returns the function that serves a call on object, which may be NULL or anything. *owned tells whether object is
// registered: if so and the result is NULL, its provider does not support the call, and the library must not get it. errno
// stays as it was.
//
// Nothing has to be ordered here: who has a registered object has got it, directly or not, from the thread that had registered
// it, in a way that made that thread's writes visible, the count among them. Other objects are not owned, whatever is read.
static inline ibvgo_fn_t ibvgo_owner(const void *object, int index, int *owned)
{
	*owned = 0;
	if (__builtin_expect(!atomic_load_explicit(&ibvgo_live, memory_order_relaxed), 1))
		return NULL;
	return ibvgo_lookup(object, index, owned);
}

// ibvgo_pick returns the function to call: the provider's for an object that has one, else the library's. If there is none, it
// is NULL, and *why is what to fail with: IBVGO_NO_OPERATION for a provider's gap, else ibvgo_why's.
static inline ibvgo_fn_t ibvgo_pick(const void *object, int index, int *why)
{
	int owned;
	ibvgo_fn_t fn = ibvgo_owner(object, index, &owned);

	if (!fn && !owned)
		fn = ibvgo_fn(index);
	if (!fn)
		*why = owned ? IBVGO_NO_OPERATION : ibvgo_why();
	return fn;
}

#endif
