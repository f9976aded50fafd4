package main

import (
	"fmt"

	"github.com/goverbs/ibv"
)

// flagsEx prints all flags as a number, and those above the first 32 by name.
func (p page) flagsEx(all uint64) {
	p.row(1, 40, "device_cap_flags_ex", "0x%X", all)
	rest := all >> 32 << 32
	if rest&ibv.IBV_DEVICE_RAW_SCATTER_FCS != 0 {
		p.item("RAW_SCATTER_FCS")
	}
	if rest&ibv.IBV_DEVICE_PCI_WRITE_END_PADDING != 0 {
		p.item("PCI_WRITE_END_PADDING")
	}
	if rest &^= ibv.IBV_DEVICE_RAW_SCATTER_FCS | ibv.IBV_DEVICE_PCI_WRITE_END_PADDING; rest != 0 {
		p.item(fmt.Sprintf("Unknown flags: 0x%X", rest))
	}
}

func (p page) rss(r *ibv.RSSCaps) {
	p.row(1, 0, "rss_caps", "")
	p.row(2, 64, "max_rwq_indirection_tables", "%d", r.MaxRWQIndirectionTables)
	p.row(2, 64, "max_rwq_indirection_table_size", "%d", r.MaxRWQIndirectionTableSize)
	p.row(2, 64, "rx_hash_function", "0x%x", r.RxHashFunction)
	p.row(2, 64, "rx_hash_fields_mask", "0x%X", r.RxHashFieldsMask)
	if r.SupportedQpts != 0 {
		p.qps(r.SupportedQpts)
	}
}

// qps prints which types of QP an ability is for: bit n is the type of value n.
func (p page) qps(types uint32) {
	const raw, ud = uint32(1) << ibv.IBV_QPT_RAW_PACKET, uint32(1) << ibv.IBV_QPT_UD
	p.row(2, 0, "supported_qp", "")
	if types&raw != 0 {
		p.item("SUPPORT_RAW_PACKET")
	}
	if types&ud != 0 {
		p.item("SUPPORT_UD")
	}
	if rest := types &^ (raw | ud); rest != 0 {
		p.item(fmt.Sprintf("Unknown flags: 0x%X", rest))
	}
}

func (p page) tagMatching(t *ibv.TMCaps) {
	if t.MaxNumTags == 0 {
		fmt.Fprintln(p, "\ttag matching not supported")
		return
	}
	p.row(1, 40, "max_rndv_hdr_size", "%d", t.MaxRndvHdrSize)
	p.row(1, 40, "max_num_tags", "%d", t.MaxNumTags)
	p.row(1, 40, "max_ops", "%d", t.MaxOps)
	p.row(1, 40, "max_sge", "%d", t.MaxSGE)
	p.row(1, 0, "flags", "")
	if t.Flags&ibv.IBV_TM_CAP_RC != 0 {
		p.item("IBV_TM_CAP_RC")
	}
}
