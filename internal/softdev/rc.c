//go:build linux && cgo

#include "core.h"

// The requester's side of reliable connections. A request is served in the thread that posts it, data and all, with the device's lock
// held: a large copy keeps other threads from posting, which a test device may do, but never from polling.

#define MAX_MESSAGE (UINT64_C(1) << 31) // bytes; the InfiniBand specification's limit, and the port's max_msg_sz

static struct sd_qp *numbered(const struct sd_qp *qp)
{
	struct sd_object *o = sd_numbered(&sd_device(qp->qp.context)->qps, qp->attr.dest_qp_num);

	if (!o || o->kind != SD_QP)
		return NULL;
	return (struct sd_qp *)((char *)o - offsetof(struct sd_qp, o));
}

// connected returns the QP that answers this one, or NULL: then packets are lost, or answered by nobody, or have a sequence number that
// is not expected, and a sender sees the same of all of these: nothing. InfiniBand specification 9.6 and 9.7.
static struct sd_qp *connected(const struct sd_qp *qp)
{
	struct sd_qp *peer = numbered(qp);

	if (!peer || peer->attr.dest_qp_num != qp->qp.qp_num || !peer->on_fabric || !qp->on_fabric)
		return NULL;
	if (peer->state != IBV_QPS_RTR && peer->state != IBV_QPS_RTS && peer->state != IBV_QPS_SQD)
		return NULL;
	return peer->attr.rq_psn == qp->attr.sq_psn ? peer : NULL;
}

// advance counts a message's packets: at least one, and those of a read's answer count as well (InfiniBand specification 9.7).
static void advance(struct sd_qp *qp, struct sd_qp *peer, uint64_t length)
{
	uint32_t packets = length ? ((length - 1) >> (7 + qp->attr.path_mtu)) + 1 : 1;

	qp->attr.sq_psn = (qp->attr.sq_psn + packets) & 0xffffff;
	peer->attr.rq_psn = (peer->attr.rq_psn + packets) & 0xffffff;
}

// own checks and resolves the requester's memory, and does what needs no peer.
static int own(struct sd_qp *qp, struct sd_send *s)
{
	struct sd_part *parts = qp->sq.parts;

	if (s->wr.opcode == IBV_WR_LOCAL_INV) // soft-RoCE's status for a key that it cannot invalidate
		return sd_invalidate(qp->qp.pd, s->wr.invalidate_rkey) ? IBV_WC_LOC_QP_OP_ERR : IBV_WC_SUCCESS;
	if (s->length > MAX_MESSAGE)
		return IBV_WC_LOC_LEN_ERR;
	if (s->data) {
		*parts = (struct sd_part){s->data, s->length};
		return IBV_WC_SUCCESS;
	}
	if (s->wr.opcode == IBV_WR_RDMA_READ) {
		// No read may be under way at all. ibv_modify_qp(3)'s max_rd_atomic; hardware varies in what it answers.
		if (!qp->attr.max_rd_atomic)
			return IBV_WC_REM_INV_REQ_ERR;
		return sd_parts(qp->qp.pd, s->wr.sg_list, s->length, IBV_ACCESS_LOCAL_WRITE, parts) ? IBV_WC_LOC_PROT_ERR : IBV_WC_SUCCESS;
	}
	return sd_parts(qp->qp.pd, s->wr.sg_list, s->length, 0, parts) ? IBV_WC_LOC_PROT_ERR : IBV_WC_SUCCESS;
}

static enum ibv_wc_opcode opcode(const struct sd_send *s)
{
	switch ((int)s->wr.opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_LOCAL_INV:
		return IBV_WC_LOCAL_INV;
	default:
		return IBV_WC_SEND;
	}
}

// finish ends the request at next. Of an error's completion wr_id, status, qp_num and vendor_err are valid, and there is one whether or
// not the request asked for it: ibv_poll_cq(3), ibv_post_send(3).
static void finish(struct sd_qp *qp, const struct sd_send *s, int status, uint32_t vendor)
{
	struct sd_sq *q = &qp->sq;
	struct ibv_wc wc = {.wr_id = s->wr.wr_id, .status = status, .vendor_err = vendor, .qp_num = qp->qp.qp_num};

	sd_unwait(qp);
	q->next++;
	if (status == IBV_WC_SUCCESS) {
		if (!qp->sig_all && !(s->wr.send_flags & IBV_SEND_SIGNALED))
			return;
		wc.opcode = opcode(s);
		if (wc.opcode == IBV_WC_RDMA_READ)
			wc.byte_len = (uint32_t)s->length;
	}
	sd_push(SD_OF(sd_cq, qp->qp.send_cq), &wc, &q->tail, q->next, status != IBV_WC_SUCCESS);
}

// establish tells of the first message to a QP that was not told by its program to be ready to send: ibv_get_async_event(3).
static void establish(struct sd_qp *peer)
{
	if (peer->state != IBV_QPS_RTR || peer->established)
		return;
	peer->established = 1;
	sd_async(peer->qp.context, &peer->qp, IBV_EVENT_COMM_EST, 0);
}

// step tries the request at next and returns 0 if it has to wait.
static int step(struct sd_qp *qp, struct sd_send *s)
{
	struct sd_sq *q = &qp->sq;
	struct sd_qp *peer = NULL;
	uint32_t vendor = 0;
	int status;

	if (q->fail_status && !q->waiting) {
		status = q->fail_status;
		vendor = q->fail_vendor;
		q->fail_status = 0;
	} else {
		status = own(qp, s);
		if (status == IBV_WC_SUCCESS && s->wr.opcode != IBV_WR_LOCAL_INV) {
			peer = connected(qp);
			if (!peer) {
				sd_wait(qp, SD_NO_PEER, sd_retry_ns(qp));
				return 0;
			}
			establish(peer);
			status = sd_serve(peer, qp, s);
			if (status == SD_RNR) {
				sd_wait(qp, SD_NO_RECV, sd_rnr_ns(qp, peer));
				return 0;
			}
		}
	}
	if (status == IBV_WC_SUCCESS && peer)
		advance(qp, peer, s->length);
	finish(qp, s, status, vendor);
	if (status != IBV_WC_SUCCESS) {
		// This side first: the other may be itself, and then finds nothing left to flush.
		sd_qp_error(qp);
		if (peer)
			sd_qp_error(peer);
	}
	return 1;
}

void sd_progress(struct sd_qp *qp)
{
	struct sd_sq *q = &qp->sq;

	// In SQD what was begun goes on, and nothing new begins: ibv_modify_qp(3), InfiniBand specification 10.3.1.
	while (q->next != q->head && (qp->state == IBV_QPS_RTS || (qp->state == IBV_QPS_SQD && q->waiting)))
		if (!step(qp, &q->ring[q->next & (q->room - 1)]))
			return;
	if (qp->tell_drained && qp->state == IBV_QPS_SQD) {
		qp->tell_drained = 0;
		sd_async(qp->qp.context, &qp->qp, IBV_EVENT_SQ_DRAINED, 0);
	}
}

void sd_arrived(struct sd_qp *qp)
{
	struct sd_qp *peer = numbered(qp);

	if (peer && peer->sq.waiting && peer->attr.dest_qp_num == qp->qp.qp_num)
		sd_progress(peer);
}

void sd_qp_error(struct sd_qp *qp)
{
	if (qp->table)
		return; // its WQs have the requests
	// A peer's progress below finds this QP in ERR and does nothing to it, so this ends however they are connected.
	sd_unwait(qp);
	qp->state = IBV_QPS_ERR;
	sd_sq_flush(&qp->sq, SD_OF(sd_cq, qp->qp.send_cq), qp->qp.qp_num);
	sd_rq_flush(&qp->rq, SD_OF(sd_cq, qp->qp.recv_cq), qp->qp.qp_num);
	sd_arrived(qp);
}

void sd_give_up(struct sd_qp *qp)
{
	struct sd_sq *q = &qp->sq;

	finish(qp, &q->ring[q->next & (q->room - 1)], q->waiting == SD_NO_RECV ? IBV_WC_RNR_RETRY_EXC_ERR : IBV_WC_RETRY_EXC_ERR, 0);
	sd_qp_error(qp);
}
