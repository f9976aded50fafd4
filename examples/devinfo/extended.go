package main

import (
	"fmt"

	"github.com/goverbs/ibv"
)

// extended prints what only ibv_query_device_ex tells. Each row is in the column where the C program has it.
func (p page) extended(a *ibv.DeviceAttrEx) {
	p.row(1, 0, "general_odp_caps", "")
	flags(p, "IBV_", ibv.ODPGeneralCaps(a.ODPCaps.GeneralCaps), ibv.IBV_ODP_SUPPORT|ibv.IBV_ODP_SUPPORT_IMPLICIT)
	p.odp("rc_odp_caps", a.ODPCaps.PerTransportCaps.RCODPCaps)
	p.odp("uc_odp_caps", a.ODPCaps.PerTransportCaps.UCODPCaps)
	p.odp("ud_odp_caps", a.ODPCaps.PerTransportCaps.UDODPCaps)
	p.odp("xrc_odp_caps", a.XRCODPCaps)
	if a.CompletionTimestampMask != 0 {
		p.row(1, 56, "completion timestamp_mask", "0x%016x", a.CompletionTimestampMask)
	} else {
		fmt.Fprintln(p, "\tcompletion_timestamp_mask not supported")
	}
	if a.HCACoreClock != 0 {
		p.row(1, 40, "hca_core_clock", "%dkHZ", a.HCACoreClock)
	} else {
		fmt.Fprintln(p, "\tcore clock not supported")
	}
	p.rawPackets(a.RawPacketCaps)
	p.flagsEx(a.DeviceCapFlagsEx)
	p.row(1, 0, "tso_caps", "")
	p.row(2, 48, "max_tso", "%d", int32(a.TSOCaps.MaxTSO))
	if a.TSOCaps.MaxTSO != 0 {
		p.qps(a.TSOCaps.SupportedQpts)
	}
	p.rss(&a.RSSCaps)
	p.row(1, 40, "max_wq_type_rq", "%d", a.MaxWQTypeRQ)
	p.row(1, 0, "packet_pacing_caps", "")
	p.row(2, 40, "qp_rate_limit_min", "%dkbps", a.PacketPacingCaps.QPRateLimitMin)
	p.row(2, 40, "qp_rate_limit_max", "%dkbps", a.PacketPacingCaps.QPRateLimitMax)
	if a.PacketPacingCaps.QPRateLimitMax != 0 {
		p.qps(a.PacketPacingCaps.SupportedQpts)
	}
	p.tagMatching(&a.TMCaps)
	if q := a.CQModCaps; q.MaxCQCount != 0 && q.MaxCQPeriod != 0 {
		fmt.Fprintf(p, "\n\tcq moderation caps:\n\t\tmax_cq_count:\t%d\n\t\tmax_cq_period:\t%d us\n\n", q.MaxCQCount, q.MaxCQPeriod)
	}
	if a.MaxDMSize != 0 {
		p.row(1, 48, "maximum available device memory", "%dBytes\n", a.MaxDMSize)
	}
}

// odp prints what works with on-demand paging on one kind of QP. The C program calls the last flag SRQ.
func (p page) odp(name string, set ibv.ODPTransportCapBits) {
	const known = ibv.IBV_ODP_SUPPORT_SEND | ibv.IBV_ODP_SUPPORT_RECV | ibv.IBV_ODP_SUPPORT_WRITE | ibv.IBV_ODP_SUPPORT_READ | ibv.IBV_ODP_SUPPORT_ATOMIC
	p.row(1, 0, name, "")
	if set == 0 {
		p.item("NO SUPPORT")
	}
	flags(p, "IBV_ODP_", set&known, known)
	if set&ibv.IBV_ODP_SUPPORT_SRQ_RECV != 0 {
		p.item("SUPPORT_SRQ")
	}
	flags(p, "", set&^(known|ibv.IBV_ODP_SUPPORT_SRQ_RECV), 0)
}

func (p page) rawPackets(set ibv.RawPacketCaps) {
	if set == 0 {
		return
	}
	p.row(1, 0, "raw packet caps", "")
	for _, c := range []struct {
		flag ibv.RawPacketCaps
		text string
	}{
		{ibv.IBV_RAW_PACKET_CAP_CVLAN_STRIPPING, "C-VLAN stripping offload"}, {ibv.IBV_RAW_PACKET_CAP_SCATTER_FCS, "Scatter FCS offload"},
		{ibv.IBV_RAW_PACKET_CAP_IP_CSUM, "IP csum offload"}, {ibv.IBV_RAW_PACKET_CAP_DELAY_DROP, "Delay drop"},
	} {
		if set&c.flag != 0 {
			p.item(c.text)
		}
	}
}
