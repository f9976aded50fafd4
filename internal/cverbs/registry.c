//go:build linux && cgo

#include "registry.h"

#include "table_generated.h"
#include <pthread.h>
#include <stdint.h>

// An entry belongs to the registry for good: a lookup may stand on it at any time, so it is never freed. When its object is
// unregistered it stays in its chain, without one, for the next object of that chain. The object and ops belong to the provider.
struct entry {
	_Atomic(const void *) object; // NULL if the entry is free
	_Atomic(const ibvgo_fn_t *) ops;
	_Atomic(struct entry *) next; // set once, before the entry is in the chain
};

// buckets is a hash table. Lookups take no lock: each pointer that they follow is loaded with acquire and was stored with release
// after what it points to. Changes are made under writers, which is not held during a provider's function, so providers may call
// verbs, register and unregister in them.
#define BUCKETS 256
static _Atomic(struct entry *) buckets[BUCKETS];
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

atomic_size_t ibvgo_live;

// bucket returns the chain of object. The top bits of the product depend on all bits of the address.
static _Atomic(struct entry *) *bucket(const void *object)
{
	return &buckets[((uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u) >> 56];
}

// find returns object's entry, or NULL. With NULL for the object it returns a free entry of the chain that head starts.
static struct entry *find(_Atomic(struct entry *) *head, const void *object)
{
	struct entry *e = atomic_load_explicit(head, memory_order_acquire);

	while (e && atomic_load_explicit(&e->object, memory_order_acquire) != object)
		e = atomic_load_explicit(&e->next, memory_order_acquire);
	return e;
}

// add makes an entry for object. The caller holds writers, and has made sure that there is none.
static int add(_Atomic(struct entry *) *head, const void *object, const ibvgo_fn_t *ops)
{
	struct entry *e = find(head, NULL);

	if (e) {
		// Nobody looks at ops of a free entry; who finds object sees these.
		atomic_store_explicit(&e->ops, ops, memory_order_relaxed);
		atomic_store_explicit(&e->object, object, memory_order_release);
		return 0;
	}
	e = malloc(sizeof *e);
	if (!e)
		return ENOMEM;
	atomic_init(&e->object, object);
	atomic_init(&e->ops, ops);
	atomic_init(&e->next, atomic_load_explicit(head, memory_order_relaxed));
	atomic_store_explicit(head, e, memory_order_release);
	return 0;
}

int ibvgo_register(void *object, const ibvgo_fn_t *ops)
{
	_Atomic(struct entry *) *head = bucket(object);
	int saved = errno, r;

	if (!object || !ops)
		return EINVAL;
	pthread_mutex_lock(&writers);
	r = find(head, object) ? EEXIST : add(head, object, ops);
	if (!r)
		atomic_fetch_add_explicit(&ibvgo_live, 1, memory_order_relaxed);
	pthread_mutex_unlock(&writers);
	errno = saved;
	return r;
}

int ibvgo_unregister(void *object)
{
	struct entry *e;

	if (!object)
		return ENOENT;
	pthread_mutex_lock(&writers);
	e = find(bucket(object), object);
	if (e) {
		atomic_store_explicit(&e->object, NULL, memory_order_release);
		atomic_fetch_sub_explicit(&ibvgo_live, 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&writers);
	return e ? 0 : ENOENT;
}

// The entry found keeps its ops until object is unregistered, which no call on it survives; another object may then get the entry.
ibvgo_fn_t ibvgo_lookup(const void *object, int index, int *owned)
{
	struct entry *e = object ? find(bucket(object), object) : NULL;
	const ibvgo_fn_t *ops;

	*owned = e != NULL;
	if (!e || index < 0 || index >= ibvgo_nsymbols)
		return NULL;
	ops = atomic_load_explicit(&e->ops, memory_order_relaxed);
	return ops[index];
}
