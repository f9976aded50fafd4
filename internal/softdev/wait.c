//go:build linux && cgo

#include "core.h"

// Requests that wait for the other side. Those with a deadline are in the device's list, which only the device's thread walks.

void sd_unwait(struct sd_qp *qp)
{
	struct sd_sq *q = &qp->sq;

	if (!q->waiting)
		return;
	q->waiting = SD_IDLE;
	if (!q->deadline)
		return;
	*q->place = q->later;
	if (q->later)
		q->later->sq.place = q->place;
	q->deadline = 0;
}

void sd_wait(struct sd_qp *qp, int what, uint64_t ns)
{
	struct softdev *d = sd_device(qp->qp.context);
	struct sd_sq *q = &qp->sq;

	if ((int)q->waiting == what)
		return; // tried once more, in vain: the time runs on
	sd_unwait(qp);
	q->waiting = what;
	if (!ns)
		return;
	q->deadline = sd_now() + ns;
	q->later = d->waiters;
	q->place = &d->waiters;
	if (q->later)
		q->later->sq.place = &q->later;
	d->waiters = qp;
	// The thread is only woken for what comes before all it knows of: waits are many, and few last.
	if (d->alarm && d->alarm <= q->deadline)
		return;
	d->alarm = q->deadline;
	if (!d->stop)
		sd_wake(d);
}

uint64_t sd_expire(struct softdev *d, uint64_t now)
{
	struct sd_qp *qp, *next;
	uint64_t first = 0;

	for (qp = d->waiters; qp; qp = next) {
		next = qp->sq.later;
		if (qp->sq.deadline > now) {
			if (!first || qp->sq.deadline < first)
				first = qp->sq.deadline;
			continue;
		}
		// The list is another one then: its peer may have begun to wait, or have stopped.
		sd_give_up(qp);
		next = d->waiters;
		first = 0;
	}
	d->alarm = first;
	return first;
}

uint64_t sd_retry_ns(const struct sd_qp *qp)
{
	// Local ACK timeout, InfiniBand specification 9.7.6.1.3: 4.096 us * 2^timeout, and 0 is no timeout. Each retry waits as long again.
	if (!qp->attr.timeout)
		return 0;
	return (UINT64_C(4096) << qp->attr.timeout) * (qp->attr.retry_cnt + 1);
}

uint64_t sd_rnr_ns(const struct sd_qp *qp, const struct sd_qp *peer)
{
	// The RNR NAK timer field, InfiniBand specification 9.7.5.2.8, in units of 10 us. The receiver's applies: it is sent in its answer.
	static const uint32_t units[32] = {
		65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,    48,    64,    96,    128,   192,
		256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	// 7 is "infinite" in ibv_modify_qp(3).
	if (qp->attr.rnr_retry == 7)
		return 0;
	return units[peer->attr.min_rnr_timer & 31] * UINT64_C(10000) * (qp->attr.rnr_retry + 1);
}
