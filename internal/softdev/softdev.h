// A verbs provider in this process, for tests: what Go may call. verbs.h is not needed here.

#ifndef SOFTDEV_H
#define SOFTDEV_H

#include "verbs_list.h"
#include <stddef.h>
#include <stdint.h>

struct ibv_context;
struct ibv_cq;
struct ibv_device;
struct ibv_qp;
struct ibv_wc;
struct ibv_wq;
struct softdev;

// Kinds of objects, in the order of softdev_objects' result.
enum softdev_kind { SD_CONTEXT, SD_PD, SD_MR, SD_CHANNEL, SD_CQ, SD_QP, SD_WQ, SD_TABLE, SD_NKINDS };

// What a device is to be like. Zero stands for what softdev_new's comment says.
struct softdev_config {
	char name[64];            // "softdev0"
	size_t less;              // contexts are so many bytes shorter at their front, as an older library's
	uint8_t absent[SD_NVERBS]; // 1: the device has no such function
	uint32_t max_qp_wr;       // 16384
	uint32_t max_sge;         // 16
	uint32_t max_cqe;         // 1 << 20
	uint32_t max_inline_data; // 256
	uint32_t max_wq;          // 4096
	uint64_t max_mr_size;     // 1 << 40
	uint64_t memlock;         // bytes that may be registered at once; no limit
	uint32_t raw_packet_caps; // enum ibv_raw_packet_caps; all of them if no_raw_packet_caps is 0
	int no_raw_packet_caps;
	int last_notify;          // the last ibv_req_notify_cq counts, and an earlier one for any completion is forgotten, as with some hardware
	int exact;                // sizes are what was asked for; else they are rounded up to powers of two, and SGEs to 4 at least
};

// softdev_new makes a device, which the caller owns until softdev_free; NULL and errno if there is no memory, or EINVAL for 32-bit limits
// above 2^31 - 1, which no device could tell, and for too large a less. softdev_free ends what
// is left of it, and returns how many contexts were still open. No other thread may use the device then.
struct softdev *softdev_new(const struct softdev_config *config);
int softdev_free(struct softdev *d);
struct ibv_device *softdev_device(struct softdev *d);

// softdev_set_registry tells the device of the process's registry of providers, and registers it. From then on each context is registered
// before it is given out, and all are taken out when they go. add returns 0 or an errno value, and so does this. ops, which has the
// device's functions at the registry's indices, stays with the caller, who keeps it until softdev_free. It is called once, before the device is given out.
typedef void (*softdev_function_t)(void);
typedef int softdev_add(void *object, softdev_function_t const *ops);
typedef int softdev_remove(void *object);
int softdev_set_registry(struct softdev *d, softdev_add *add, softdev_remove *remove, softdev_function_t const *ops);

// softdev_function returns the function that serves an exported or underscored verb; NULL for members of contexts and verbs that the
// device lacks. query_port is both: the function is the library's older one. softdev_verb_name returns a verb's name without ibv_.
softdev_function_t softdev_function(struct softdev *d, int verb);
const char *softdev_verb_name(int verb);
// softdev_alias returns the i-th function that serves a verb beside the first, and its name; NULL behind the last. *served is NULL if the device
// lacks the verb.
const char *softdev_alias(struct softdev *d, int i, softdev_function_t *served);
int softdev_is_underscored(int verb);

// The rest may be called by any thread at any time between them.

// A fault: of the calls of a verb, skip pass, then times of them each wait delay_ns, and if fails is set do nothing but return: NULL if
// the verb returns a pointer, else value, with errno set to err. Faults of one verb follow one another.
struct softdev_fault {
	int verb;
	uint64_t skip, times, delay_ns;
	int fails, value, err;
};
int softdev_fail(struct softdev *d, const struct softdev_fault *fault); // 0 or ENOMEM
int softdev_failure(int verb, int err);                                  // the value by which a verb reports err; 0 if it returns a pointer or nothing
void softdev_heal(struct softdev *d);                                    // forgets all faults

uint64_t softdev_calls(struct softdev *d, int verb);               // calls of a verb so far, failed ones included
void softdev_objects(struct softdev *d, uint32_t counts[SD_NKINDS]); // objects there are
// Objects that closing a context had to end, since the first.
void softdev_orphans(struct softdev *d, uint32_t counts[SD_NKINDS]);

// What takes an object answers EINVAL if that is none of the device's any more, or never was: it is looked for, and not touched before.

// softdev_complete puts a completion into a queue as it is, as if the device had made it: 0, EINVAL, or EOVERFLOW if there was no room.
int softdev_complete(struct softdev *d, struct ibv_cq *cq, const struct ibv_wc *wc, int solicited);
// softdev_fail_next makes the next request that a QP or a WQ begins fail with a status, which is not success: a send, or a
// receive. It takes the place of one that has not happened yet. 0 or EINVAL.
int softdev_fail_next_send(struct softdev *d, struct ibv_qp *qp, int status, uint32_t vendor_err);
int softdev_fail_next_recv(struct softdev *d, struct ibv_qp *qp, int status, uint32_t vendor_err);
int softdev_fail_next_wq(struct softdev *d, struct ibv_wq *wq, int status, uint32_t vendor_err);

// softdev_raise raises an asynchronous event in the context of the object, of kind SD_CQ, SD_QP or SD_WQ, which has to be what the event is about
// by its type: 0 or EINVAL. softdev_raise_port raises a port's or the device's event in each open context.
int softdev_raise(struct softdev *d, enum softdev_kind kind, void *object, int event_type);
int softdev_raise_port(struct softdev *d, int event_type, int port);
// softdev_set_port changes the port's state and raises the event.
void softdev_set_port(struct softdev *d, int active);
// softdev_lose makes the device go: IBV_EVENT_DEVICE_FATAL in each context; requests are flushed; every verb fails with EIO from then on,
// but for acknowledging, taking events, polling and closing.
void softdev_lose(struct softdev *d);

// softdev_inject lets a packet, an Ethernet frame without FCS, arrive at a QP with an indirection table. It returns 0, EINVAL if the QP
// has none, or ENOBUFS if the packet was dropped. *hash and *entry, if not NULL, tell the Toeplitz hash (0 if no field was there to be
// hashed) and the table's entry.
int softdev_inject(struct softdev *d, struct ibv_qp *qp, const void *frame, size_t length, uint32_t *hash, uint32_t *entry);
uint64_t softdev_dropped(struct softdev *d); // packets dropped for want of a posted receive, or a queue that is ready

// softdev_toeplitz is the hash of n bytes under a key of key_length bytes, which is at least n + 4.
uint32_t softdev_toeplitz(const uint8_t *key, size_t key_length, const uint8_t *data, size_t n);

#endif
