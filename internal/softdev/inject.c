//go:build linux && cgo

#include "frame.h"

// lay puts together what a queue gets of a frame: without its first 802.1Q tag, and with the FCS that it had on the wire, if the queue
// wants that. It returns the length.
static uint64_t lay(const struct sd_wq *wq, const struct sd_frame *f, struct sd_part parts[3], unsigned char fcs[4])
{
	size_t n = 0, from = 0;
	uint64_t length = f->length;
	uint32_t crc;
	int i;

	if (wq->flags & IBV_WQ_FLAGS_CVLAN_STRIPPING && f->tagged) {
		parts[n++] = (struct sd_part){(unsigned char *)f->data, 12};
		from = 16;
		length -= 4;
	}
	if (f->length > from)
		parts[n++] = (struct sd_part){(unsigned char *)f->data + from, f->length - from};
	if (wq->flags & IBV_WQ_FLAGS_SCATTER_FCS) {
		crc = sd_frame_fcs(f->data, f->length);
		for (i = 0; i < 4; i++) // the first bit on the wire is the lowest: IEEE 802.3 3.3
			fcs[i] = (unsigned char)(crc >> 8 * i);
		parts[n++] = (struct sd_part){fcs, 4};
		length += 4;
	}
	return length;
}

// receive fills the queue's next receive. What goes wrong then is fatal to the queue, as it is with hardware.
static void receive(struct sd_wq *wq, const struct sd_frame *f)
{
	const struct softdev *d = sd_device(wq->wq.context);
	struct sd_rq *q = &wq->rq;
	const struct sd_recv *r = &q->ring[q->next++ & (q->room - 1)];
	struct ibv_wc wc = {.wr_id = r->wr_id, .qp_num = wq->wq.wq_num};
	struct sd_part parts[3];
	unsigned char fcs[4];
	uint64_t length;

	if (q->fail_status) {
		wc.status = q->fail_status;
		wc.vendor_err = q->fail_vendor;
		q->fail_status = 0;
	} else {
		length = lay(wq, f, parts, fcs);
		wc.status = sd_rq_scatter(q, wq->wq.pd, r, parts, length);
		if (wc.status == IBV_WC_SUCCESS) {
			wc.opcode = IBV_WC_RECV;
			wc.byte_len = (uint32_t)length;
			if (d->config.raw_packet_caps & IBV_RAW_PACKET_CAP_IP_CSUM && sd_frame_checksums(f))
				wc.wc_flags = IBV_WC_IP_CSUM_OK;
		}
	}
	sd_push(SD_OF(sd_cq, wq->wq.cq), &wc, &q->tail, q->next, wc.status != IBV_WC_SUCCESS);
	if (wc.status != IBV_WC_SUCCESS)
		sd_wq_error(wq);
}

// arrive lets a frame come to a queue, and drops it if it cannot be taken. IBV_WQ_FLAGS_DELAY_DROP asks hardware to hold the packet back
// for a while first; there is no wire here to be held up, so the flag changes nothing.
static int arrive(struct softdev *d, struct sd_wq *wq, const struct sd_frame *f)
{
	if (d->lost || wq->state != IBV_WQS_RDY || wq->rq.next == wq->rq.head) {
		d->dropped++;
		return ENOBUFS;
	}
	receive(wq, f);
	return 0;
}

int softdev_inject(struct softdev *d, struct ibv_qp *ibqp, const void *frame, size_t length, uint32_t *hash, uint32_t *entry)
{
	struct sd_qp *qp;
	struct sd_frame f;
	uint32_t h = 0, e = 0;
	int err = EINVAL;

	if (length < 14) // less than the addresses and the type is no frame
		return EINVAL;
	sd_frame_parse(&f, frame, length);
	pthread_mutex_lock(&d->lock);
	qp = sd_find(d, SD_QP, ibqp);
	if (qp && qp->table) {
		h = sd_rss_hash(qp, &f);
		e = h & (qp->table->n - 1);
		err = arrive(d, qp->table->wqs[e], &f);
	}
	pthread_mutex_unlock(&d->lock);
	if (hash)
		*hash = h;
	if (entry)
		*entry = e;
	return err;
}
