//go:build linux && cgo

#include "batches.h"
#include "now.h"

#include <infiniband/verbs.h>

int64_t beside_batches(struct ibv_qp_ex *qp, const struct ibv_send_wr *wrs, int n, long batches)
{
	int64_t start = beside_now();
	int i;

	while (batches-- > 0) {
		ibv_wr_start(qp);
		for (i = 0; i < n; i++) {
			qp->wr_id = wrs[i].wr_id;
			qp->wr_flags = wrs[i].send_flags;
			ibv_wr_rdma_write(qp, wrs[i].wr.rdma.rkey, wrs[i].wr.rdma.remote_addr);
			ibv_wr_set_sge(qp, wrs[i].sg_list->lkey, wrs[i].sg_list->addr, wrs[i].sg_list->length);
		}
		if (ibv_wr_complete(qp))
			return -1;
	}
	return beside_now() - start;
}
