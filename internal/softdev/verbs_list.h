// The verbs that the device serves, by C name without ibv_. Each X(name) has a function sd_name, of the verb's C signature.

#ifndef SOFTDEV_VERBS_LIST_H
#define SOFTDEV_VERBS_LIST_H

// Exported functions of the library: they are served by the table that the process's registry of providers gets.
#define SOFTDEV_EXPORTED(X) \
	X(ack_async_event) \
	X(ack_cq_events) \
	X(alloc_pd) \
	X(close_device) \
	X(create_comp_channel) \
	X(create_cq) \
	X(create_qp) \
	X(dealloc_pd) \
	X(dereg_mr) \
	X(destroy_comp_channel) \
	X(destroy_cq) \
	X(destroy_qp) \
	X(get_async_event) \
	X(get_cq_event) \
	X(get_device_guid) \
	X(get_device_index) \
	X(get_device_name) \
	X(get_pkey_index) \
	X(modify_qp) \
	X(open_device) \
	X(qp_to_qp_ex) \
	X(query_device) \
	X(query_gid) \
	X(query_pkey) \
	X(query_qp) \
	X(reg_mr)

// Two that the header's ibv_query_gid_ex and ibv_query_gid_table call; their names begin with an underscore.
#define SOFTDEV_UNDERSCORED(X) \
	X(query_gid_ex) \
	X(query_gid_table)

// Members of a context, of an extended completion queue or QP, or of a work queue: the header's inlines call them. query_port has an older, exported form as well.
#define SOFTDEV_MEMBERS(X) \
	X(create_cq_ex) \
	X(create_qp_ex) \
	X(create_rwq_ind_table) \
	X(create_wq) \
	X(destroy_rwq_ind_table) \
	X(destroy_wq) \
	X(modify_wq) \
	X(next_poll) \
	X(poll_cq) \
	X(post_recv) \
	X(post_send) \
	X(post_wq_recv) \
	X(query_device_ex) \
	X(query_port) \
	X(req_notify_cq) \
	X(start_poll) \
	X(wr_complete)

// A second exported function of a verb that has a number already: the header's ibv_reg_mr calls ibv_reg_mr_iova2 if the compiler does not
// know the flags. Both count as, fail as and are absent as the first argument.
#define SOFTDEV_ALIASES(X) \
	X(reg_mr, reg_mr_iova2)

#define SOFTDEV_VERBS(X) SOFTDEV_EXPORTED(X) SOFTDEV_UNDERSCORED(X) SOFTDEV_MEMBERS(X)

enum softdev_verb {
#define X(name) SD_##name,
	SOFTDEV_VERBS(X)
#undef X
	SD_NVERBS,
};

#endif
