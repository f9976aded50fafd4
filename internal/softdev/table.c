//go:build linux && cgo

#include "core.h"

// refused returns the errno value for a table that cannot be, or 0. ibv_create_rwq_ind_table(3).
static int refused(struct ibv_context *context, const struct ibv_rwq_ind_table_init_attr *a)
{
	uint32_t i;

	if (a->comp_mask || a->log_ind_tbl_size > SD_MAX_LOG_TABLE || !a->ind_tbl)
		return EINVAL;
	for (i = 0; i < 1u << a->log_ind_tbl_size; i++)
		if (!a->ind_tbl[i] || a->ind_tbl[i]->context != context)
			return EINVAL;
	return 0;
}

static struct sd_table *table_new(const struct ibv_rwq_ind_table_init_attr *a)
{
	struct sd_table *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->n = 1u << a->log_ind_tbl_size;
	t->wqs = calloc(t->n, sizeof(struct sd_wq *));
	if (t->wqs)
		return t;
	free(t);
	return NULL;
}

struct ibv_rwq_ind_table *sd_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *attr)
{
	struct softdev *d = sd_device(context);
	struct sd_table *t;
	uint32_t i;
	int err;

	if (sd_enter(d, SD_create_rwq_ind_table, &err))
		return NULL;
	err = refused(context, attr);
	t = err ? NULL : table_new(attr);
	if (!t) {
		errno = err ? err : ENOMEM;
		return NULL;
	}
	t->table.context = context;
	pthread_mutex_lock(&d->lock);
	for (i = 0; i < t->n; i++) {
		t->wqs[i] = SD_OF(sd_wq, attr->ind_tbl[i]);
		t->wqs[i]->o.holders++;
	}
	t->table.ind_tbl_num = t->table.ind_tbl_handle = (int)++d->tables;
	sd_add(sd_context(context), &t->o, SD_TABLE);
	pthread_mutex_unlock(&d->lock);
	return &t->table;
}

void sd_end_table(struct sd_table *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		t->wqs[i]->o.holders--;
	sd_remove(&t->o);
	free(t->wqs);
	free(t);
}

int sd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	struct sd_table *t = SD_OF(sd_table, table);
	struct softdev *d = sd_device(table->context);
	int value;

	if (sd_enter(d, SD_destroy_rwq_ind_table, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	value = t->o.holders ? EBUSY : 0; // by a QP
	if (!value)
		sd_end_table(t);
	pthread_mutex_unlock(&d->lock);
	return value;
}
