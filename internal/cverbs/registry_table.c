//go:build linux && cgo

#include "registry_table.h"

#include <stdatomic.h>
#include <stdint.h>

// A slot that was used once is never empty again while its table is current, since a lookup goes on to the first empty one. A removed
// object leaves the mark dead, which the next object on that way takes over.
struct slot {
	_Atomic(const void *) object; // NULL if empty
	_Atomic(const ibvgo_fn_t *) ops;
};

// A table is never freed: a lookup may stand in it at any time. There are at most two of each size, so that all old ones together
// are at most twice as large as the newest.
struct table {
	size_t mask;         // the number of slots, a power of 2, less 1
	unsigned shift;      // leaves as many bits of a product as the mask has
	size_t used;         // slots that are not empty
	struct table *spare; // the other table of this size, or NULL; only the current one's is looked at
	struct table *older;
	struct slot slots[];
};

#define FIRST_BITS 8

// current is stored with release after the table is filled. moves counts the tables that were begun: a lookup in the midst of
// which one was begun may have stood in that, and starts again.
static _Atomic(struct table *) current;
static atomic_size_t moves;
static const char dead;

// start is the slot where the way of object begins. The top bits of the product depend on all bits of the address.
static size_t start(const struct table *t, const void *object)
{
	return ((uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u) >> t->shift;
}

static const void *object_in(struct slot *s)
{
	return atomic_load_explicit(&s->object, memory_order_acquire);
}

// find returns the slot of object, or NULL. It ends, since a quarter of the slots is empty.
static struct slot *find(struct table *t, const void *object)
{
	size_t i;
	const void *o;

	for (i = start(t, object); (o = object_in(&t->slots[i])) != NULL; i = (i + 1) & t->mask)
		if (o == object)
			return &t->slots[i];
	return NULL;
}

int ibvgo_table_find(const void *object, const ibvgo_fn_t **ops)
{
	struct slot *s;
	size_t seen;

	do {
		struct table *t;

		// Who sees a move sees the table that was made current before it, so t is not the one that it fills.
		seen = atomic_load_explicit(&moves, memory_order_acquire);
		t = atomic_load_explicit(&current, memory_order_acquire);
		s = t ? find(t, object) : NULL;
		if (s && ops)
			*ops = atomic_load_explicit(&s->ops, memory_order_acquire);
		// Who has seen a slot that a move stored sees the move.
	} while (atomic_load_explicit(&moves, memory_order_relaxed) != seen);
	return s != NULL;
}

// put stores with release all the way, for the lookup's last load.
static void put(struct slot *s, const void *object, const ibvgo_fn_t *ops)
{
	atomic_store_explicit(&s->ops, ops, memory_order_release);
	atomic_store_explicit(&s->object, object, memory_order_release);
}

static void add(struct table *t, const void *object, const ibvgo_fn_t *ops)
{
	size_t i = start(t, object);
	const void *o;

	while ((o = object_in(&t->slots[i])) != NULL && o != &dead)
		i = (i + 1) & t->mask;
	t->used += o == NULL;
	put(&t->slots[i], object, ops);
}

// empty returns an empty table: the current one's spare, or a new one if there is none or it is to be larger.
static struct table *empty(struct table *now, unsigned bits)
{
	size_t n = (size_t)1 << bits, i;
	struct table *t = now && now->mask == n - 1 ? now->spare : NULL;

	if (t) {
		for (i = 0; i < n; i++)
			put(&t->slots[i], NULL, NULL);
		t->used = 0;
		return t;
	}
	t = calloc(1, sizeof *t + n * sizeof t->slots[0]);
	if (t) {
		t->mask = n - 1;
		t->shift = 64 - bits;
		t->older = now;
	}
	return t;
}

// move makes a table current that has what lives in the present one, and no dead slots.
static int move(struct table *now, unsigned bits)
{
	struct table *t;
	size_t i;

	atomic_fetch_add_explicit(&moves, 1, memory_order_release);
	t = empty(now, bits);
	if (!t)
		return 0;
	for (i = 0; now && i <= now->mask; i++) {
		const void *o = object_in(&now->slots[i]);

		if (o && o != &dead)
			add(t, o, atomic_load_explicit(&now->slots[i].ops, memory_order_relaxed));
	}
	if (now && now->mask == t->mask)
		t->spare = now;
	atomic_store_explicit(&current, t, memory_order_release);
	return 1;
}

// A table has at most half of its slots alive when it becomes current, and three quarters of them used in the end, so a move comes
// only after a quarter as many changes as there are slots.
int ibvgo_table_room(size_t live)
{
	struct table *now = atomic_load_explicit(&current, memory_order_relaxed);
	size_t n;

	if (!now)
		return move(NULL, FIRST_BITS);
	n = now->mask + 1;
	if (now->used + 1 <= n / 4 * 3)
		return 1;
	return move(now, 64 - now->shift + (live + 1 > n / 2));
}

void ibvgo_table_add(const void *object, const ibvgo_fn_t *ops)
{
	add(atomic_load_explicit(&current, memory_order_relaxed), object, ops);
}

int ibvgo_table_remove(const void *object)
{
	struct table *now = atomic_load_explicit(&current, memory_order_relaxed);
	struct slot *s = now ? find(now, object) : NULL;

	if (s)
		atomic_store_explicit(&s->object, &dead, memory_order_release);
	return s != NULL;
}
