//go:build linux && cgo

#include "core.h"

#include <time.h>

// A batch belongs to one thread from start to end. Other threads that start one wait meanwhile, as they do with soft-RoCE and mlx5, where
// the thread itself would wait for ever: here it is told EDEADLK. A completion leaves the queue, and frees its places, when it becomes the current
// one. The device goes on adding completions all the while, so a batch may post.

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct sd_stamp sd_stamp_now(void)
{
	return (struct sd_stamp){.raw = clock_ns(CLOCK_MONOTONIC), .wall = clock_ns(CLOCK_REALTIME)};
}

static struct sd_batches *batches(struct ibv_cq_ex *ex)
{
	return SD_OF(sd_cq, ex)->batches;
}

// step makes the next completion the current one: 0 or ENOENT. status and wr_id are read directly: ibv_create_cq_ex(3).
static int step(struct ibv_cq_ex *ex)
{
	struct sd_cq *q = SD_OF(sd_cq, ex);
	struct sd_batches *b = q->batches;
	int found;

	pthread_spin_lock(&q->lock);
	found = sd_cq_take(q, &b->wc, &b->stamp);
	pthread_spin_unlock(&q->lock);
	if (!found)
		return ENOENT;
	ex->status = b->wc.status;
	ex->wr_id = b->wc.wr_id;
	return 0;
}

// own begins a batch: 0 or EDEADLK.
static int own(struct sd_batches *b)
{
	int err = b->single ? 0 : pthread_mutex_lock(&b->owner);

	if (!err && b->open)
		err = EDEADLK;
	if (!err)
		b->open = 1;
	return err;
}

static void disown(struct sd_batches *b)
{
	b->open = 0;
	if (!b->single)
		pthread_mutex_unlock(&b->owner);
}

// After an error, ENOENT for an empty queue among them, there is no batch to be ended. An attribute that is not known is refused as by
// mlx5.
int sd_start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct sd_batches *b = batches(ex);
	int err;

	if (sd_enter(sd_device(ex->context), SD_start_poll, &err))
		return err;
	if (attr->comp_mask)
		return EINVAL;
	err = own(b);
	if (err)
		return err;
	err = step(ex);
	if (err)
		disown(b);
	return err;
}

// After an error the batch is still to be ended.
int sd_next_poll(struct ibv_cq_ex *ex)
{
	int err;

	if (sd_enter(sd_device(ex->context), SD_next_poll, &err))
		return err;
	return batches(ex)->open ? step(ex) : EINVAL;
}

static void end_poll(struct ibv_cq_ex *ex)
{
	if (batches(ex)->open)
		disown(batches(ex));
}

// For a device that lacks the functions; the header calls them without a look.
static int no_start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	(void)ex, (void)attr;
	return EOPNOTSUPP;
}

static int no_next_poll(struct ibv_cq_ex *ex)
{
	(void)ex;
	return EOPNOTSUPP;
}

#define READER(type, name, what) \
	static type read_##name(struct ibv_cq_ex *ex) \
	{ \
		return batches(ex)->what; \
	}
READER(enum ibv_wc_opcode, opcode, wc.opcode)
READER(uint32_t, vendor_err, wc.vendor_err)
READER(unsigned int, wc_flags, wc.wc_flags)
READER(uint32_t, byte_len, wc.byte_len)
READER(__be32, imm_data, wc.imm_data)
READER(uint32_t, qp_num, wc.qp_num)
READER(uint32_t, src_qp, wc.src_qp)
READER(uint32_t, slid, wc.slid)
READER(uint8_t, sl, wc.sl)
READER(uint8_t, dlid_path_bits, wc.dlid_path_bits)
READER(uint64_t, completion_ts, stamp.raw)
READER(uint64_t, completion_wallclock_ns, stamp.wall)
#undef READER

// fill sets what the header's inlines call. What was not asked for has no reader, as with soft-RoCE and mlx5.
static void fill(struct ibv_cq_ex *ex, uint64_t wc_flags)
{
	const uint8_t *absent = sd_device(ex->context)->config.absent;

	ex->start_poll = absent[SD_start_poll] ? no_start_poll : sd_start_poll;
	ex->next_poll = absent[SD_next_poll] ? no_next_poll : sd_next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
#define ASKED(FLAG, name) ex->read_##name = wc_flags & IBV_WC_EX_WITH_##FLAG ? read_##name : NULL
	ASKED(BYTE_LEN, byte_len);
	ASKED(IMM, imm_data);
	ASKED(QP_NUM, qp_num);
	ASKED(SRC_QP, src_qp);
	ASKED(SLID, slid);
	ASKED(SL, sl);
	ASKED(DLID_PATH_BITS, dlid_path_bits);
	ASKED(COMPLETION_TIMESTAMP, completion_ts);
	ASKED(COMPLETION_TIMESTAMP_WALLCLOCK, completion_wallclock_ns);
#undef ASKED
}

int sd_batches_new(struct sd_cq *q, uint64_t wc_flags, uint32_t flags)
{
	struct sd_batches *b = calloc(1, sizeof *b);
	pthread_mutexattr_t checks;

	if (!b)
		return ENOMEM;
	if (wc_flags & (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)) {
		b->stamps = calloc(q->room, sizeof *b->stamps);
		if (!b->stamps) {
			free(b);
			return ENOMEM;
		}
	}
	b->single = (flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED) != 0;
	b->ignore_overrun = (flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) != 0;
	pthread_mutexattr_init(&checks);
	pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&b->owner, &checks);
	pthread_mutexattr_destroy(&checks);
	q->batches = b;
	fill(&q->ex, wc_flags);
	return 0;
}

void sd_batches_free(struct sd_cq *q)
{
	if (!q->batches)
		return;
	pthread_mutex_destroy(&q->batches->owner);
	free(q->batches->stamps);
	free(q->batches);
}
