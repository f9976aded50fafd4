// Calls the functions of libibverbs that need no device, as C programs do, and prints what they answer: a name, the argument, the
// result.

#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>

// Conversions are asked about every number up to this one; answers of 0 are not printed.
#define MOST 2000000

static void words(const char *name, int i, const char *s)
{
	printf("%s %d %s\n", name, i, s ? s : "(null)");
}

int main(void)
{
	uint64_t h = 0;
	struct ibv_device **list;
	int i, j, n = -1;

	printf("is_fork_initialized 0 %d\n", ibv_is_fork_initialized());
	i = ibv_fork_init();
	printf("fork_init 0 %d\n", i);
	printf("is_fork_initialized 1 %d\n", ibv_is_fork_initialized());

	for (i = -10; i < 300; i++) {
		words("node_type_str", i, ibv_node_type_str(i));
		words("port_state_str", i, ibv_port_state_str(i));
		words("event_type_str", i, ibv_event_type_str(i));
		words("wc_status_str", i, ibv_wc_status_str(i));
		printf("rate_to_mult %d %d\n", i, ibv_rate_to_mult(i));
		printf("rate_to_mbps %d %d\n", i, ibv_rate_to_mbps(i));
	}
	for (i = -10; i <= MOST; i++) {
		if (mult_to_ibv_rate(i))
			printf("mult_to_rate %d %d\n", i, mult_to_ibv_rate(i));
		if (mbps_to_ibv_rate(i))
			printf("mbps_to_rate %d %d\n", i, mbps_to_ibv_rate(i));
	}
	for (i = 0; i < 1 << 20; i++)
		h = h * 31 + ibv_flow_label_to_udp_sport(i);
	printf("flow_labels 0 %" PRIu64 "\n", h);
	for (h = 0, i = 0; i < 1 << 12; i++)
		for (j = 0; j < 12; j++)
			h = h * 31 + !!ibv_is_qpt_supported(i, (enum ibv_qp_type)j);
	printf("qp_types 0 %" PRIu64 "\n", h);
	for (h = 0, i = 0; i < 1 << 20; i++)
		h = h * 31 + ibv_inc_rkey((uint32_t)i * 4099u);
	printf("rkeys 0 %" PRIu64 "\n", h);

	errno = 0;
	list = ibv_get_device_list(&n);
	printf("device_list 0 %d\n", list ? 0 : errno);
	printf("devices 0 %d\n", list ? n : 0);
	if (list)
		ibv_free_device_list(list);
	errno = 0;
	printf("import_device -1 %d\n", ibv_import_device(-1) ? 0 : errno);
	return 0;
}
