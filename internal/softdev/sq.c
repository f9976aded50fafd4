//go:build linux && cgo

#include "core.h"

int sd_sq_init(struct sd_sq *q, uint32_t max_wr, uint32_t max_sge, uint32_t max_inline)
{
	q->room = sd_room(max_wr);
	q->limit = max_wr;
	q->max_sge = max_sge;
	q->max_inline = max_inline;
	q->ring = calloc(q->room, sizeof *q->ring);
	q->sges = calloc((size_t)q->room * max_sge + 1, sizeof *q->sges);
	q->inlined = calloc((size_t)q->room * max_inline + 1, 1);
	q->parts = calloc((size_t)max_sge + 1, sizeof *q->parts);
	if (q->ring && q->sges && q->inlined && q->parts)
		return 0;
	sd_sq_free(q);
	return ENOMEM;
}

void sd_sq_free(struct sd_sq *q)
{
	free(q->ring);
	free(q->sges);
	free(q->inlined);
	free(q->parts);
	q->ring = NULL;
	q->sges = NULL;
	q->inlined = NULL;
	q->parts = NULL;
}

// check tells whether a request is one that an RC queue of this device takes. Atomics, memory windows and offloads it has not.
static int check(const struct sd_sq *q, const struct ibv_send_wr *wr)
{
	switch ((int)wr->opcode) {
	case IBV_WR_LOCAL_INV: // has no data
		return 0;
	case IBV_WR_RDMA_READ:
		// The table in ibv_post_send(3) has no inline data for reads: there is nothing to be sent.
		if (wr->send_flags & IBV_SEND_INLINE)
			return EINVAL;
		break;
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		break;
	default:
		return EINVAL;
	}
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > q->max_sge || (wr->num_sge && !wr->sg_list))
		return EINVAL;
	return 0;
}

// copy_inline keeps the data itself. Keys are not looked at, so the memory need not be registered: ibv_post_send(3).
static int copy_inline(struct sd_sq *q, struct sd_send *s, const struct ibv_send_wr *wr, uint32_t place)
{
	unsigned char *at = q->inlined + (size_t)place * q->max_inline;
	int i;

	if (s->length > q->max_inline)
		return EINVAL;
	s->data = at;
	for (i = 0; i < wr->num_sge; i++) {
		if (!wr->sg_list[i].length)
			continue; // the address may be NULL then
		memcpy(at, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		at += wr->sg_list[i].length;
	}
	return 0;
}

int sd_sq_post(struct sd_sq *q, const struct ibv_send_wr *wr)
{
	uint32_t place = q->head & (q->room - 1);
	struct sd_send *s = &q->ring[place];
	struct ibv_sge *sges = q->sges + (size_t)place * q->max_sge;
	int i, n, err = check(q, wr);

	if (err)
		return err;
	// Requests that made no completion keep their places until one after them made one that was polled.
	if (q->head - atomic_load_explicit(&q->tail, memory_order_acquire) >= q->limit)
		return ENOMEM;
	n = wr->opcode == IBV_WR_LOCAL_INV ? 0 : wr->num_sge;
	s->wr = *wr;
	s->wr.sg_list = sges;
	s->wr.num_sge = n;
	s->length = 0;
	s->data = NULL;
	for (i = 0; i < n; i++) {
		sges[i] = wr->sg_list[i];
		s->length += sges[i].length;
	}
	if (n && wr->send_flags & IBV_SEND_INLINE && copy_inline(q, s, wr, place))
		return EINVAL;
	q->head++;
	return 0;
}

void sd_sq_reset(struct sd_sq *q)
{
	q->head = q->next = 0;
	atomic_store(&q->tail, 0);
	q->fail_status = 0;
}

void sd_sq_flush(struct sd_sq *q, struct sd_cq *cq, uint32_t number)
{
	// Flushed requests complete whether or not they asked for it: ibv_poll_cq(3) has a completion for each error.
	while (q->next != q->head) {
		struct ibv_wc wc = {.status = IBV_WC_WR_FLUSH_ERR, .qp_num = number};

		wc.wr_id = q->ring[q->next++ & (q->room - 1)].wr.wr_id;
		sd_push(cq, &wc, &q->tail, q->next, 1);
	}
}
