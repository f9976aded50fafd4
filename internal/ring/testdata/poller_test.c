// The thread, on queues made for the test.

#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <signal.h>

#define MOST 4096

struct channel {
	pthread_mutex_t lock;
	int fd; // an eventfd that counts events one by one
	struct cq *events[MOST];
	int first, last;
	int fails;
};

struct cq {
	struct channel *channel;
	uint64_t id;
	pthread_mutex_t lock; // the following
	uint64_t there, taken;
	int armed, taken_events, acked, polls;
	int poll_value, arm_value; // what the next call fails with; 0: not
	uint64_t slips;            // what comes just before the next arming
	sigset_t blocked;
	cpu_set_t cpus;
};

static int32_t cq_poll(void *arg, int32_t n, void *wc)
{
	struct ibvgo_wc *at = wc;
	struct cq *q = arg;
	int32_t i;

	pthread_mutex_lock(&q->lock);
	if (!q->polls++) {
		pthread_sigmask(SIG_SETMASK, NULL, &q->blocked);
		sched_getaffinity(0, sizeof q->cpus, &q->cpus);
	}
	if (q->poll_value && q->taken == q->there) {
		i = q->poll_value;
		q->poll_value = 0;
	} else {
		for (i = 0; i < n && q->taken < q->there; i++)
			at[i] = (struct ibvgo_wc){{q->taken++, q->id}};
	}
	pthread_mutex_unlock(&q->lock);
	return i;
}

static int32_t cq_arm(void *arg)
{
	struct cq *q = arg;
	int32_t r;

	pthread_mutex_lock(&q->lock);
	r = q->arm_value;
	q->arm_value = 0;
	if (!r)
		q->armed = 1;
	q->there += q->slips;
	q->slips = 0;
	pthread_mutex_unlock(&q->lock);
	return r;
}

static int32_t channel_take(void *arg, void **cq, uint64_t *id)
{
	struct channel *ch = arg;
	uint64_t n;
	struct cq *q;

	pthread_mutex_lock(&ch->lock);
	if (ch->fails) {
		pthread_mutex_unlock(&ch->lock);
		return ch->fails;
	}
	if (read(ch->fd, &n, sizeof n) < 0) {
		pthread_mutex_unlock(&ch->lock);
		return errno;
	}
	*cq = q = ch->events[ch->first++ % MOST];
	*id = q->id;
	pthread_mutex_lock(&q->lock);
	q->taken_events++;
	pthread_mutex_unlock(&q->lock);
	pthread_mutex_unlock(&ch->lock);
	return 0;
}

static void cq_ack(void *arg, uint32_t n)
{
	struct cq *q = arg;

	pthread_mutex_lock(&q->lock);
	q->acked += (int)n;
	pthread_mutex_unlock(&q->lock);
}

static void event(struct cq *q)
{
	uint64_t one = 1;

	pthread_mutex_lock(&q->channel->lock);
	q->channel->events[q->channel->last++ % MOST] = q;
	CHECK_IS(write(q->channel->fd, &one, sizeof one), sizeof one);
	pthread_mutex_unlock(&q->channel->lock);
}

static void push(struct cq *q, uint64_t n)
{
	int armed;

	pthread_mutex_lock(&q->lock);
	q->there += n;
	armed = q->armed;
	q->armed = 0;
	pthread_mutex_unlock(&q->lock);
	if (armed)
		event(q);
}

static int field(struct cq *q, int *value)
{
	int v;

	pthread_mutex_lock(&q->lock);
	v = *value;
	pthread_mutex_unlock(&q->lock);
	return v;
}

static int is_acked(struct cq *q)
{
	int r;

	pthread_mutex_lock(&q->channel->lock);
	pthread_mutex_lock(&q->lock);
	r = q->acked == q->taken_events;
	pthread_mutex_unlock(&q->lock);
	pthread_mutex_unlock(&q->channel->lock);
	return r;
}

// A world of a ring, a thread and queues.
#define QUEUES 3
static struct channel channel;
static struct cq queues[QUEUES];
static struct ibvgo_ring *ring;
static struct ibvgo_consumer consumer;
static struct ibvgo_poller *poller;
static int wake_fd;

static struct ibvgo_poller_config config(uint64_t entries, uint64_t spin_ns)
{
	memset(&channel, 0, sizeof channel);
	pthread_mutex_init(&channel.lock, NULL);
	channel.fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
	wake_fd = eventfd(0, EFD_NONBLOCK);
	for (int i = 0; i < QUEUES; i++) {
		queues[i] = (struct cq){.channel = &channel, .id = (uint64_t)i + 1};
		pthread_mutex_init(&queues[i].lock, NULL);
	}
	ring = new_ring(entries);
	consumer = (struct ibvgo_consumer){.ring = ring};
	return (struct ibvgo_poller_config){.ops = {cq_poll, cq_arm, channel_take, cq_ack}, .ring = ring, .channel = &channel, .channel_fd = channel.fd,
		.wake_fd = wake_fd, .cpu = -1, .spin_ns = spin_ns};
}

static void begin(const struct ibvgo_poller_config *c, int n)
{
	poller = ibvgo_poller_start(c);
	CHECK(poller);
	for (int i = 0; i < n; i++)
		CHECK_IS(ibvgo_poller_add(poller, queues[i].id, &queues[i]), 0);
}

// finish ends the thread, and expects it to have left so many completions, of the first queue from first on.
static void finish_with(uint64_t n, uint64_t first)
{
	struct ibvgo_wc *rest;
	uint64_t i, left;

	if (!poller)
		return;
	rest = ibvgo_poller_stop(poller, &left);
	poller = NULL;
	CHECK_IS(left, n);
	for (i = 0; i < left; i++)
		CHECK(rest[i].words[0] == first + i && rest[i].words[1] == 1);
	CHECK(!rest == !n);
	free(rest);
}

static void finish(void)
{
	finish_with(0, 0);
}

static void end(void)
{
	finish();
	for (int i = 0; i < QUEUES; i++)
		CHECK(is_acked(&queues[i]));
	close(channel.fd);
	close(wake_fd);
	free(ring);
}

// some waits for a batch, of which each queue's completions have to be in order from next on, and returns its length.
static uint64_t some(uint64_t next[QUEUES])
{
	struct ibvgo_wc *at;
	uint64_t i, n;

	while (!(n = ibvgo_consumer_next(&consumer, &at)))
		if (ibvgo_consumer_doze(&consumer)) {
			sleep_on(wake_fd);
			atomic_store(&ring->sleeping, 0);
		}
	for (i = 0; i < n; i++) {
		uint64_t q = at[i].words[1] - 1;

		if (at[i].words[0] != next[q]++) {
			printf("of queue %d there is %d\n", (int)q, (int)at[i].words[0]);
			exit(1);
		}
	}
	ibvgo_consumer_release(&consumer);
	return n;
}

// expect takes n completions.
static void expect(uint64_t n, uint64_t next[QUEUES])
{
	while (n > 0) {
		uint64_t k = some(next);

		if (k > n) {
			printf("there are %d completions too many\n", (int)(k - n));
			exit(1);
		}
		n -= k;
	}
}

static struct ibvgo_poller_stats stats(void)
{
	struct ibvgo_poller_stats s;

	ibvgo_poller_stats(poller, &s);
	return s;
}

#define NEVER UINT64_MAX
#define US UINT64_C(1000)

static void test_order(void)
{
	struct ibvgo_poller_config c = config(64, NEVER);
	uint64_t next[QUEUES] = {0};

	begin(&c, 3);
	for (int i = 0; i < 2000; i++) {
		push(&queues[i % 3], (uint64_t)(i % 7));
		expect((uint64_t)(i % 7), next);
	}
	CHECK_IS(stats().sleeps, 0);
	end();
}

// The thread sleeps, and an event wakes it, each time.
static void test_sleep(void)
{
	struct ibvgo_poller_config c = config(64, 0);
	uint64_t next[QUEUES] = {0};

	begin(&c, 2);
	for (uint64_t i = 0; i < 300; i++) {
		if (i % 3) // sometimes it is about to go to sleep
			SOON(field(&queues[1], &queues[1].armed) && field(&queues[0], &queues[0].armed));
		push(&queues[i % 2], 1);
		expect(1, next);
	}
	CHECK(stats().sleeps >= 100);
	CHECK_IS(ibvgo_poller_remove(poller, 1), 0);
	CHECK(is_acked(&queues[0]) && queues[0].acked >= 50);
	CHECK_IS(ibvgo_poller_remove(poller, 1), ENOENT);
	// One that comes late is acknowledged at once.
	push(&queues[0], 1);
	event(&queues[0]);
	SOON(is_acked(&queues[0]) && field(&queues[0], &queues[0].taken_events) >= 51);
	CHECK_IS(ibvgo_poller_add(poller, 1, &queues[0]), 0);
	expect(1, next);
	end();
}

// What comes before a queue is armed raises no event, and is taken all the same.
static void test_slips(void)
{
	struct ibvgo_poller_config c = config(64, 0);
	uint64_t next[QUEUES] = {0};

	begin(&c, 1);
	push(&queues[0], 1);
	expect(1, next);
	SOON(field(&queues[0], &queues[0].armed)); // and no command is left that would wake it
	nap();
	pthread_mutex_lock(&queues[0].lock);
	queues[0].slips = 3;
	pthread_mutex_unlock(&queues[0].lock);
	push(&queues[0], 1);
	expect(4, next);
	end();
}

// While there is no room, no queue is left out for good.
static void test_turns(void)
{
	struct ibvgo_poller_config c = config(1, NEVER);
	uint64_t seen[QUEUES] = {0};
	struct ibvgo_wc *at = ring->entries;

	begin(&c, 3);
	for (int i = 0; i < 3; i++)
		push(&queues[i], 30);
	for (uint64_t i = 1; i <= 12; i++) {
		SOON(atomic_load(&ring->tail) == i);
		nap(); // the thread looks at the full ring
		CHECK_IS(ibvgo_consumer_next(&consumer, &at), 1);
		seen[at->words[1] - 1]++;
		ibvgo_consumer_release(&consumer);
	}
	for (int i = 0; i < QUEUES; i++)
		CHECK(seen[i] > 0);
	end();
}

static void test_full(void)
{
	struct ibvgo_poller_config c = config(8, 10 * US);
	uint64_t next[QUEUES] = {0};

	begin(&c, 3);
	for (int i = 0; i < 3; i++)
		push(&queues[i], 100);
	SOON(stats().full > 100);
	CHECK_IS(stats().stalls, 1);
	CHECK_IS(atomic_load(&ring->tail), 8);
	// Commands are served all the same.
	CHECK_IS(ibvgo_poller_remove(poller, 3), 0);
	CHECK_IS(ibvgo_poller_add(poller, 3, &queues[2]), 0);
	ibvgo_poller_flush(poller);
	expect(300, next);
	for (int i = 0; i < 3; i++)
		CHECK_IS(next[i], 100);
	end();
}

// What a queue holds that goes while the ring is full comes before all else, also if the queue comes back; or is left when the thread ends.
static void test_spill(void)
{
	struct ibvgo_poller_config c = config(8, 10 * US);
	uint64_t next[QUEUES] = {0};

	begin(&c, 1);
	push(&queues[0], 200);
	SOON(stats().stalls == 1);
	CHECK_IS(ibvgo_poller_remove(poller, 1), 0);
	CHECK_IS(field(&queues[0], &queues[0].armed), 0);
	CHECK_IS(queues[0].taken, 200);
	CHECK_IS(ibvgo_poller_add(poller, 1, &queues[0]), 0);
	CHECK_IS(ibvgo_poller_add(poller, 2, &queues[1]), 0);
	push(&queues[0], 10);
	push(&queues[1], 10);
	expect(220, next);
	SOON(field(&queues[0], &queues[0].armed)); // it sleeps again
	push(&queues[0], 100);
	SOON(atomic_load(&ring->tail) == 228);
	CHECK_IS(ibvgo_poller_remove(poller, 1), 0);
	CHECK_IS(ibvgo_poller_remove(poller, 2), 0);
	some(next);
	SOON(atomic_load(&ring->tail) == 232);
	finish_with(310 - (atomic_load(&ring->tail) - 10), atomic_load(&ring->tail) - 10);
	expect(atomic_load(&ring->tail) - 220 - (next[0] - 210), next);
	end();
}

static struct ibvgo_news news(void)
{
	struct ibvgo_news n;

	ibvgo_poller_news(poller, consumer.taken, &n);
	return n;
}

// A failure comes behind the completions before it, and the queue is left alone until it is told.
static void test_failures(void)
{
	struct ibvgo_poller_config c = config(64, NEVER);
	uint64_t next[QUEUES] = {0};
	struct ibvgo_news n;

	begin(&c, 2);
	CHECK_IS(news().kind, IBVGO_NEWS_NONE);
	pthread_mutex_lock(&queues[0].lock);
	queues[0].poll_value = -12;
	queues[0].there = 3;
	pthread_mutex_unlock(&queues[0].lock);
	SOON(atomic_load(&ring->news) == 1);
	CHECK_IS(news().kind, IBVGO_NEWS_LATER);
	push(&queues[0], 2);
	push(&queues[1], 1);
	expect(4, next);
	CHECK_IS(next[0], 3);
	n = news();
	CHECK(n.kind == IBVGO_NEWS_POLL && n.value == -12 && n.id == 1);
	CHECK_IS(news().kind, IBVGO_NEWS_NONE);
	expect(2, next);
	// A count that cannot be.
	pthread_mutex_lock(&queues[1].lock);
	queues[1].poll_value = 95;
	pthread_mutex_unlock(&queues[1].lock);
	SOON(atomic_load(&ring->news) == 2);
	n = news();
	CHECK(n.kind == IBVGO_NEWS_POLL && n.value == 95 && n.id == 2);
	end();
}

static void test_arming_fails(void)
{
	struct ibvgo_poller_config c = config(64, 0);
	uint64_t next[QUEUES] = {0};
	struct ibvgo_news n;

	begin(&c, 0);
	queues[0].arm_value = -5;
	CHECK_IS(ibvgo_poller_add(poller, 1, &queues[0]), 0);
	SOON(atomic_load(&ring->news) == 1);
	push(&queues[0], 1);
	n = news();
	CHECK(n.kind == IBVGO_NEWS_ARM && n.value == -5 && n.id == 1);
	expect(1, next);
	SOON(field(&queues[0], &queues[0].armed));
	end();
}

static void test_channel_fails(void)
{
	struct ibvgo_poller_config c = config(64, 0);
	uint64_t next[QUEUES] = {0};
	struct ibvgo_news n;

	channel.fails = 9;
	begin(&c, 1);
	SOON(atomic_load(&ring->news) == 1);
	n = news();
	CHECK(n.kind == IBVGO_NEWS_CHANNEL && n.value == 9);
	CHECK_IS(news().kind, IBVGO_NEWS_NONE);
	for (int i = 0; i < 100; i++) {
		push(&queues[0], 1);
		expect(1, next);
	}
	CHECK_IS(stats().sleeps <= 1, 1); // perhaps once, before there was a queue
	end();
}

static void test_overrun(void)
{
	struct ibvgo_poller_config c = config(64, 0);
	uint64_t next[QUEUES] = {0};
	struct ibvgo_news n;

	begin(&c, 2);
	ibvgo_poller_overran(poller, 77); // nobody's
	push(&queues[0], 10);
	ibvgo_poller_overran(poller, 1);
	SOON(atomic_load(&ring->news) == 1);
	CHECK_IS(news().kind, IBVGO_NEWS_LATER);
	expect(10, next);
	for (int i = 0; i < 3; i++) {
		n = news();
		CHECK(n.kind == IBVGO_NEWS_OVERRUN && n.id == 1);
	}
	push(&queues[0], 1);
	push(&queues[1], 1);
	expect(1, next);
	CHECK_IS(next[1], 1);
	CHECK_IS(ibvgo_poller_remove(poller, 1), 0);
	CHECK_IS(news().kind, IBVGO_NEWS_NONE);
	end();
}

// What the queues hold is in the ring after each of these.
static void test_nothing_is_lost(void)
{
	for (int i = 0; i < 300; i++) {
		struct ibvgo_poller_config c = config(256, i % 2 ? NEVER : 0);
		uint64_t next[QUEUES] = {0};

		begin(&c, 3);
		push(&queues[0], 50);
		push(&queues[1], 70);
		CHECK_IS(ibvgo_poller_remove(poller, 1), 0);
		CHECK_IS(queues[0].taken, 50);
		push(&queues[2], 100);
		ibvgo_poller_flush(poller);
		CHECK_IS(atomic_load(&ring->tail), 220);
		push(&queues[1], 3);
		finish();
		CHECK_IS(atomic_load(&ring->tail), 223);
		expect(223, next);
		end();
	}
}

static void test_thread(void)
{
	struct ibvgo_poller_config c = config(64, NEVER);
	cpu_set_t all;

	CPU_ZERO(&all);
	sched_getaffinity(0, sizeof all, &all);
	for (c.cpu = 0; !CPU_ISSET(c.cpu, &all); c.cpu++)
		;
	begin(&c, 1);
	SOON(field(&queues[0], &queues[0].polls));
	pthread_mutex_lock(&queues[0].lock);
	CHECK(sigismember(&queues[0].blocked, SIGPROF) == 1 && sigismember(&queues[0].blocked, SIGURG) == 1 && sigismember(&queues[0].blocked, SIGTERM) == 1);
	CHECK(CPU_COUNT(&queues[0].cpus) == 1 && CPU_ISSET(c.cpu, &queues[0].cpus));
	pthread_mutex_unlock(&queues[0].lock);
	end();
	c = config(64, NEVER);
	for (int i = 0; i < 2; i++) {
		c.cpu = i ? 1000 : 1 << 20;
		errno = 0;
		CHECK(!ibvgo_poller_start(&c));
		CHECK_IS(errno, EINVAL);
	}
	end();
}

static atomic_int stop;

static void *come_and_go(void *arg)
{
	struct cq *q = arg;

	while (!atomic_load(&stop)) {
		CHECK_IS(ibvgo_poller_add(poller, q->id, q), 0);
		push(q, 5);
		CHECK_IS(ibvgo_poller_remove(poller, q->id), 0);
		CHECK(is_acked(q));
		nap();
	}
	return NULL;
}

// Queues come and go while others have traffic, and somebody asks for this and that.
static void test_all_at_once(void)
{
	struct ibvgo_poller_config c = config(1024, 5 * US);
	uint64_t next[QUEUES] = {0};
	pthread_t thread;

	begin(&c, 2);
	atomic_store(&stop, 0);
	pthread_create(&thread, NULL, come_and_go, &queues[2]);
	for (int i = 0; i < 500; i++) {
		uint64_t before = next[0] + next[1];

		push(&queues[i % 2], 5);
		while (next[0] + next[1] < before + 5)
			some(next);
		ibvgo_poller_wake(poller);
		stats();
		news();
		if (i % 50 == 0)
			nap();
	}
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
	finish();
	expect(queues[0].there + queues[1].there + queues[2].there - next[0] - next[1] - next[2], next);
	end();
}

int main(void)
{
	RUN(test_order);
	RUN(test_sleep);
	RUN(test_slips);
	RUN(test_turns);
	RUN(test_full);
	RUN(test_spill);
	RUN(test_failures);
	RUN(test_arming_fails);
	RUN(test_channel_fails);
	RUN(test_overrun);
	RUN(test_nothing_is_lost);
	RUN(test_thread);
	RUN(test_all_at_once);
	return failures != 0;
}
