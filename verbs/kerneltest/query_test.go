//go:build linux && cgo

package kerneltest

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/goverbs/ibv"
)

func TestQueryDevice(t *testing.T) {
	c := open(t)
	a := must(c.QueryDevice())
	if a.PhysPortCnt < 1 || a.MaxQP < 1 || a.MaxCQE < 1 || a.MaxSGE < 1 || a.NodeGUID != c.Device().GUID() && c.Device().GUID() != 0 {
		t.Errorf("%+v", a)
	}
	// The extended query begins with the same.
	if x := must(c.QueryDeviceEx()); x.OrigAttr != *a {
		t.Errorf("extended: %+v\nplain: %+v", x.OrigAttr, *a)
	}
}

func TestQueryPort(t *testing.T) {
	c := open(t)
	a := must(c.QueryPort(1))
	if a.State != ibv.IBV_PORT_ACTIVE || a.ActiveMTU < ibv.IBV_MTU_256 || a.ActiveMTU > a.MaxMTU || a.GIDTblLen < 1 || a.PKeyTblLen < 1 {
		t.Errorf("%+v", a)
	}
	if which() == rxe && (a.LinkLayer != uint8(ibv.IBV_LINK_LAYER_ETHERNET) || a.ActiveMTU != ibv.IBV_MTU_1024) {
		t.Errorf("link layer %d, MTU %v", a.LinkLayer, a.ActiveMTU)
	}
	if key := must(c.QueryPKey(1, 0)); key == 0 {
		t.Error("no default partition key")
	}
}

func TestQueryGID(t *testing.T) {
	c := open(t)
	index, gid, err := c.SelectGID(1)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(c.QueryGID(1, index)); got != gid || gid.IsZero() {
		t.Errorf("GID %d is %v, and was selected as %v", index, got, gid)
	}
	if e := must(c.QueryGIDEntry(1, index)); e.GID != gid || e.GIDIndex != uint32(index) || e.PortNum != 1 {
		t.Errorf("its entry is %+v", e)
	}
	if !slices.ContainsFunc(must(c.GIDTable()), func(e ibv.GIDEntry) bool { return e.GID == gid && e.GIDIndex == uint32(index) }) {
		t.Error("it is not in the table")
	}
	if which() != rxe {
		return
	}
	if want := netip.MustParseAddr("::ffff:10.9.0.1"); index != 1 || gid.Addr().Unmap() != want.Unmap() {
		t.Errorf("selected GID %d, %v, want 1, %v", index, gid, want)
	}
	if e := must(c.QueryGIDEntry(1, 1)); e.GIDType != ibv.IBV_GID_TYPE_ROCE_V2 {
		t.Errorf("its type is %d, want RoCE v2", e.GIDType)
	}
}
