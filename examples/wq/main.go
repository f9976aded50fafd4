// Command wq takes work queues through their life: created, made ready, filled across an indirection table, put into error, flushed,
// destroyed. It does so on the software device, or with -d on a real one, to which no packets are injected.
package main

import (
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

const (
	queues  = 4    // a power of two
	posted  = 4    // receives in each
	room    = 2048 // bytes for each
	headers = 42   // of Ethernet, IPv4 and UDP
)

func main() {
	name := flag.String("d", "", "the RDMA device to use; none: the software device")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "wq: there are no arguments but -d NAME")
		os.Exit(2)
	}
	defer func() {
		if err := recover(); err != nil { // Check's, after everything was closed
			fmt.Fprintln(os.Stderr, "wq:", err)
			os.Exit(1)
		}
	}()
	if *name != "" {
		live(os.Stdout, vt.Must(verbs.OpenDevice(*name)), nil)
		return
	}
	soft := vt.Must(vt.Open(vt.Config{}))
	defer shut(soft)
	live(os.Stdout, vt.Must(soft.Open()), soft)
}

// live closes all that it makes, the last made first.
func live(w io.Writer, ctx *verbs.Context, soft *vt.Device) {
	defer shut(ctx)
	pd := vt.Must(ctx.AllocPD())
	defer shut(pd)
	mr := vt.Must(pd.AllocMR(queues*posted*room, ibv.IBV_ACCESS_LOCAL_WRITE))
	defer shut(mr)
	cq := vt.Must(ctx.CreateCQ(verbs.CQAttr{CQE: queues * posted}))
	defer shut(cq)
	wqs := make([]*verbs.WQ, queues)
	for i := range wqs {
		wqs[i] = vt.Must(ctx.CreateWQ(verbs.WQAttr{MaxWR: posted, MaxSGE: 1, PD: pd, CQ: cq}))
		defer shut(wqs[i])
		fmt.Fprintf(w, "%v: max_wr %d, max_sge %d; %v", wqs[i], wqs[i].MaxWR(), wqs[i].MaxSGE(), wqs[i].State())
		vt.Check(wqs[i].Modify(verbs.WQModify{State: new(ibv.IBV_WQS_RDY)}))
		for id := i * posted; id < (i+1)*posted; id++ { // a buffer for each receive
			vt.Check(wqs[i].Recv(verbs.RecvWR{WRID: uint64(id), SGList: []ibv.SGE{vt.Must(mr.SGE(id*room, room))}}))
		}
		fmt.Fprintf(w, " -> %v, %d receives posted\n", wqs[i].State(), posted)
	}
	table := vt.Must(ctx.CreateRWQIndTable(wqs...))
	defer shut(table)
	fields := ibv.IBV_RX_HASH_SRC_IPV4 | ibv.IBV_RX_HASH_DST_IPV4 | ibv.IBV_RX_HASH_SRC_PORT_UDP | ibv.IBV_RX_HASH_DST_PORT_UDP
	qp := vt.Must(pd.CreateRSSQP(verbs.RSSAttr{Table: table, Fields: fields}))
	defer shut(qp)
	fmt.Fprintf(w, "%v spreads over %v\n", qp, table)

	for i := range 8 {
		if soft == nil {
			break // packets come by flow rules there
		}
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{66, 9, 149, 187}), uint16(2794+i))
		to := netip.AddrPortFrom(netip.AddrFrom4([4]byte{161, 142, 100, 80}), 1766)
		hash, entry, err := soft.Inject(qp, vt.UDPFrame(from, to, fmt.Appendf(nil, "packet %d", i)))
		vt.Check(err)
		fmt.Fprintf(w, "packet %d from %v: hash %#08x, entry %d\n", i, from, hash, entry)
		drain(w, cq, mr)
	}
	fmt.Fprintf(w, "closing a queue in use: %v\n", wqs[0].Close())
	for _, wq := range wqs {
		vt.Check(wq.Modify(verbs.WQModify{State: new(ibv.IBV_WQS_ERR)}))
		fmt.Fprintf(w, "%v -> %v\n", wq, wq.State())
		drain(w, cq, mr)
	}
}

// drain prints each completion that is there.
func drain(w io.Writer, cq *verbs.CQ, mr *verbs.MR) {
	wc := make([]ibv.WC, 4)
	for n := vt.Must(cq.Poll(wc)); n > 0; n = vt.Must(cq.Poll(wc)) {
		for _, wc := range wc[:n] {
			if err := wc.Err(); err != nil {
				fmt.Fprintf(w, "    %v\n", err)
				continue
			}
			at := int(wc.WRID) * room
			fmt.Fprintf(w, "    wr_id %d of wq %#06x: %v, %v, %d bytes: %q\n", wc.WRID, wc.QPNum, wc.Opcode, wc.WCFlags, wc.ByteLen,
				mr.Bytes()[at+headers:at+int(wc.ByteLen)])
		}
	}
}

func shut(c io.Closer) { vt.Check(c.Close()) }
