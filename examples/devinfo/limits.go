package main

import (
	"strings"

	"github.com/goverbs/ibv"
)

type number struct {
	name  string
	value int32
}

// numbers prints a row for each number.
func (p page) numbers(numbers ...number) {
	for _, n := range numbers {
		p.row(1, 40, n.name, "%d", n.value)
	}
}

const deviceFlags = ibv.IBV_DEVICE_RESIZE_MAX_WR | ibv.IBV_DEVICE_BAD_PKEY_CNTR | ibv.IBV_DEVICE_BAD_QKEY_CNTR | ibv.IBV_DEVICE_RAW_MULTI |
	ibv.IBV_DEVICE_AUTO_PATH_MIG | ibv.IBV_DEVICE_CHANGE_PHY_PORT | ibv.IBV_DEVICE_UD_AV_PORT_ENFORCE | ibv.IBV_DEVICE_CURR_QP_STATE_MOD |
	ibv.IBV_DEVICE_SHUTDOWN_PORT | ibv.IBV_DEVICE_INIT_TYPE | ibv.IBV_DEVICE_PORT_ACTIVE_EVENT | ibv.IBV_DEVICE_SYS_IMAGE_GUID |
	ibv.IBV_DEVICE_RC_RNR_NAK_GEN | ibv.IBV_DEVICE_SRQ_RESIZE | ibv.IBV_DEVICE_N_NOTIFY_CQ | ibv.IBV_DEVICE_MEM_WINDOW |
	ibv.IBV_DEVICE_UD_IP_CSUM | ibv.IBV_DEVICE_XRC | ibv.IBV_DEVICE_MEM_MGT_EXTENSIONS | ibv.IBV_DEVICE_MEM_WINDOW_TYPE_2A |
	ibv.IBV_DEVICE_MEM_WINDOW_TYPE_2B | ibv.IBV_DEVICE_RC_IP_CSUM | ibv.IBV_DEVICE_RAW_IP_CSUM | ibv.IBV_DEVICE_MANAGED_FLOW_STEERING

// limits prints the rest of what ibv_query_device tells.
func (p page) limits(a *ibv.DeviceAttr) {
	p.row(1, 40, "max_mr_size", "0x%x", a.MaxMRSize)
	p.row(1, 40, "page_size_cap", "0x%x", a.PageSizeCap)
	p.numbers(number{"max_qp", a.MaxQP}, number{"max_qp_wr", a.MaxQPWR})
	p.row(1, 40, "device_cap_flags", "0x%08x", uint32(a.DeviceCapFlags))
	flags(p, "IBV_DEVICE_", a.DeviceCapFlags, deviceFlags)
	p.numbers(
		number{"max_sge", a.MaxSGE}, number{"max_sge_rd", a.MaxSGERd}, number{"max_cq", a.MaxCQ}, number{"max_cqe", a.MaxCQE},
		number{"max_mr", a.MaxMR}, number{"max_pd", a.MaxPD}, number{"max_qp_rd_atom", a.MaxQPRdAtom}, number{"max_ee_rd_atom", a.MaxEeRdAtom},
		number{"max_res_rd_atom", a.MaxResRdAtom}, number{"max_qp_init_rd_atom", a.MaxQPInitRdAtom}, number{"max_ee_init_rd_atom", a.MaxEeInitRdAtom},
	)
	atomic := "invalid atomic capability"
	if a.AtomicCap <= ibv.IBV_ATOMIC_GLOB {
		atomic = strings.TrimPrefix(a.AtomicCap.String(), "IBV_")
	}
	p.row(1, 40, "atomic_cap", "%s (%d)", atomic, uint32(a.AtomicCap))
	p.numbers(
		number{"max_ee", a.MaxEe}, number{"max_rdd", a.MaxRdd}, number{"max_mw", a.MaxMW}, number{"max_raw_ipv6_qp", a.MaxRawIPv6QP},
		number{"max_raw_ethy_qp", a.MaxRawEthyQP}, number{"max_mcast_grp", a.MaxMcastGrp}, number{"max_mcast_qp_attach", a.MaxMcastQPAttach},
		number{"max_total_mcast_qp_attach", a.MaxTotalMcastQPAttach}, number{"max_ah", a.MaxAH}, number{"max_fmr", a.MaxFmr},
	)
	if a.MaxFmr != 0 {
		p.numbers(number{"max_map_per_fmr", a.MaxMapPerFmr})
	}
	p.numbers(number{"max_srq", a.MaxSRQ})
	if a.MaxSRQ != 0 {
		p.numbers(number{"max_srq_wr", a.MaxSRQWR}, number{"max_srq_sge", a.MaxSRQSGE})
	}
	p.numbers(number{"max_pkeys", int32(a.MaxPKeys)}, number{"local_ca_ack_delay", int32(a.LocalCaAckDelay)})
}
