// Command rcpingpong sends a message to and fro between two processes, the server and, with a host, its client. Either may be rdma-core's
// ibv_rc_pingpong instead, of which it has the flags, the exchange of addresses and what is printed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

var (
	device = flag.String("d", "", "the RDMA device to use; none: the first")
	ibPort = flag.Int("i", 1, "the device's port")
	gid    = flag.Int("g", -1, "the index of the port's GID to use; -1: the most suitable")
	port   = flag.Int("p", 18515, "the TCP port for the exchange of addresses")
	size   = flag.Int("s", 4096, "bytes of a message")
	mtu    = flag.Int("m", 1024, "bytes of a packet at most")
	depth  = flag.Int("r", 500, "receives to post at a time")
	iters  = flag.Int("n", 1000, "number of round trips")
	events = flag.Bool("e", false, "sleep until there are completions, rather than poll")
	check  = flag.Bool("c", false, "validate what was received")
)

func main() {
	flag.Parse()
	if flag.NArg() > 1 || *size < 1 || *size > 1<<31 || *iters < 1 || *depth < 2 || mtus[*mtu] == 0 {
		fmt.Fprintln(os.Stderr, "rcpingpong: [-d device] [-i port] [-g index] [-p port] [-s bytes] [-m 256|512|1024|2048|4096] [-r 2...] [-n rounds] [-e] [-c] [host]")
		os.Exit(2)
	}
	defer func() {
		if err := recover(); err != nil { // Check's, after everything was closed
			fmt.Fprintln(os.Stderr, "rcpingpong:", err)
			os.Exit(1)
		}
	}()
	run(open(), flag.Arg(0))
}

func open() *verbs.Context {
	if *device != "" {
		return vt.Must(verbs.OpenDevice(*device))
	}
	devices := vt.Must(verbs.Devices())
	if len(devices) == 0 {
		panic("there is no RDMA device")
	}
	return vt.Must(devices[0].Open())
}

// run closes all that it makes, the last made first.
func run(ctx *verbs.Context, host string) {
	defer shut(ctx)
	pd := vt.Must(ctx.AllocPD())
	defer shut(pd)
	attr := verbs.CQAttr{CQE: *depth + 1}
	if *events {
		attr.Channel = vt.Must(ctx.CreateCompChannel())
		defer shut(attr.Channel)
	}
	cq := vt.Must(ctx.CreateCQ(attr))
	defer shut(cq)
	mr := vt.Must(pd.AllocMR(2**size, ibv.IBV_ACCESS_LOCAL_WRITE))
	defer shut(mr)
	p := &player{cq: cq, qp: vt.Must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: *depth}))}
	defer shut(p.qp)
	in := p.prepare(mr, host != "")

	connect := verbs.ConnectAttr{Port: *ibPort, MTU: mtus[*mtu]}
	if *gid >= 0 {
		connect.GIDIndex = gid
	}
	vt.Check(p.qp.Init(connect))
	p.receive() // the other side may send as soon as it has the address
	own := vt.Must(p.qp.Endpoint())
	show("local address: ", own)
	vt.Check(exchange(host, *port, own, func(remote verbs.Endpoint) error {
		show("remote address:", remote)
		return p.qp.Connect(remote, connect)
	}))
	start := time.Now()
	p.play(host != "", *iters)
	took, bytes := time.Since(start), int64(*size)*int64(*iters)*2
	fmt.Printf("%d bytes in %.2f seconds = %.2f Mbit/sec\n", bytes, took.Seconds(), float64(bytes)*8/1e6/took.Seconds())
	fmt.Printf("%d iters in %.2f seconds = %.2f usec/iter\n", *iters, took.Seconds(), took.Seconds()*1e6/float64(*iters))
	if *check {
		vt.Check(validate(in))
	}
}

func show(what string, e verbs.Endpoint) {
	fmt.Printf("  %s LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %v\n", what, e.LID, e.QPNum, e.PSN, e.GID)
}

var mtus = map[int]ibv.MTU{256: ibv.IBV_MTU_256, 512: ibv.IBV_MTU_512, 1024: ibv.IBV_MTU_1024, 2048: ibv.IBV_MTU_2048, 4096: ibv.IBV_MTU_4096}

func shut(c io.Closer) { vt.Check(c.Close()) }
