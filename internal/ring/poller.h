// A thread that polls completion queues into a ring. It knows neither Go nor verbs.h: what it calls it is given.

#ifndef IBVGO_POLLER_H
#define IBVGO_POLLER_H

#include <stddef.h>
#include <stdint.h>

struct ibvgo_ring;
struct ibvgo_wc;
struct ibvgo_poller;

// What the thread calls, and nobody else. They are the verbs of these names, for a queue cq.
struct ibvgo_poller_ops {
	int32_t (*poll)(void *cq, int32_t n, void *wc);       // a count, or a negative number
	int32_t (*arm)(void *cq);                             // 0, or an errno value of either sign; for any completion
	int32_t (*take)(void *channel, void **cq, uint64_t *id); // 0, or an errno value, EAGAIN if there is no event; it does not wait
	void (*ack)(void *cq, uint32_t events);
};

struct ibvgo_poller_config {
	struct ibvgo_poller_ops ops;
	struct ibvgo_ring *ring; // stays until ibvgo_poller_stop has returned
	void *channel;           // by which all queues tell of completions, and no others, with the id as what comes along; NULL: the thread never sleeps
	int channel_fd;          // its descriptor, which does not block
	int wake_fd;             // an eventfd, to which is written to wake the consumer; it stays as well
	int cpu;                 // the processor that the thread runs on; negative: any
	uint64_t spin_ns;        // how long it goes on polling when nothing comes
};

// ibvgo_poller_start starts a thread, which gets no signals. It returns NULL and errno if there can be none.
struct ibvgo_poller *ibvgo_poller_start(const struct ibvgo_poller_config *config);

// ibvgo_poller_stop ends the thread and waits for it, and frees everything but the ring. What the queues hold is taken before, as far as there is room. It returns
// the completions of removed queues for which there was none, *n of them, which come behind what is in the ring: the caller frees them; NULL if there
// are none. No other call may run, or be started.
struct ibvgo_wc *ibvgo_poller_stop(struct ibvgo_poller *p, uint64_t *n);

// The rest may be called by any thread at any time between them.

// ibvgo_poller_add has the thread poll a queue from now on, which exists until it is removed. Its id is not 0, nor another's. 0 or ENOMEM.
int ibvgo_poller_add(struct ibvgo_poller *p, uint64_t id, void *cq);

// ibvgo_poller_remove has the thread take what the queue holds and let the queue go, and waits for that. What there is no room for is kept, and put
// into the ring when there is, before anything else. By then the events that were taken are acknowledged, and those that come later are at once. 0, or ENOENT if there is no such
// queue.
int ibvgo_poller_remove(struct ibvgo_poller *p, uint64_t id);

// ibvgo_poller_flush waits until what the queues hold now has been taken, as far as there is room.
void ibvgo_poller_flush(struct ibvgo_poller *p);

// ibvgo_poller_overran tells that a queue has overrun. When it is found empty after that, it is not polled any more.
void ibvgo_poller_overran(struct ibvgo_poller *p, uint64_t id);

// What there may be to be told besides completions.
enum ibvgo_news_kind {
	IBVGO_NEWS_NONE,
	IBVGO_NEWS_LATER,   // something is to be told, but completions come first
	IBVGO_NEWS_POLL,    // polling a queue has returned value
	IBVGO_NEWS_ARM,     // arming a queue has returned value
	IBVGO_NEWS_OVERRUN, // a queue has overrun, and is empty; that is told again and again until it is removed
	IBVGO_NEWS_CHANNEL, // taking an event has returned value: the thread does not sleep any more
};

struct ibvgo_news {
	uint64_t id; // the queue's
	int32_t kind, value;
};

// ibvgo_poller_news tells one thing that has happened before the ring's entry upto, and after all those before that the same queue has given. A queue that has
// failed is left alone until it has been told, and polled again then.
void ibvgo_poller_news(struct ibvgo_poller *p, uint64_t upto, struct ibvgo_news *news);

// ibvgo_poller_wake has the consumer ask for news, though there may be none.
void ibvgo_poller_wake(struct ibvgo_poller *p);

struct ibvgo_poller_stats {
	uint64_t stalls; // times that the ring has got full
	uint64_t full;   // looks at the queues that were not taken since it was
	uint64_t sleeps; // of the thread
	uint64_t wakes;  // of the consumer
};
void ibvgo_poller_stats(struct ibvgo_poller *p, struct ibvgo_poller_stats *stats);

#endif
