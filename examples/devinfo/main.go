// Command devinfo prints what rdma-core's ibv_devinfo prints of a device, in the same form; with -v all of it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

var (
	name    = flag.String("d", "", "the RDMA device; none: all devices")
	port    = flag.Int("i", 0, "the device's port; 0: all ports")
	verbose = flag.Bool("v", false, "print everything that is known")
)

func main() {
	flag.Parse()
	if flag.NArg() > 0 || *port < 0 {
		fmt.Fprintln(os.Stderr, "devinfo: [-d device] [-i port] [-v]")
		os.Exit(2)
	}
	defer func() {
		if err := recover(); err != nil { // Check's, after everything was closed
			fmt.Fprintln(os.Stderr, "devinfo:", err)
			os.Exit(1)
		}
	}()
	devices := vt.Must(verbs.Devices())
	if *name != "" {
		devices = slices.DeleteFunc(devices, func(d *verbs.Device) bool { return d.Name() != *name })
	}
	if len(devices) == 0 {
		panic(strings.TrimSpace("there is no RDMA device " + *name))
	}
	for _, d := range devices {
		device(d)
	}
}

func device(d *verbs.Device) {
	c := vt.Must(d.Open())
	defer func() { vt.Check(c.Close()) }()
	p := page{bufio.NewWriter(os.Stdout)}
	defer p.Flush()
	a := vt.Must(c.QueryDeviceEx())
	p.row(0, 8, "hca_id", "%s", d.Name())
	p.general(d, &a.OrigAttr)
	if *verbose {
		p.limits(&a.OrigAttr)
		p.extended(a)
		p.row(1, 40, "num_comp_vectors", "%d", c.NumCompVectors())
	}
	for n := 1; n <= int(a.OrigAttr.PhysPortCnt); n++ {
		if *port == 0 || *port == n {
			p.port(c, n)
		}
	}
}

var transports = map[ibv.TransportType]string{
	ibv.IBV_TRANSPORT_IB: "InfiniBand", ibv.IBV_TRANSPORT_IWARP: "iWARP", ibv.IBV_TRANSPORT_USNIC: "usNIC",
	ibv.IBV_TRANSPORT_USNIC_UDP: "usNIC UDP", ibv.IBV_TRANSPORT_UNSPECIFIED: "unspecified",
}

// general prints what is printed of any device.
func (p page) general(d *verbs.Device, a *ibv.DeviceAttr) {
	p.row(1, 40, "transport", "%s (%d)", known(transports, d.TransportType(), "invalid transport"), int(d.TransportType()))
	if fw, _, _ := strings.Cut(string(a.FwVer[:]), "\x00"); fw != "" {
		p.row(1, 40, "fw_ver", "%s", fw)
	}
	p.row(1, 40, "node_guid", "%s", guid(a.NodeGUID))
	p.row(1, 40, "sys_image_guid", "%s", guid(a.SysImageGUID))
	p.row(1, 40, "vendor_id", "0x%04x", a.VendorID)
	p.row(1, 40, "vendor_part_id", "%d", a.VendorPartID)
	p.row(1, 40, "hw_ver", "0x%X", a.HwVer)
	if b, err := os.ReadFile(filepath.Join("/sys/class/infiniband", d.Name(), "board_id")); err == nil {
		p.row(1, 40, "board_id", "%s", strings.TrimSpace(string(b)))
	}
	p.row(1, 40, "phys_port_cnt", "%d", a.PhysPortCnt)
}

func guid(g ibv.Be64) string {
	h := g.Host()
	return fmt.Sprintf("%04x:%04x:%04x:%04x", h>>48, h>>32&0xffff, h>>16&0xffff, h&0xffff)
}
