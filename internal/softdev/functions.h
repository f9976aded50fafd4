// The functions that serve the verbs of verbs_list.h, each in the file named after its object.

#ifndef SOFTDEV_FUNCTIONS_H
#define SOFTDEV_FUNCTIONS_H

#include <infiniband/verbs.h>

void sd_ack_async_event(struct ibv_async_event *event);
void sd_ack_cq_events(struct ibv_cq *cq, unsigned int n);
struct ibv_pd *sd_alloc_pd(struct ibv_context *context);
int sd_close_device(struct ibv_context *context);
struct ibv_comp_channel *sd_create_comp_channel(struct ibv_context *context);
struct ibv_cq *sd_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector);
struct ibv_qp *sd_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int sd_dealloc_pd(struct ibv_pd *pd);
int sd_dereg_mr(struct ibv_mr *mr);
int sd_destroy_comp_channel(struct ibv_comp_channel *channel);
int sd_destroy_cq(struct ibv_cq *cq);
int sd_destroy_qp(struct ibv_qp *qp);
int sd_get_async_event(struct ibv_context *context, struct ibv_async_event *event);
int sd_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context);
__be64 sd_get_device_guid(struct ibv_device *device);
int sd_get_device_index(struct ibv_device *device);
const char *sd_get_device_name(struct ibv_device *device);
int sd_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey);
int sd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
struct ibv_context *sd_open_device(struct ibv_device *device);
struct ibv_qp_ex *sd_qp_to_qp_ex(struct ibv_qp *qp);
int sd_query_device(struct ibv_context *context, struct ibv_device_attr *attr);
int sd_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid);
int sd_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey);
int sd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init);
struct ibv_mr *sd_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *sd_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access);

int sd_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags, size_t size);
ssize_t sd_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size);

struct ibv_cq_ex *sd_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
struct ibv_qp *sd_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_rwq_ind_table *sd_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *attr);
struct ibv_wq *sd_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr);
int sd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table);
int sd_destroy_wq(struct ibv_wq *wq);
int sd_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr);
int sd_next_poll(struct ibv_cq_ex *cq);
int sd_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int sd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int sd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int sd_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int sd_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr, size_t size);
int sd_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size);
int sd_query_port_old(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr);
int sd_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int sd_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);
int sd_wr_complete(struct ibv_qp_ex *qp);

#endif
