//go:build linux && cgo

#include "core.h"

// address checks a path. On Ethernet there are no packets without GIDs, so an address has to be global, with an entry of the GID table
// that is in use: the kernel asks for both before a driver sees them.
static int address(const struct ibv_ah_attr *ah)
{
	union ibv_gid gid;

	if (!ah->is_global || ah->port_num != 1)
		return EINVAL;
	return sd_gid(ah->grh.sgid_index, &gid) < 0 ? EINVAL : 0;
}

// on_fabric tells whether an address is one of this device's.
static int on_fabric(const struct ibv_ah_attr *ah)
{
	union ibv_gid gid;
	int i;

	for (i = 0; i < SD_GIDS; i++)
		if (sd_gid(i, &gid) >= 0 && !memcmp(&gid, &ah->grh.dgid, sizeof gid))
			return 1;
	return 0;
}

// places checks what names a port, a partition or an address.
static int places(const struct ibv_qp_attr *a, int mask)
{
	if (mask & IBV_QP_PORT && a->port_num != 1)
		return EINVAL;
	if (mask & IBV_QP_PKEY_INDEX && a->pkey_index)
		return EINVAL;
	if (mask & IBV_QP_AV && address(&a->ah_attr))
		return EINVAL;
	if (mask & IBV_QP_ALT_PATH && (address(&a->alt_ah_attr) || a->alt_port_num != 1 || a->alt_pkey_index || a->alt_timeout > 31))
		return EINVAL;
	return 0;
}

// Widths are those of the packets' fields: 24 bits of QP numbers, 5 of timers, 3 of counts. soft-RoCE checks the same.
int sd_attr_check(const struct ibv_qp_attr *a, int mask)
{
	if (places(a, mask))
		return EINVAL;
	// path_mtu may not be beyond the port's active MTU, which is 4096 bytes, the largest there is.
	if (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096))
		return EINVAL;
	if (mask & IBV_QP_DEST_QPN && a->dest_qp_num > SD_MAX_NUMBER)
		return EINVAL;
	if (mask & IBV_QP_MIN_RNR_TIMER && a->min_rnr_timer > 31)
		return EINVAL;
	if (mask & IBV_QP_TIMEOUT && a->timeout > 31)
		return EINVAL;
	if (mask & IBV_QP_RETRY_CNT && a->retry_cnt > 7)
		return EINVAL;
	if (mask & IBV_QP_RNR_RETRY && a->rnr_retry > 7)
		return EINVAL;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic > SD_MAX_RD_ATOMIC)
		return EINVAL;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC && a->max_dest_rd_atomic > SD_MAX_RD_ATOMIC)
		return EINVAL;
	if (mask & IBV_QP_PATH_MIG_STATE && (unsigned int)a->path_mig_state > IBV_MIG_ARMED)
		return EINVAL;
	return 0;
}

// set_path takes what tells the way to the peer.
static void set_path(struct sd_qp *qp, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *to = &qp->attr;

	if (mask & IBV_QP_AV) {
		to->ah_attr = a->ah_attr;
		qp->on_fabric = on_fabric(&a->ah_attr);
	}
	if (mask & IBV_QP_ALT_PATH) {
		to->alt_ah_attr = a->alt_ah_attr;
		to->alt_port_num = a->alt_port_num;
		to->alt_pkey_index = a->alt_pkey_index;
		to->alt_timeout = a->alt_timeout;
	}
}

void sd_attr_set(struct sd_qp *qp, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *to = &qp->attr;

	set_path(qp, a, mask);
#define TAKE(bit, member) \
	if (mask & (bit)) \
		to->member = a->member
	TAKE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	TAKE(IBV_QP_PKEY_INDEX, pkey_index);
	TAKE(IBV_QP_PORT, port_num);
	TAKE(IBV_QP_PATH_MTU, path_mtu);
	TAKE(IBV_QP_DEST_QPN, dest_qp_num);
	TAKE(IBV_QP_TIMEOUT, timeout);
	TAKE(IBV_QP_RETRY_CNT, retry_cnt);
	TAKE(IBV_QP_RNR_RETRY, rnr_retry);
	TAKE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	TAKE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	TAKE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	TAKE(IBV_QP_PATH_MIG_STATE, path_mig_state);
#undef TAKE
	if (mask & IBV_QP_RQ_PSN)
		to->rq_psn = a->rq_psn & 0xffffff;
	if (mask & IBV_QP_SQ_PSN)
		to->sq_psn = a->sq_psn & 0xffffff;
}
