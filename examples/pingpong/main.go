// Command pingpong sends a message to and fro between two queue pairs, and draws how long that took. Both are on the software device, or
// with -d on a real one.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

func main() {
	name := flag.String("d", "", "the RDMA device to use; none: the software device")
	rounds := flag.Int("n", 20000, "number of round trips")
	size := flag.Int("s", 64, "bytes of a message")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 || *rounds > 1e8 || *size < 1 || *size > 1<<31 { // no message is longer
		fmt.Fprintln(os.Stderr, "pingpong: -n has to be 1 to 100000000, -s 1 to 2147483648, and there are no other arguments")
		os.Exit(2)
	}
	defer func() {
		if err := recover(); err != nil { // Check's, after everything was closed
			fmt.Fprintln(os.Stderr, "pingpong:", err)
			os.Exit(1)
		}
	}()
	open := func() (*verbs.Context, error) { return verbs.OpenDevice(*name) }
	if *name == "" {
		soft := vt.Must(vt.Open(vt.Config{}))
		defer shut(soft)
		open = soft.Open
	}
	play(os.Stdout, vt.Must(open()), *rounds, *size)
}

// A side has a queue pair, a CQ for each of its queues, and a buffer for each direction.
type side struct {
	qp           *verbs.QP
	sends, recvs *verbs.CQ
	in, out      []ibv.SGE
	wc           []ibv.WC
}

// play closes all that it makes, the last made first.
func play(w io.Writer, ctx *verbs.Context, rounds, size int) {
	defer shut(ctx)
	pd := vt.Must(ctx.AllocPD())
	defer shut(pd)
	a, b := &side{wc: make([]ibv.WC, 1)}, &side{wc: make([]ibv.WC, 1)}
	for _, s := range []*side{a, b} {
		s.sends, s.recvs = vt.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 1})), vt.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 1}))
		defer shut(s.sends)
		defer shut(s.recvs)
		mr := vt.Must(pd.AllocMR(2*size, ibv.IBV_ACCESS_LOCAL_WRITE))
		defer shut(mr)
		s.in, s.out = []ibv.SGE{vt.Must(mr.SGE(0, size))}, []ibv.SGE{vt.Must(mr.SGE(size, size))}
		s.qp = vt.Must(pd.CreateQP(verbs.QPAttr{SendCQ: s.sends, RecvCQ: s.recvs, MaxSendWR: 1, MaxRecvWR: 1}))
		defer shut(s.qp)
	}
	vt.Check(a.qp.Connect(vt.Must(b.qp.Endpoint()), verbs.ConnectAttr{}))
	vt.Check(b.qp.Connect(vt.Must(a.qp.Endpoint()), verbs.ConnectAttr{}))
	fmt.Fprintf(w, "%v and %v are connected\n", a.qp, b.qp)
	took := make([]time.Duration, rounds)
	for i := range took {
		vt.Check(a.qp.Recv(verbs.RecvWR{SGList: a.in}))
		vt.Check(b.qp.Recv(verbs.RecvWR{SGList: b.in}))
		start := time.Now()
		send(a, b, uint32(2*i))
		send(b, a, uint32(2*i+1))
		took[i] = time.Since(start)
	}
	draw(w, took, size)
}

// send sends a numbered message, and waits for its completion on both sides.
func send(from, to *side, number uint32) {
	vt.Check(from.qp.Send(verbs.SendWR{Opcode: ibv.IBV_WR_SEND_WITH_IMM, ImmData: number, Flags: ibv.IBV_SEND_SIGNALED, SGList: from.out}))
	for _, cq := range [...]*verbs.CQ{from.sends, to.recvs} {
		for vt.Must(cq.PollSpin(to.wc, 0)) == 0 {
		}
		vt.Check(to.wc[0].Err())
	}
	if imm, _ := to.wc[0].ImmData(); imm != number {
		panic(fmt.Sprintf("message %d came as %d", number, imm))
	}
}

// draw prints a histogram of round trips with four bars for each doubling, without the slowest and the fastest thousandth.
func draw(w io.Writer, took []time.Duration, size int) {
	slices.Sort(took)
	at := func(q float64) time.Duration { return took[int(q*float64(len(took)-1))] }
	fmt.Fprintf(w, "%d round trips of %d bytes: median %v, 99%% %v, 99.9%% %v, longest %v\n", len(took), size, at(.5), at(.99), at(.999), at(1))
	bars, most := map[int]int{}, 0
	bar := func(t time.Duration) int { return int(4 * math.Log2(float64(max(t, 1)))) }
	for _, t := range took {
		bars[bar(t)]++
		most = max(most, bars[bar(t)])
	}
	for b := bar(at(.001)); b <= bar(at(.999)); b++ {
		fmt.Fprintf(w, "%8v %7d %s\n", time.Duration(math.Exp2(float64(b)/4)), bars[b], strings.Repeat("#", (50*bars[b]+most-1)/most))
	}
}

func shut(c io.Closer) { vt.Check(c.Close()) }
