// What the device is made of. C files of this folder only.
//
// Locks: d->lock guards everything of a device, its contexts and their objects, but for what is said to be guarded otherwise. A CQ's spin
// lock guards its ring and is taken after d->lock or alone: polling takes nothing else. While a thread waits, for an event or in a
// fault's delay, it holds no lock.

#ifndef SOFTDEV_CORE_H
#define SOFTDEV_CORE_H

#include "softdev.h"

#include "functions.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The GUID of each device's node, and of its system image; the last bytes of its link-local address say the same.
#define SD_GUID UINT64_C(0x00000afffe090001)

struct sd_context;

// What each object begins with behind its verbs struct: its place in its context's list, and how many objects hold it.
struct sd_object {
	struct sd_object *prev, *next;
	struct sd_context *context;
	enum softdev_kind kind;
	uint32_t holders; // a destroy answers EBUSY while there are some
};

// A table of things by number. Numbers are given out in turn, so that one that was freed is not soon used again.
struct sd_numbers {
	void **slot;
	uint32_t room, next, used;
};

// An event in a queue. object is NULL if it was destroyed before somebody took the event.
struct sd_event {
	struct sd_event *next;
	void *object; // the verbs struct: a CQ, QP, WQ; NULL for a port's or the device's
	int type;     // enum ibv_event_type; of asynchronous events only
	int port;
};

// Events behind a descriptor: fd is an eventfd that counts them one by one, so that it can be polled and set not to block.
struct sd_events {
	int fd;
	pthread_mutex_t lock; // the following, and how many of each object's events were taken
	struct sd_event *first, **last;
};

struct sd_fault {
	struct sd_fault *next;
	struct softdev_fault f;
};

// The process's registry of providers; see softdev_set_registry.
struct sd_registry {
	softdev_add *add;
	softdev_remove *remove;
	softdev_function_t const *ops;
};

struct softdev {
	struct ibv_device dev; // first: this is what is given out
	struct softdev_config config;
	struct sd_registry registry;
	pthread_mutex_t lock;
	atomic_int faulty; // faults there are, or 1 more if the device is lost: whether sd_enter has to look
	struct sd_fault *faults;
	int lost;
	int port_active;
	_Atomic uint64_t calls[SD_NVERBS]; // but for poll_cq, which each CQ counts
	uint64_t polls;                    // of CQs that are gone
	uint64_t dropped, registered;
	uint32_t counts[SD_NKINDS], orphans[SD_NKINDS];
	uint8_t key;               // the low bits of the next region's keys
	struct sd_object contexts; // list head
	struct sd_numbers mrs, qps; // sd_mr by lkey >> 8; sd_object by number: QPs and WQs share theirs, and kind tells them apart
	struct sd_qp *waiters;      // QPs whose request has a deadline
	uint32_t tables;            // made so far
	uint64_t alarm;             // the deadline that the timer knows of; 0: none
	// One thread ends what has waited long enough for the other side: see timer.c.
	pthread_t timer;
	pthread_cond_t tick; // CLOCK_MONOTONIC
	int stop;
};

struct sd_context {
	struct sd_object o;
	struct sd_object objects; // list head
	struct softdev *d;
	struct sd_events async;
	struct verbs_context v; // last, so that what is cut from its front is ours
};

struct sd_pd {
	struct ibv_pd pd;
	struct sd_object o;
};

struct sd_mr {
	struct ibv_mr mr;
	struct sd_object o;
	uint64_t iova; // the address that requests use for mr.addr
	int access;
	int invalidated; // its rkey, by a send with invalidate
};

struct sd_channel {
	struct ibv_comp_channel channel;
	struct sd_object o;
	struct sd_events events;
};

// A completion, and what polling it frees: the places of a queue up to index.
struct sd_cqe {
	struct ibv_wc wc;
	_Atomic uint32_t *tail; // of a queue; NULL if none
	uint32_t upto;
};

// When a completion was made.
struct sd_stamp {
	uint64_t raw;  // by the device's clock: ns, CLOCK_MONOTONIC
	uint64_t wall; // ns, CLOCK_REALTIME
};

// What an extended completion queue has besides, see cq_batch.c.
struct sd_batches {
	struct sd_stamp *stamps; // of each place of the ring; NULL if nobody asked for them
	int single;              // it is used by one thread at a time, which needs no lock
	int ignore_overrun;
	pthread_mutex_t owner; // held from start to end, unless single; the following
	int open;
	struct ibv_wc wc; // the current completion
	struct sd_stamp stamp;
};

struct sd_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex ex; // has the same at its beginning
	};
	struct sd_object o;
	struct sd_batches *batches; // NULL if the queue is no extended one
	// Events that were taken. The ibv_cq's own counters and mutex are used for what is acknowledged.
	uint32_t comp_taken, async_taken;
	pthread_spinlock_t lock; // the following
	struct sd_cqe *ring;
	uint32_t room, head, tail; // a power of two; counters run freely
	uint32_t limit;            // how many fit: what the queue was made for, room at most
	uint64_t polls;
	enum { SD_UNARMED, SD_SOLICITED, SD_ANY } armed;
};

// A request that waits in a queue, and where its parts lie in the queue's arrays.
struct sd_send {
	struct ibv_send_wr wr; // sg_list points into the queue's sges; next is not used
	uint64_t length;       // sum of the elements
	unsigned char *data;   // inline data, into the queue's; else NULL
};

struct sd_recv {
	uint64_t wr_id;
	struct ibv_sge *sges;
	int num_sge;
};

// A piece of this process's memory.
struct sd_part {
	unsigned char *at;
	uint64_t length;
};

// Receives, of a QP or a WQ. Counters run freely: head is where the next is posted, next the one that the next arrival takes, tail
// the oldest whose completion was not polled yet.
struct sd_rq {
	struct sd_recv *ring;
	struct ibv_sge *sges;  // max_sge for each
	struct sd_part *parts; // max_sge: where the arrival goes that is being served
	uint32_t room, max_sge; // a power of two
	uint32_t limit;         // how many may be posted: what the queue was made for, room at most
	uint32_t head, next;
	_Atomic uint32_t tail;
	int fail_status; // for the next arrival; 0: none
	uint32_t fail_vendor;
};

struct sd_sq {
	struct sd_send *ring;
	struct ibv_sge *sges;
	unsigned char *inlined; // max_inline for each
	struct sd_part *parts;  // max_sge: of the request that is being served
	uint32_t room, limit, max_sge, max_inline; // as in sd_rq
	uint32_t head, next; // next: the one under way, or to be begun
	_Atomic uint32_t tail;
	int fail_status;
	uint32_t fail_vendor;
	// While the request at next waits for the other side: what for, and when to give up.
	enum { SD_IDLE, SD_NO_RECV, SD_NO_PEER } waiting;
	uint64_t deadline;            // ns, CLOCK_MONOTONIC; 0: never, and then the QP is not in the list of waiters
	struct sd_qp *later, **place; // in that list
};

// Requests that are built one by one, and posted together; see wr.c.
struct sd_building {
	pthread_mutex_t owner; // held from start to complete or abort; the following
	int open, err;         // err: the first mistake
	struct sd_sq staged;   // from 0 to head, num_sge of -1: no setter was called
};

struct sd_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex ex; // begins with the other
	};
	struct sd_object o;
	struct sd_building *building; // NULL if the QP was created without send operations
	struct sd_sq sq;
	struct sd_rq rq;
	int sig_all;
	enum ibv_qp_state state; // the device's own: the ibv_qp's is what the program last set or asked for
	struct ibv_qp_attr attr; // as modified; both PSNs are the next ones
	struct ibv_qp_cap cap;
	uint32_t async_taken;
	int on_fabric;    // attr's address is one of this device's
	int established;  // a message came while it was in RTR, and the event was raised
	int tell_drained; // IBV_EVENT_SQ_DRAINED is owed
	// RSS: a QP with a table has no queues.
	struct sd_table *table;
	uint64_t hash_fields; // enum ibv_rx_hash_fields
	uint8_t hash_key[40];
};

struct sd_wq {
	struct ibv_wq wq;
	struct sd_object o;
	struct sd_rq rq;
	enum ibv_wq_state state; // the device's own: an error moves it, and the ibv_wq's stays what the program made it
	uint32_t flags;
	uint32_t async_taken;
};

struct sd_table {
	struct ibv_rwq_ind_table table;
	struct sd_object o;
	uint32_t n; // a power of two
	struct sd_wq **wqs;
};

// From the verbs struct to ours, of which it is the first member; contexts, whose verbs struct is the last, have their own.
#define SD_OF(type, object) ((struct type *)(object))
static inline struct sd_context *sd_context(struct ibv_context *c)
{
	return (struct sd_context *)((char *)c - offsetof(struct sd_context, v.context));
}
static inline struct softdev *sd_device(struct ibv_context *c)
{
	return sd_context(c)->d;
}

// fault.c. sd_enter begins each verb: it counts the call, and returns 1 if the call is to do nothing but return *value, or NULL, with
// errno set. The caller holds no lock.
int sd_enter_slow(struct softdev *d, enum softdev_verb verb, int *value);
static inline int sd_enter(struct softdev *d, enum softdev_verb verb, int *value)
{
	atomic_fetch_add_explicit(&d->calls[verb], 1, memory_order_relaxed);
	if (__builtin_expect(!atomic_load_explicit(&d->faulty, memory_order_relaxed), 1))
		return 0;
	return sd_enter_slow(d, verb, value);
}

// sd_enter_locked is sd_enter for posting, which takes d->lock anyway and counts under it, with one locked instruction less: it returns 0
// with d->lock held, or 1 without it.
static inline int sd_enter_locked(struct softdev *d, enum softdev_verb verb, int *value)
{
	pthread_mutex_lock(&d->lock);
	atomic_store_explicit(&d->calls[verb], atomic_load_explicit(&d->calls[verb], memory_order_relaxed) + 1, memory_order_relaxed);
	if (__builtin_expect(!atomic_load_explicit(&d->faulty, memory_order_relaxed), 1))
		return 0;
	pthread_mutex_unlock(&d->lock);
	if (sd_enter_slow(d, verb, value))
		return 1;
	pthread_mutex_lock(&d->lock);
	return 0;
}

// object.c. The caller holds d->lock.
void sd_list_init(struct sd_object *head);
void sd_add(struct sd_context *c, struct sd_object *o, enum softdev_kind kind); // counts it
void sd_remove(struct sd_object *o);
// sd_find returns the object of a kind whose verbs struct is at this address, or NULL; it reads nothing there.
void *sd_find(struct softdev *d, enum softdev_kind kind, const void *object);
uint32_t sd_number(struct sd_numbers *t, void *thing, uint32_t max); // a new number from 1 to max, or 0: none or no memory
void *sd_numbered(const struct sd_numbers *t, uint32_t number);      // NULL: none
void sd_unnumber(struct sd_numbers *t, uint32_t number);

// event.c. sd_events_init returns 0 or errno. sd_event_push drops the event if there is no memory. sd_event_take takes q->lock, and returns
// with it held: 0, or -1 and errno, without it. The others take it as well, within d->lock or alone.
int sd_events_init(struct sd_events *q);
void sd_events_free(struct sd_events *q);
void sd_event_push(struct sd_events *q, void *object, int type, int port);
void sd_event_forget(struct sd_events *q, const void *object); // those of an object that is about to go
int sd_event_take(struct sd_events *q, struct sd_event *taken);
void sd_async(struct ibv_context *c, void *object, int type, int port); // pushes an asynchronous event; needs d->lock

// cq.c. sd_cq_new checks what ibv_create_cq(3) has, and makes a queue that nothing knows of: NULL and errno if it does not; sd_cq_enlist
// takes d->lock. sd_cq_take takes the oldest completion out, with its stamp if there are some, and returns 0 if there is none; needs the
// queue's lock.
struct sd_cq *sd_cq_new(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector);
void sd_cq_enlist(struct sd_cq *q);
void sd_cq_free(struct sd_cq *q);
int sd_cq_take(struct sd_cq *q, struct ibv_wc *wc, struct sd_stamp *stamp);

// cq_batch.c: polling an extended queue. sd_batches_new makes a queue such a one: 0 or ENOMEM; sd_stamp_now tells the time.
int sd_batches_new(struct sd_cq *q, uint64_t wc_flags, uint32_t flags);
void sd_batches_free(struct sd_cq *q);
struct sd_stamp sd_stamp_now(void);

// cq.c. Both need d->lock. sd_push adds a completion, raises IBV_EVENT_CQ_ERR if there is no room, and wakes the channel if armed: returns 0
// or EOVERFLOW. sd_purge drops those that free places of the queue with this tail, and keeps the others in order.
int sd_push(struct sd_cq *cq, const struct ibv_wc *wc, _Atomic uint32_t *tail, uint32_t upto, int solicited);
void sd_purge(struct sd_cq *cq, const _Atomic uint32_t *tail);

// mr.c. sd_local returns the memory of an element for this domain, sd_remote that of a peer's address; NULL if key, domain, bounds or
// access do not allow it. access is what is needed: 0 for reading locally. Length 0 is allowed anywhere and not looked up.
void *sd_local(struct ibv_pd *pd, const struct ibv_sge *sge, int access);
void *sd_remote(struct ibv_pd *pd, uint32_t rkey, uint64_t address, uint64_t length, int access);

// rq.c: the receive queue of a QP or WQ. The caller holds d->lock.
int sd_rq_init(struct sd_rq *q, uint32_t max_wr, uint32_t max_sge); // 0 or ENOMEM; a power of two of places
void sd_rq_free(struct sd_rq *q);
int sd_rq_post(struct sd_rq *q, const struct ibv_recv_wr *wr); // 0, EINVAL, ENOMEM: full
void sd_rq_reset(struct sd_rq *q);
// sd_rq_flush completes all that is posted with IBV_WC_WR_FLUSH_ERR.
void sd_rq_flush(struct sd_rq *q, struct sd_cq *cq, uint32_t number);
// sd_rq_scatter copies length bytes from parts into the elements of r: IBV_WC_SUCCESS, IBV_WC_LOC_LEN_ERR or IBV_WC_LOC_PROT_ERR.
enum ibv_wc_status sd_rq_scatter(struct sd_rq *q, struct ibv_pd *pd, const struct sd_recv *r, const struct sd_part *from, uint64_t length);

// part.c. sd_parts resolves the first length bytes of elements into parts: 0, or -1 if the domain does not allow it. sd_copy copies
// between parts that hold length bytes each.
int sd_parts(struct ibv_pd *pd, const struct ibv_sge *sges, uint64_t length, int access, struct sd_part *parts);
void sd_copy(const struct sd_part *to, const struct sd_part *from, uint64_t length);

// sq.c: the send queue of a QP. The caller holds d->lock.
int sd_sq_init(struct sd_sq *q, uint32_t max_wr, uint32_t max_sge, uint32_t max_inline); // 0 or ENOMEM
void sd_sq_free(struct sd_sq *q);
int sd_sq_post(struct sd_sq *q, const struct ibv_send_wr *wr); // 0, EINVAL, ENOMEM: full
void sd_sq_reset(struct sd_sq *q);
void sd_sq_flush(struct sd_sq *q, struct sd_cq *cq, uint32_t number);

// rc.c: what QPs do with each other. The caller holds d->lock. sd_progress begins requests until the queue is empty or one waits;
// sd_arrived lets a peer of qp that waits for it go on; sd_expire is the timer's: it ends what is overdue and returns the next deadline, 0
// for none. sd_qp_error moves qp to ERR and flushes both queues.
void sd_progress(struct sd_qp *qp);
void sd_arrived(struct sd_qp *qp);
uint64_t sd_expire(struct softdev *d, uint64_t now);
void sd_qp_error(struct sd_qp *qp);

// serve.c: what a request does at the peer. The caller has resolved the requester's memory in its queue's parts. It returns the
// status for the requester, or SD_RNR: no receive is posted and nothing was done.
#define SD_RNR (-1)
int sd_serve(struct sd_qp *peer, struct sd_qp *qp, struct sd_send *s);
int sd_invalidate(struct ibv_pd *pd, uint32_t rkey); // 0, or -1: not a key of the domain

// wait.c. sd_wait lets the request at next wait ns at most, 0 for ever, and sd_unwait ends that; both need d->lock.
void sd_wait(struct sd_qp *qp, int what, uint64_t ns);
void sd_unwait(struct sd_qp *qp);
uint64_t sd_retry_ns(const struct sd_qp *qp);                        // how long a peer may be silent; 0: for ever
uint64_t sd_rnr_ns(const struct sd_qp *qp, const struct sd_qp *peer); // how long it may have no receive
void sd_give_up(struct sd_qp *qp); // in rc.c: the request has waited long enough

// post.c, for wr.c as well; both need d->lock. sd_may_send returns EINVAL in states that do not take sends; sd_sent lets what was posted go on.
int sd_may_send(const struct sd_qp *qp);
void sd_sent(struct sd_qp *qp);

// wr.c. sd_building_new gives a QP, which has its queues, the operations of enum ibv_qp_create_send_ops_flags: 0, EOPNOTSUPP or ENOMEM.
int sd_building_new(struct sd_qp *qp, uint64_t ops);
void sd_building_free(struct sd_qp *qp);

// wq.c. sd_wq_error moves a queue to the device's state ERR, flushes it and raises IBV_EVENT_WQ_FATAL; needs d->lock.
void sd_wq_error(struct sd_wq *wq);

// qp.c, for qp_ex.c as well. sd_qp_new makes a QP that nothing knows of, sd_qp_enlist gives it a number and lets it hold what it uses:
// 0 or ENOMEM; it takes d->lock. sd_make_rc is create_qp, with send operations if ops is not NULL; it returns NULL and errno.
struct sd_qp *sd_qp_new(struct ibv_context *context, struct ibv_pd *pd, void *qp_context, enum ibv_qp_type type);
int sd_qp_enlist(struct sd_qp *qp);
void sd_qp_free(struct sd_qp *qp);
struct ibv_qp *sd_make_rc(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, const uint64_t *ops);

// attr.c: the values of ibv_modify_qp(3). sd_attr_check returns 0 or EINVAL; sd_attr_set takes those that mask names.
int sd_attr_check(const struct ibv_qp_attr *attr, int mask);
void sd_attr_set(struct sd_qp *qp, const struct ibv_qp_attr *attr, int mask);

// acked.c waits until events of an object that a program took are acknowledged. The caller holds no lock.
void sd_acked(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *completed, uint32_t taken);

// sd_room is the least power of two that is n at least. There is none above 2^31, and softdev_new sees to it that nothing is so long.
static inline uint32_t sd_room(uint32_t n)
{
	if (n > UINT32_C(1) << 31)
		return UINT32_C(1) << 31;
	return n < 2 ? 1 : UINT32_C(1) << (32 - __builtin_clz(n - 1));
}

// The sizes of a queue that is asked for: see softdev_config's exact.
uint32_t sd_depth(const struct softdev *d, uint32_t asked);
uint32_t sd_width(const struct softdev *d, uint32_t asked);

// Limits that softdev_config does not have.
enum { SD_MAX_RD_ATOMIC = 16, SD_MAX_LOG_TABLE = 8, SD_MAX_NUMBER = 0xffffff };

// timer.c. sd_wake tells the timer of a new deadline; needs d->lock.
int sd_timer_start(struct softdev *d);
void sd_timer_stop(struct softdev *d);
void sd_wake(struct softdev *d);
uint64_t sd_now(void);

// The fields of packets that can be hashed.
#define SD_HASH_FIELDS \
	(IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 | IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP | \
	 IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)

// async.c: an event of a port, or of the device, in each context; needs d->lock.
void sd_async_all(struct softdev *d, int type, int port);

// gid.c. sd_gid returns the type, an enum ibv_gid_type, of an entry of the port's GID table, and the entry; -1 if the
// entry is not in use or there is no such place.
enum { SD_GIDS = 16 };
int sd_gid(int index, union ibv_gid *gid);

// Ends objects that a context leaves behind, in an order in which none is held; needs d->lock. In close.c.
void sd_end_all(struct sd_context *c);

// What sd_end_all and the destroys' last steps call, with d->lock: each takes an object, which nothing holds, out of its context, lets go
// what it holds itself, forgets its events and completions, and frees it. They wait for no acknowledgement. In qp.c, wq.c and table.c.
void sd_end_qp(struct sd_qp *qp);
void sd_end_wq(struct sd_wq *wq);
void sd_end_table(struct sd_table *table);
// The same, in cq.c, mr.c, channel.c, pd.c and context.c.
void sd_end_cq(struct sd_cq *cq);
void sd_end_mr(struct sd_mr *mr);
void sd_end_channel(struct sd_channel *channel);
void sd_end_pd(struct sd_pd *pd);
void sd_end_context(struct sd_context *c);

#endif
