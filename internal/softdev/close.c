//go:build linux && cgo

#include "core.h"

// end ends one object, which nothing holds any more.
static void end(struct sd_object *o)
{
	// The verbs structs come first, so where an object begins depends on its kind.
#define START(type) ((struct type *)((char *)o - offsetof(struct type, o)))
	switch (o->kind) {
	case SD_PD:
		return sd_end_pd(START(sd_pd));
	case SD_MR:
		return sd_end_mr(START(sd_mr));
	case SD_CHANNEL:
		return sd_end_channel(START(sd_channel));
	case SD_CQ:
		return sd_end_cq(START(sd_cq));
	case SD_QP:
		return sd_end_qp(START(sd_qp));
	case SD_WQ:
		return sd_end_wq(START(sd_wq));
	case SD_TABLE:
		return sd_end_table(START(sd_table));
	default:
		return;
	}
#undef START
}

void sd_end_all(struct sd_context *c)
{
	// Holders before what they hold.
	static const enum softdev_kind order[] = {SD_QP, SD_TABLE, SD_WQ, SD_CQ, SD_CHANNEL, SD_MR, SD_PD};
	struct sd_object *o, *next;
	size_t i;

	for (i = 0; i < sizeof order / sizeof order[0]; i++) {
		for (o = c->objects.next; o != &c->objects; o = next) {
			next = o->next;
			if (o->kind != order[i])
				continue;
			c->d->orphans[o->kind]++;
			end(o);
		}
	}
}
