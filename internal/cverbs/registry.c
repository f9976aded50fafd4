//go:build linux && cgo

#include "registry.h"

#include "registry_table.h"
#include "table_generated.h"
#include <pthread.h>

// Changes are made under writers, which is not held during a provider's function, so providers may call verbs, register and
// unregister in them. Lookups take no lock.
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

atomic_size_t ibvgo_live;

// add makes an entry for object. The caller holds writers.
static int add(void *object, const ibvgo_fn_t *ops)
{
	if (ibvgo_table_find(object, NULL))
		return EEXIST;
	if (!ibvgo_table_room(atomic_load_explicit(&ibvgo_live, memory_order_relaxed)))
		return ENOMEM;
	ibvgo_table_add(object, ops);
	atomic_fetch_add_explicit(&ibvgo_live, 1, memory_order_relaxed);
	return 0;
}

int ibvgo_register(void *object, const ibvgo_fn_t *ops)
{
	int saved = errno, r;

	if (!object || !ops)
		return EINVAL;
	pthread_mutex_lock(&writers);
	r = add(object, ops);
	pthread_mutex_unlock(&writers);
	errno = saved;
	return r;
}

int ibvgo_unregister(void *object)
{
	int found;

	if (!object)
		return ENOENT;
	pthread_mutex_lock(&writers);
	found = ibvgo_table_remove(object);
	if (found)
		atomic_fetch_sub_explicit(&ibvgo_live, 1, memory_order_relaxed);
	pthread_mutex_unlock(&writers);
	return found ? 0 : ENOENT;
}

ibvgo_fn_t ibvgo_lookup(const void *object, int index, int *owned)
{
	const ibvgo_fn_t *ops = NULL;

	*owned = object && ibvgo_table_find(object, &ops);
	return *owned && index >= 0 && index < ibvgo_nsymbols ? ops[index] : NULL;
}
