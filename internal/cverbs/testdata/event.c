// Each kind of event leads to the context of its object. The pairs are from the manual page of ibv_get_async_event.

#include "event.h"
#include <infiniband/verbs.h>
#include <stdio.h>

static struct ibv_context context;
static struct ibv_cq cq = {.context = &context};
static struct ibv_qp qp = {.context = &context};
static struct ibv_srq srq = {.context = &context};
static struct ibv_wq wq = {.context = &context};

int main(void)
{
	// By number: IBV_EVENT_CQ_ERR is 0, IBV_EVENT_WQ_FATAL 19. 1000 is from the future.
	static const struct {
		int type;
		void *element;
	} events[] = {{0, &cq}, {1, &qp}, {2, &qp}, {3, &qp}, {4, &qp}, {5, &qp}, {6, &qp}, {7, &qp}, {8, NULL}, {9, NULL}, {10, NULL}, {11, NULL},
		      {12, NULL}, {13, NULL}, {14, &srq}, {15, &srq}, {16, &qp}, {17, NULL}, {18, NULL}, {19, &wq}, {20, NULL}, {1000, NULL}};
	unsigned i;
	int bad = ibvgo_event_context(NULL) != NULL;

	for (i = 0; i < sizeof events / sizeof *events; i++) {
		struct ibv_async_event e = {.event_type = events[i].type};
		const void *want = events[i].element ? &context : NULL;

		if (ibvgo_event_context(&e))
			bad = printf("event %d without its element has a context\n", events[i].type);
		if (want)
			e.element.cq = events[i].element;
		else
			e.element.port_num = 1;
		if (ibvgo_event_context(&e) != want)
			bad = printf("event %d has the wrong context\n", events[i].type);
	}
	puts(bad ? "bad" : "done");
	return bad != 0;
}
