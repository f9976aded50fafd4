//go:build linux && cgo

package kerneltest

import (
	"bytes"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

const message = "across two queues"

// An operation is one of an RC QP that succeeds: it brings the message from 0 of the own buffer to 1024 of the peer's, or the other way if
// it reads.
type operation struct {
	name   string
	wr     verbs.SendWR
	sent   ibv.WCOpcode
	recv   bool         // it uses up a receive, which completes with
	came   ibv.WCOpcode // this
	placed bool         // the receive says where it goes, not the sender
	reads  bool
}

var operations = []operation{
	{name: "send", wr: verbs.SendWR{Opcode: ibv.IBV_WR_SEND}, sent: ibv.IBV_WC_SEND, recv: true, came: ibv.IBV_WC_RECV, placed: true},
	{name: "send with immediate", wr: verbs.SendWR{Opcode: ibv.IBV_WR_SEND_WITH_IMM, ImmData: 0x01020304}, sent: ibv.IBV_WC_SEND, recv: true, came: ibv.IBV_WC_RECV, placed: true},
	{name: "write", wr: verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE}, sent: ibv.IBV_WC_RDMA_WRITE},
	{name: "write with immediate", wr: verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE_WITH_IMM, ImmData: 0x01020304}, sent: ibv.IBV_WC_RDMA_WRITE, recv: true, came: ibv.IBV_WC_RECV_RDMA_WITH_IMM},
	{name: "read", wr: verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_READ}, sent: ibv.IBV_WC_RDMA_READ, reads: true},
}

// How the data is given.
var forms = []struct {
	name string
	set  func(wr *verbs.SendWR, from *side)
}{
	{"one element", func(wr *verbs.SendWR, from *side) { wr.SGList = from.part(0, len(message)) }},
	{"three elements", func(wr *verbs.SendWR, from *side) {
		wr.SGList = append(append(from.part(0, 3), from.part(3, 0)...), from.part(3, len(message)-3)...)
	}},
	{"inline", func(wr *verbs.SendWR, _ *side) { wr.Inline = []byte(message) }},
}

func TestOperations(t *testing.T) {
	a, b := connected(t, setup{qp: verbs.QPAttr{MaxInlineData: 64, MaxSendSGE: 3}})
	everyOperation(t, a, b)
}

// everyOperation does each from one side to the other, its data given in each form.
func everyOperation(t *testing.T, from, to *side) {
	t.Helper()
	id := uint64(0)
	for _, o := range operations {
		for _, form := range forms {
			if o.reads && form.name == "inline" {
				continue // there is nothing to be sent
			}
			t.Run(o.name+"/"+form.name, func(t *testing.T) {
				o := o
				id++
				o.wr.WRID = id
				form.set(&o.wr, from)
				o.run(t, from, to)
			})
		}
	}
}

// run posts the operation from one side to the other, and looks at the completions and at what has arrived where.
func (o operation) run(t *testing.T, from, to *side) {
	t.Helper()
	source, target := from.mr.Bytes(), to.mr.Bytes()[1024:2048]
	if o.reads {
		source, target = to.mr.Bytes()[1024:], from.mr.Bytes()[:1024]
	}
	clear(from.mr.Bytes())
	clear(to.mr.Bytes())
	copy(source, message)
	if o.recv {
		wr := verbs.RecvWR{WRID: 1<<32 | o.wr.WRID}
		if o.placed {
			wr.SGList = to.part(1024, 1024)
		}
		ok(t, to.qp.Recv(wr))
	}
	o.wr.Flags |= ibv.IBV_SEND_SIGNALED
	o.wr.RemoteAddr, o.wr.RKey = to.mr.Addr()+1024, to.mr.RKey()
	ok(t, from.qp.Send(o.wr))
	wc := done(t, from.scq, o.wr.WRID, o.sent)
	if wc.QPNum != from.qp.Num() {
		t.Errorf("of QP %#x, want %#x", wc.QPNum, from.qp.Num())
	}
	if o.recv {
		o.received(t, done(t, to.rcq, 1<<32|o.wr.WRID, o.came), to)
	}
	none(t, to.rcq)
	none(t, from.scq)
	if want := append([]byte(message), make([]byte, 1024-len(message))...); !bytes.Equal(target, want) {
		t.Errorf("%.40q has arrived, want %q and zeroes", target, message)
	}
}

func (o operation) received(t *testing.T, wc ibv.WC, to *side) {
	t.Helper()
	if !wc.IsRecv() || int(wc.ByteLen) != len(message) || wc.QPNum != to.qp.Num() {
		t.Errorf("received: %+v", wc)
	}
	if imm, with := wc.ImmData(); imm != o.wr.ImmData || with != (imm != 0) {
		t.Errorf("immediate %#x, %v; want %#x", imm, with, o.wr.ImmData)
	}
}
