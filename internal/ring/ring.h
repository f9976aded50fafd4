// A ring of completions between one thread that puts them in, the producer, and one that takes them out, the consumer. This is the one
// description of its layout: ring.go follows it, which a test checks.

#ifndef IBVGO_RING_H
#define IBVGO_RING_H

#include <stdatomic.h>
#include <stdint.h>

// What two threads write is so far apart: processors fetch lines of 64 bytes in pairs.
#define IBVGO_RING_LINE 128

// A completion, a struct ibv_wc. Nothing here looks into it.
struct ibvgo_wc {
	uint64_t words[6];
};

// Counters run freely: entry i is at entries[i & mask], and those from head up to tail are there to be read. The memory is the consumer's side's, and
// stays for as long as the producer has it.
struct ibvgo_ring {
	// The producer's line.
	_Alignas(IBVGO_RING_LINE) _Atomic uint64_t tail; // up to where entries are there; written by the producer only
	_Atomic uint64_t news;                           // grows when there is more to be told than completions; anybody may add to it
	uint64_t seen;                                   // what the producer knows of head; the producer only
	// The consumer's line.
	_Alignas(IBVGO_RING_LINE) _Atomic uint64_t head; // up to where entries are free again; written by the consumer only
	// Hardly ever written.
	_Alignas(IBVGO_RING_LINE) uint64_t mask; // the number of entries, a power of two, less 1
	_Atomic uint32_t sleeping;               // the consumer sleeps, or is about to; whoever makes it 0 wakes it
	_Alignas(IBVGO_RING_LINE) struct ibvgo_wc entries[];
};

// ibvgo_ring_room returns how many entries can be filled at *at, one behind the other; 0 if the ring is full. It asks for the consumer's line only if there is less
// than wanted, as far as is known. The producer only.
static inline uint64_t ibvgo_ring_room(struct ibvgo_ring *r, uint64_t wanted, struct ibvgo_wc **at)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t from = tail & r->mask, straight = r->mask + 1 - from;
	uint64_t room = r->mask + 1 - (tail - r->seen);

	if (room < wanted) {
		// Acquires: the consumer has read the entries before it gave them back, and only now may they be written.
		r->seen = atomic_load_explicit(&r->head, memory_order_acquire);
		room = r->mask + 1 - (tail - r->seen);
	}
	*at = &r->entries[from];
	return room < straight ? room : straight;
}

// ibvgo_ring_wake tells, after something was stored for the consumer, whether it sleeps: then the caller has to wake it, and nobody else will. The consumer says
// that it sleeps, and then looks whether there is something; here something is stored, and then is looked whether it sleeps. All
// four are sequentially consistent, so that at least one of the two sees the other.
static inline int ibvgo_ring_wake(struct ibvgo_ring *r)
{
	return atomic_load_explicit(&r->sleeping, memory_order_seq_cst) && atomic_exchange_explicit(&r->sleeping, 0, memory_order_seq_cst);
}

// ibvgo_ring_publish gives n entries, which were filled where ibvgo_ring_room said, to the consumer, and returns what ibvgo_ring_wake does. The producer
// only.
static inline int ibvgo_ring_publish(struct ibvgo_ring *r, uint64_t n)
{
	// Releases the entries, and more: see ibvgo_ring_wake.
	atomic_store_explicit(&r->tail, atomic_load_explicit(&r->tail, memory_order_relaxed) + n, memory_order_seq_cst);
	return ibvgo_ring_wake(r);
}

// ibvgo_ring_tell has the consumer ask for what there is besides completions; otherwise it is as ibvgo_ring_publish. Any thread.
static inline int ibvgo_ring_tell(struct ibvgo_ring *r)
{
	atomic_fetch_add_explicit(&r->news, 1, memory_order_seq_cst);
	return ibvgo_ring_wake(r);
}

#endif
