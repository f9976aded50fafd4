#include "provider.h"

#include "table_generated.h"
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

static size_t callers; // the size of the caller's struct
static const char *complaint;
static int given;

void provider_expect(size_t size)
{
	callers = size;
}

const char *provider_complaint(int *n)
{
	const char *r = complaint;

	*n = given;
	given = 0;
	complaint = NULL;
	return r;
}

static void complain(int wrong, const char *text)
{
	if (wrong && !complaint)
		complaint = text;
}

// all tells whether n bytes have a value.
static int all(const unsigned char *p, size_t n, unsigned char value)
{
	while (n && *p == value)
		p++, n--;
	return !n;
}

// look reads a struct of n bytes: what the caller has, and zeros in what only the header has.
static void look(const void *p, size_t n, unsigned char value)
{
	given++;
	complain(n < callers + 8, "the header's struct is not larger than the caller's");
	if (n < callers)
		return;
	complain(!all(p, callers, value), "the caller's bytes did not arrive");
	complain(!all((const unsigned char *)p + callers, n - callers, 0), "the header's further bytes are not zero");
}

static void take(void *p, size_t n)
{
	look(p, n, ASKED);
	memset(p, ANSWERED, n);
}

// fill is for a struct that the header has cleared, or that comes with its size.
static void fill(void *p, size_t n)
{
	given++;
	memset(p, ANSWERED, n);
}

static struct verbs_context around;
static struct ibv_cq_ex cq;
static struct ibv_qp qp;
static struct ibv_counters counters;
static struct ibv_flow_action action;
static char anything[4096]; // what creating returns

#define CREATES(verb, attribute)                                                                \
	static void *verb(struct ibv_context *context, struct attribute *attr)                  \
	{                                                                                       \
		complain(context != &around.context, "another context");                        \
		take(attr, sizeof *attr);                                                       \
		return anything;                                                                \
	}
CREATES(alloc_dm, ibv_alloc_dm_attr)
CREATES(alloc_parent_domain, ibv_parent_domain_init_attr)
CREATES(alloc_td, ibv_td_init_attr)
CREATES(create_counters, ibv_counters_init_attr)
CREATES(create_cq_ex, ibv_cq_init_attr_ex)
CREATES(create_flow_action_esp, ibv_flow_action_esp_attr)
CREATES(create_qp_ex, ibv_qp_init_attr_ex)
CREATES(create_rwq_ind_table, ibv_rwq_ind_table_init_attr)
CREATES(create_srq_ex, ibv_srq_init_attr_ex)
CREATES(create_wq, ibv_wq_init_attr)
CREATES(open_qp, ibv_qp_open_attr)
CREATES(open_xrcd, ibv_xrcd_init_attr)

#define CHANGES(verb, object, attribute)                                                        \
	static int verb(struct object *o, struct attribute *attr)                               \
	{                                                                                       \
		complain(!o, "no object");                                                      \
		take(attr, sizeof *attr);                                                       \
		return 0;                                                                       \
	}
CHANGES(modify_flow_action_esp, ibv_flow_action, ibv_flow_action_esp_attr)
CHANGES(modify_qp_rate_limit, ibv_qp, ibv_qp_rate_limit_attr)
CHANGES(query_rt_values, ibv_context, ibv_values_ex)
CHANGES(start_poll, ibv_cq_ex, ibv_poll_cq_attr)

static int attach_counters_point_flow(struct ibv_counters *c, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)
{
	(void)flow;
	complain(c != &counters, "other counters");
	take(attr, sizeof *attr);
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	(void)port;
	complain(context != &around.context || size != sizeof *attr, "another size than the header's");
	take(attr, size);
	return 0;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr, size_t size)
{
	complain(context != &around.context || size != sizeof *attr, "another size than the header's");
	if (input)
		complain(!all((const unsigned char *)input, sizeof *input, 0), "the input is not zero");
	take(attr, size);
	return 0;
}

static int query_device_ex_old(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr, size_t size)
{
	(void)context, (void)input, (void)attr, (void)size;
	return EOPNOTSUPP;
}

// The library's functions, which the header's inlines and macros may call. They know only the sizes of their own time.
static int old_query_port(struct ibv_context *context, uint8_t port, void *attr)
{
	(void)context, (void)port;
	fill(attr, 48);
	return 0;
}

static int old_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	fill(attr, sizeof *attr);
	return 0;
}

static int query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	(void)context, (void)port, (void)index, (void)flags;
	fill(entry, size);
	return 0;
}

static ssize_t query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t n, uint32_t flags, size_t size)
{
	(void)context, (void)flags;
	fill(entries, n * size);
	return (ssize_t)n;
}

static int query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size)
{
	(void)context;
	fill(caps, size);
	return 0;
}

typedef void (*function)(void);

const void *provider_ops(void)
{
	static function ops[1024];

	ops[IBVGO_INDEX_ibv_query_port] = (function)old_query_port;
	ops[IBVGO_INDEX_ibv_query_device] = (function)old_query_device;
	ops[IBVGO_INDEX__ibv_query_gid_ex] = (function)query_gid_ex;
	ops[IBVGO_INDEX__ibv_query_gid_table] = (function)query_gid_table;
	ops[IBVGO_INDEX__ibv_query_comp_cntr_caps] = (function)query_comp_cntr_caps;
	return ops;
}

void provider_age(void)
{
	around.query_device_ex = query_device_ex_old;
	around.query_port = NULL;
}

struct objects provider_objects(void)
{
	struct ibv_context *context = &around.context;

	around.sz = sizeof around;
	context->abi_compat = __VERBS_ABI_IS_EXTENDED;
#define SET(member) *(void **)&around.member = (void *)member
	SET(alloc_dm);
	SET(alloc_parent_domain);
	SET(alloc_td);
	SET(create_counters);
	SET(create_cq_ex);
	SET(create_flow_action_esp);
	SET(create_qp_ex);
	SET(create_rwq_ind_table);
	SET(create_srq_ex);
	SET(create_wq);
	SET(open_qp);
	SET(open_xrcd);
	around.modify_flow_action_esp = modify_flow_action_esp;
	around.modify_qp_rate_limit = modify_qp_rate_limit;
	around.query_rt_values = query_rt_values;
	around.attach_counters_point_flow = attach_counters_point_flow;
	around.query_port = query_port;
	around.query_device_ex = query_device_ex;
	cq.context = qp.context = counters.context = action.context = context;
	cq.start_poll = start_poll;
	return (struct objects){context, &cq, &qp, &counters, &action, sizeof around};
}
