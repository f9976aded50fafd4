//go:build linux && cgo

#include "core.h"

// The responder's side of reliable connections. Whatever it refuses moves it to ERR, which its caller does: InfiniBand specification
// 9.9.3, and soft-RoCE.

// refuse raises an event, since no completion tells the responder's program.
static int refuse(struct sd_qp *peer, int event, int status)
{
	sd_async(peer->qp.context, &peer->qp, event, 0);
	return status;
}

int sd_invalidate(struct ibv_pd *pd, uint32_t rkey)
{
	struct sd_mr *m = sd_numbered(&sd_device(pd->context)->mrs, rkey >> 8);

	if (!m || m->mr.rkey != rkey || m->mr.pd != pd)
		return -1;
	m->invalidated = 1;
	return 0;
}

// answer is what a requester hears of a receive that failed: InfiniBand specification 9.7.5.
static int answer(int status)
{
	switch (status) {
	case IBV_WC_SUCCESS:
		return IBV_WC_SUCCESS;
	case IBV_WC_LOC_LEN_ERR:
		return IBV_WC_REM_INV_REQ_ERR;
	case IBV_WC_REM_INV_REQ_ERR: // soft-RoCE's for a key that a send should have invalidated
		return IBV_WC_REM_ACCESS_ERR;
	default:
		return IBV_WC_REM_OP_ERR;
	}
}

// complete ends the receive at next. Immediate data passes as it is: both sides have it in network byte order.
static int complete(struct sd_qp *peer, const struct sd_send *s, int status, uint32_t vendor)
{
	struct sd_rq *q = &peer->rq;
	struct ibv_wc wc = {.wr_id = q->ring[q->next++ & (q->room - 1)].wr_id, .status = status, .vendor_err = vendor, .qp_num = peer->qp.qp_num};

	if (status == IBV_WC_SUCCESS) {
		wc.opcode = s->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
		wc.byte_len = (uint32_t)s->length;
		if (s->wr.opcode == IBV_WR_SEND_WITH_IMM || s->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
			wc.wc_flags = IBV_WC_WITH_IMM;
			wc.imm_data = s->wr.imm_data;
		} else if (s->wr.opcode == IBV_WR_SEND_WITH_INV) {
			wc.wc_flags = IBV_WC_WITH_INV;
			wc.invalidated_rkey = s->wr.invalidate_rkey;
		}
	}
	// src_qp, pkey_index, slid and the like are for unconnected QPs: ibv_poll_cq(3).
	sd_push(SD_OF(sd_cq, peer->qp.recv_cq), &wc, &q->tail, q->next, status != IBV_WC_SUCCESS || s->wr.send_flags & IBV_SEND_SOLICITED);
	return answer(status);
}

// failed tells whether the arrival is to fail by order, and completes it so.
static int failed(struct sd_qp *peer, const struct sd_send *s, int *status)
{
	int fail = peer->rq.fail_status;

	if (!fail)
		return 0;
	peer->rq.fail_status = 0;
	*status = complete(peer, s, fail, peer->rq.fail_vendor);
	return 1;
}

static int serve_send(struct sd_qp *peer, struct sd_qp *qp, struct sd_send *s)
{
	struct sd_rq *q = &peer->rq;
	int status;

	if (q->next == q->head)
		return SD_RNR;
	if (failed(peer, s, &status))
		return status;
	status = sd_rq_scatter(q, peer->qp.pd, &q->ring[q->next & (q->room - 1)], qp->sq.parts, s->length);
	if (status == IBV_WC_SUCCESS && s->wr.opcode == IBV_WR_SEND_WITH_INV && sd_invalidate(peer->qp.pd, s->wr.invalidate_rkey))
		status = IBV_WC_REM_INV_REQ_ERR;
	return complete(peer, s, status, 0);
}

// remote resolves the peer's memory. What the QP does not allow is an invalid request, what the key does not allow is an access
// violation: InfiniBand specification 9.7.4 and soft-RoCE. An access of no bytes needs no key.
static int remote(struct sd_qp *peer, const struct sd_send *s, int access, struct sd_part *part)
{
	if ((peer->attr.qp_access_flags & access) != (unsigned int)access)
		return refuse(peer, IBV_EVENT_QP_REQ_ERR, IBV_WC_REM_INV_REQ_ERR);
	part->length = s->length;
	part->at = sd_remote(peer->qp.pd, s->wr.wr.rdma.rkey, s->wr.wr.rdma.remote_addr, s->length, access);
	return part->at ? IBV_WC_SUCCESS : refuse(peer, IBV_EVENT_QP_ACCESS_ERR, IBV_WC_REM_ACCESS_ERR);
}

static int serve_write(struct sd_qp *peer, struct sd_qp *qp, struct sd_send *s)
{
	int takes = s->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM, status;
	struct sd_part to;

	// The receive comes first: without one nothing is written (InfiniBand specification 9.7.4, in the order that soft-RoCE has).
	if (takes && peer->rq.next == peer->rq.head)
		return SD_RNR;
	if (takes && failed(peer, s, &status))
		return status;
	status = remote(peer, s, IBV_ACCESS_REMOTE_WRITE, &to);
	if (status != IBV_WC_SUCCESS)
		return status;
	sd_copy(&to, qp->sq.parts, s->length);
	return takes ? complete(peer, s, IBV_WC_SUCCESS, 0) : IBV_WC_SUCCESS;
}

static int serve_read(struct sd_qp *peer, struct sd_qp *qp, struct sd_send *s)
{
	struct sd_part from;
	int status;

	// No resources for reads: ibv_modify_qp(3)'s max_dest_rd_atomic, InfiniBand specification 9.7.4.
	if (!peer->attr.max_dest_rd_atomic)
		return refuse(peer, IBV_EVENT_QP_REQ_ERR, IBV_WC_REM_INV_REQ_ERR);
	status = remote(peer, s, IBV_ACCESS_REMOTE_READ, &from);
	if (status == IBV_WC_SUCCESS)
		sd_copy(qp->sq.parts, &from, s->length);
	return status;
}

int sd_serve(struct sd_qp *peer, struct sd_qp *qp, struct sd_send *s)
{
	enum ibv_mtu a = qp->attr.path_mtu, b = peer->attr.path_mtu;

	// Packets of a long message have to be as long as the responder thinks that they are: InfiniBand specification 9.7.4, soft-RoCE.
	if (a != b && s->length > UINT64_C(128) << (a < b ? a : b))
		return refuse(peer, IBV_EVENT_QP_REQ_ERR, IBV_WC_REM_INV_REQ_ERR);
	switch ((int)s->wr.opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return serve_write(peer, qp, s);
	case IBV_WR_RDMA_READ:
		return serve_read(peer, qp, s);
	default:
		return serve_send(peer, qp, s);
	}
}
