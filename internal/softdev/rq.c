//go:build linux && cgo

#include "core.h"

// sd_depth and sd_width are what providers do with the sizes that a program asks for: ibv_create_qp(3) and ibv_create_wq(3) let them
// be raised, and they come back in the attributes.
uint32_t sd_depth(const struct softdev *d, uint32_t asked)
{
	uint32_t n = sd_room(asked);

	if (d->config.exact)
		return asked;
	return n < d->config.max_qp_wr ? n : d->config.max_qp_wr;
}

uint32_t sd_width(const struct softdev *d, uint32_t asked)
{
	if (d->config.exact || asked >= 4)
		return asked;
	return d->config.max_sge < 4 ? d->config.max_sge : 4;
}

int sd_rq_init(struct sd_rq *q, uint32_t max_wr, uint32_t max_sge)
{
	q->room = sd_room(max_wr);
	q->limit = max_wr;
	q->max_sge = max_sge;
	q->ring = calloc(q->room, sizeof *q->ring);
	q->sges = calloc((size_t)q->room * max_sge + 1, sizeof *q->sges);
	q->parts = calloc((size_t)max_sge + 1, sizeof *q->parts);
	if (q->ring && q->sges && q->parts)
		return 0;
	sd_rq_free(q);
	return ENOMEM;
}

void sd_rq_free(struct sd_rq *q)
{
	free(q->ring);
	free(q->sges);
	free(q->parts);
	q->ring = NULL;
	q->sges = NULL;
	q->parts = NULL;
}

int sd_rq_post(struct sd_rq *q, const struct ibv_recv_wr *wr)
{
	uint32_t place = q->head & (q->room - 1);
	struct sd_recv *r = &q->ring[place];
	int i;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > q->max_sge || (wr->num_sge && !wr->sg_list))
		return EINVAL;
	// A place is free again when its completion was polled, not before: ibv_post_recv(3) calls the queue full until then.
	if (q->head - atomic_load_explicit(&q->tail, memory_order_acquire) >= q->limit)
		return ENOMEM;
	r->wr_id = wr->wr_id;
	r->num_sge = wr->num_sge;
	r->sges = q->sges + (size_t)place * q->max_sge;
	for (i = 0; i < wr->num_sge; i++)
		r->sges[i] = wr->sg_list[i];
	q->head++;
	return 0;
}

void sd_rq_reset(struct sd_rq *q)
{
	q->head = q->next = 0;
	atomic_store(&q->tail, 0);
	q->fail_status = 0;
}

void sd_rq_flush(struct sd_rq *q, struct sd_cq *cq, uint32_t number)
{
	while (q->next != q->head) {
		struct ibv_wc wc = {.status = IBV_WC_WR_FLUSH_ERR, .qp_num = number};

		wc.wr_id = q->ring[q->next++ & (q->room - 1)].wr_id;
		sd_push(cq, &wc, &q->tail, q->next, 1);
	}
}

enum ibv_wc_status sd_rq_scatter(struct sd_rq *q, struct ibv_pd *pd, const struct sd_recv *r, const struct sd_part *from, uint64_t length)
{
	uint64_t room = 0;
	int i;

	for (i = 0; i < r->num_sge; i++)
		room += r->sges[i].length;
	if (room < length)
		return IBV_WC_LOC_LEN_ERR;
	if (sd_parts(pd, r->sges, length, IBV_ACCESS_LOCAL_WRITE, q->parts))
		return IBV_WC_LOC_PROT_ERR;
	sd_copy(q->parts, from, length);
	return IBV_WC_SUCCESS;
}
