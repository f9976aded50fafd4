//go:build kernel

// Package kerneltest has the tests of package verbs that need a kernel and a device: soft-RoCE in QEMU by make test-kernel, hardware by
// make test-hw.
package kerneltest

import (
	"errors"
	"flag"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

var device = flag.String("device", os.Getenv("IBV_DEVICE"), "the RDMA device; $IBV_DEVICE if not given")

// soft says that the device is soft-RoCE as scripts/kernel/init has made it, of which more is known.
func soft() bool { return strings.HasPrefix(*device, "rxe") }

// open opens the device, which has to be closed without trouble when the test ends.
func open(t testing.TB) *verbs.Context {
	t.Helper()
	if *device == "" {
		t.Fatal("no device: set IBV_DEVICE or give -device")
	}
	c, err := verbs.OpenDevice(*device)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, c)
}

// must is for what a test needs to go on.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// closing closes an object at the test's end, which has to succeed.
func closing[T interface{ Close() error }](t testing.TB, o T) T {
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return o
}

func TestDevices(t *testing.T) {
	list := must(verbs.Devices())
	i := slices.IndexFunc(list, func(d *verbs.Device) bool { return d.Name() == *device })
	if i < 0 {
		t.Fatalf("%q is not in %v", *device, list)
	}
	d := list[i]
	if d.GUID() == 0 || d.NodeType() == ibv.IBV_NODE_UNKNOWN || d.TransportType() == ibv.IBV_TRANSPORT_UNKNOWN {
		t.Errorf("GUID %v, %v, %v", d.GUID(), d.NodeType(), d.TransportType())
	}
	if soft() && !slices.Equal(d.NetInterfaces(), []string{"dummy0"}) {
		t.Errorf("its interfaces are %v, want dummy0", d.NetInterfaces())
	}
	if c := closing(t, must(d.Open())); c.String() != *device || c.NumCompVectors() < 1 {
		t.Errorf("%v has %d completion vectors", c, c.NumCompVectors())
	}
}

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
	if soft() && (a.LinkLayer != uint8(ibv.IBV_LINK_LAYER_ETHERNET) || a.ActiveMTU != ibv.IBV_MTU_1024) {
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
	if !soft() {
		return
	}
	if want := netip.MustParseAddr("::ffff:10.9.0.1"); index != 1 || gid.Addr().Unmap() != want.Unmap() {
		t.Errorf("selected GID %d, %v, want 1, %v", index, gid, want)
	}
	if e := must(c.QueryGIDEntry(1, 1)); e.GIDType != ibv.IBV_GID_TYPE_ROCE_V2 {
		t.Errorf("its type is %d, want RoCE v2", e.GIDType)
	}
}

// soft-RoCE has no work queues; hardware that has some is shown with one.
func TestWQ(t *testing.T) {
	c := open(t)
	pd, cq := closing(t, must(c.AllocPD())), closing(t, must(c.CreateCQ(verbs.CQAttr{CQE: 16})))
	wq, err := c.CreateWQ(verbs.WQAttr{MaxWR: 16, MaxSGE: 1, PD: pd, CQ: cq})
	switch {
	case err == nil && soft():
		t.Errorf("%v on a device that has none", wq)
		fallthrough
	case err == nil:
		closing(t, wq)
	case !errors.Is(err, verbs.ErrNotSupported):
		t.Errorf("got %v, want ErrNotSupported", err)
	}
}
