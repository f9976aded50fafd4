//go:build linux && cgo

#include "core.h"

void sd_list_init(struct sd_object *head)
{
	head->prev = head->next = head;
}

void sd_add(struct sd_context *c, struct sd_object *o, enum softdev_kind kind)
{
	struct sd_object *head = kind == SD_CONTEXT ? &c->d->contexts : &c->objects;

	o->context = c;
	o->kind = kind;
	o->holders = 0;
	o->prev = head->prev;
	o->next = head;
	head->prev->next = o;
	head->prev = o;
	c->d->counts[kind]++;
}

void sd_remove(struct sd_object *o)
{
	o->prev->next = o->next;
	o->next->prev = o->prev;
	o->context->d->counts[o->kind]--;
}

// verbs_struct returns the address of what an object begins with, NULL for kinds that nobody looks for.
static const void *verbs_struct(const struct sd_object *o)
{
	switch (o->kind) {
	case SD_CQ:
		return (const char *)o - offsetof(struct sd_cq, o);
	case SD_QP:
		return (const char *)o - offsetof(struct sd_qp, o);
	case SD_WQ:
		return (const char *)o - offsetof(struct sd_wq, o);
	default:
		return NULL;
	}
}

void *sd_find(struct softdev *d, enum softdev_kind kind, const void *object)
{
	struct sd_object *c, *o;

	for (c = d->contexts.next; c != &d->contexts; c = c->next)
		for (o = c->context->objects.next; o != &c->context->objects; o = o->next)
			if (o->kind == kind && verbs_struct(o) == object)
				return (void *)object;
	return NULL;
}

// Numbers 0 and 1 are those of QPs for management; 0 also stands for none.
#define FIRST 2

// grow doubles the table.
static int grow(struct sd_numbers *t)
{
	uint32_t room = t->room ? 2 * t->room : 64;
	void **slot = realloc(t->slot, room * sizeof *slot);

	if (!slot)
		return ENOMEM;
	memset(slot + t->room, 0, (room - t->room) * sizeof *slot);
	t->slot = slot;
	t->room = room;
	return 0;
}

uint32_t sd_number(struct sd_numbers *t, void *thing, uint32_t max)
{
	// Half of the table stays free, so that a number is given out again only after as many others.
	if (2 * t->used + 2 * FIRST >= t->room && t->room <= max && grow(t) && !t->room)
		return 0;
	if (t->used + FIRST > max || t->used + FIRST >= t->room)
		return 0;
	do {
		if (t->next < FIRST || t->next >= t->room || t->next > max)
			t->next = FIRST;
	} while (t->slot[t->next++]);
	t->slot[t->next - 1] = thing;
	t->used++;
	return t->next - 1;
}

void *sd_numbered(const struct sd_numbers *t, uint32_t number)
{
	return number < t->room ? t->slot[number] : NULL;
}

void sd_unnumber(struct sd_numbers *t, uint32_t number)
{
	t->slot[number] = NULL;
	t->used--;
}
