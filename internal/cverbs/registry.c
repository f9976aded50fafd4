//go:build linux && cgo

#include "registry.h"

#include "table_generated.h"
#include <pthread.h>
#include <stdint.h>

// An entry belongs to the registry, from ibvgo_register to ibvgo_unregister. The object and ops belong to the provider.
struct entry {
	const void *object;
	const ibvgo_fn_t *ops;
	struct entry *next;
};

// buckets is a hash table, guarded by lock: for reading while an entry is looked for, for writing while the chains change. The
// lock is not held during a provider's function, so providers may call verbs, register and unregister in them. A lookup costs
// two atomic operations on the lock; calls that move data do not come here, they go by the operations in the context.
#define BUCKETS 256
static struct entry *buckets[BUCKETS];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

atomic_size_t ibvgo_live;

// bucket returns the chain of object. The top bits of the product depend on all bits of the address.
static struct entry **bucket(const void *object)
{
	return &buckets[((uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u) >> 56];
}

// place returns where object's entry hangs, or the end of its chain. The caller holds lock.
static struct entry **place(const void *object)
{
	struct entry **p = bucket(object);

	while (*p && (*p)->object != object)
		p = &(*p)->next;
	return p;
}

int ibvgo_register(void *object, const ibvgo_fn_t *ops)
{
	int saved = errno;
	struct entry *e, **p;

	if (!object || !ops)
		return EINVAL;
	e = malloc(sizeof *e);
	errno = saved;
	if (!e)
		return ENOMEM;
	*e = (struct entry){.object = object, .ops = ops};
	pthread_rwlock_wrlock(&lock);
	p = place(object);
	if (*p) {
		pthread_rwlock_unlock(&lock);
		free(e);
		return EEXIST;
	}
	*p = e;
	atomic_fetch_add_explicit(&ibvgo_live, 1, memory_order_relaxed);
	pthread_rwlock_unlock(&lock);
	return 0;
}

int ibvgo_unregister(void *object)
{
	struct entry *e, **p;

	pthread_rwlock_wrlock(&lock);
	p = place(object);
	e = *p;
	if (e) {
		*p = e->next;
		atomic_fetch_sub_explicit(&ibvgo_live, 1, memory_order_relaxed);
	}
	pthread_rwlock_unlock(&lock);
	free(e);
	return e ? 0 : ENOENT;
}

ibvgo_fn_t ibvgo_lookup(const void *object, int index, int *owned)
{
	ibvgo_fn_t fn = NULL;
	struct entry *e;

	pthread_rwlock_rdlock(&lock);
	e = *place(object);
	if (e && index >= 0 && index < ibvgo_nsymbols)
		fn = e->ops[index];
	pthread_rwlock_unlock(&lock);
	*owned = e != NULL;
	return fn;
}
