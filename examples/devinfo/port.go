package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

var (
	layers = map[uint8]string{
		uint8(ibv.IBV_LINK_LAYER_UNSPECIFIED): "Unspecified", uint8(ibv.IBV_LINK_LAYER_INFINIBAND): "InfiniBand", uint8(ibv.IBV_LINK_LAYER_ETHERNET): "Ethernet",
	}
	lanes  = map[uint8]string{1: "1", 2: "2", 3: "4", 4: "8", 5: "15"}
	widths = map[uint8]string{1: "1", 2: "4", 4: "8", 8: "12", 16: "2"}
	speeds = map[uint32]string{
		1: "2.5 Gbps", 2: "5.0 Gbps", 4: "10.0 Gbps", 8: "10.0 Gbps", 16: "14.0 Gbps", 32: "25.0 Gbps", 64: "50.0 Gbps", 128: "100.0 Gbps",
		256: "200.0 Gbps", // newer programs only
	}
	// The fourth is spelt as the C program does.
	physical = map[uint8]string{
		1: "SLEEP", 2: "POLLING", 3: "DISABLED", 4: "PORT_CONFIGURATION TRAINNING", 5: "LINK_UP", 6: "LINK_ERROR_RECOVERY", 7: "PHY TEST",
	}
)

func (p page) port(c *verbs.Context, n int) {
	a := vt.Must(c.QueryPort(n))
	p.row(2, 24, "port", "%d", n)
	state := "invalid state"
	if a.State >= ibv.IBV_PORT_DOWN && a.State <= ibv.IBV_PORT_ACTIVE {
		state = strings.TrimPrefix(a.State.String(), "IBV_")
	}
	p.row(3, 48, "state", "%s (%d)", state, uint32(a.State))
	p.row(3, 48, "max_mtu", "%s (%d)", mtu(a.MaxMTU), uint32(a.MaxMTU))
	p.row(3, 48, "active_mtu", "%s (%d)", mtu(a.ActiveMTU), uint32(a.ActiveMTU))
	p.row(3, 48, "sm_lid", "%d", a.SmLID)
	p.row(3, 48, "port_lid", "%d", a.LID)
	p.row(3, 48, "port_lmc", "0x%02x", a.Lmc)
	p.row(3, 48, "link_layer", "%s", known(layers, a.LinkLayer, "Unknown"))
	if *verbose {
		p.portDetails(a)
		if c.Device().TransportType() == ibv.IBV_TRANSPORT_IB {
			p.row(3, 48, "phys_state", "%s (%d)", known(physical, a.PhysState, "invalid physical state"), a.PhysState)
		}
		p.gids(c, n, a.LinkLayer == uint8(ibv.IBV_LINK_LAYER_ETHERNET))
	}
	fmt.Fprintln(p)
}

func mtu(m ibv.MTU) string {
	if m < ibv.IBV_MTU_256 || m > ibv.IBV_MTU_4096 {
		return "invalid MTU"
	}
	return strings.TrimPrefix(m.String(), "IBV_MTU_")
}

func (p page) portDetails(a *ibv.PortAttr) {
	p.row(3, 48, "max_msg_sz", "0x%x", a.MaxMsgSz)
	p.row(3, 48, "port_cap_flags", "0x%08x", uint32(a.PortCapFlags))
	p.row(3, 48, "port_cap_flags2", "0x%04x", a.PortCapFlags2)
	p.row(3, 48, "max_vl_num", "%s (%d)", known(lanes, a.MaxVlNum, "invalid value"), a.MaxVlNum)
	p.row(3, 48, "bad_pkey_cntr", "0x%x", a.BadPKeyCntr)
	p.row(3, 48, "qkey_viol_cntr", "0x%x", a.QKeyViolCntr)
	p.row(3, 48, "sm_sl", "%d", a.SmSL)
	p.row(3, 48, "pkey_tbl_len", "%d", a.PKeyTblLen)
	p.row(3, 48, "gid_tbl_len", "%d", a.GIDTblLen)
	p.row(3, 48, "subnet_timeout", "%d", a.SubnetTimeout)
	p.row(3, 48, "init_type_reply", "%d", a.InitTypeReply)
	p.row(3, 48, "active_width", "%sX (%d)", known(widths, a.ActiveWidth, "invalid width"), a.ActiveWidth)
	speed := cmp.Or(a.ActiveSpeedEx, uint32(a.ActiveSpeed))
	p.row(3, 48, "active_speed", "%s (%d)", known(speeds, speed, "invalid speed"), speed)
}

// gids prints the port's addresses: those of RoCE v2 as IP addresses, others in plain hexadecimal digits.
func (p page) gids(c *verbs.Context, port int, ethernet bool) {
	for _, e := range vt.Must(c.GIDTable()) {
		if e.PortNum != uint32(port) {
			continue
		}
		var b strings.Builder
		for i, byte := range e.GID.Raw() {
			if i > 0 && i%2 == 0 {
				b.WriteByte(':')
			}
			fmt.Fprintf(&b, "%02x", byte)
		}
		text := b.String()
		switch {
		case e.GIDType == ibv.IBV_GID_TYPE_ROCE_V2:
			text = e.GID.String() + ", RoCE v2"
		case ethernet:
			text += ", RoCE v1"
		}
		p.row(3, 48, fmt.Sprintf("GID[%3d]", e.GIDIndex), "%s", text)
	}
}
