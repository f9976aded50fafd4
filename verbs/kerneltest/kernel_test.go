//go:build kernel

package kerneltest

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

var device = flag.String("device", os.Getenv("IBV_DEVICE"), "the RDMA device; $IBV_DEVICE if not given")

// which is the kind of device that the tests run on: rxe0 is soft-RoCE as scripts/kernel/init has made it.
func which() kind {
	if strings.HasPrefix(*device, "rxe") {
		return rxe
	}
	return hardware
}

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
	if which() == rxe && !slices.Equal(d.NetInterfaces(), []string{"dummy0"}) {
		t.Errorf("its interfaces are %v, want dummy0", d.NetInterfaces())
	}
	if c := closing(t, must(d.Open())); c.String() != *device || c.NumCompVectors() < 1 {
		t.Errorf("%v has %d completion vectors", c, c.NumCompVectors())
	}
}

// setPort takes the link of soft-RoCE's port down or up.
func setPort(t testing.TB, up bool) {
	t.Helper()
	state := "down"
	if up {
		state = "up"
	}
	if out, err := exec.Command("ip", "link", "set", "dummy0", state).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
