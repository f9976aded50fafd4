//go:build linux && cgo

package kerneltest

import (
	"slices"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// An end is how a request ends: with the status that ibv_poll_cq(3) and the InfiniBand specification (9.9, 10.7.3) have for it, or, on
// soft-RoCE, with what some kernel gives instead.
type end struct {
	right ibv.WCStatus
	rxe   []ibv.WCStatus
}

func (e end) is(s ibv.WCStatus) bool {
	return s == e.right || which() == rxe && slices.Contains(e.rxe, s)
}

// A failure is a request that cannot succeed.
type failure struct {
	name    string
	access  ibv.AccessFlags   // of both buffers
	connect verbs.ConnectAttr // of both sides
	recv    func(b *side) verbs.RecvWR
	send    func(a, b *side) verbs.SendWR
	sent    end
	came    *end // how the receive ends; nil if it stays, and the peer in IBV_QPS_RTS
}

func writing(a, b *side) verbs.SendWR {
	return verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), SGList: a.part(0, 64)}
}

func reading(a, b *side) verbs.SendWR {
	wr := writing(a, b)
	wr.Opcode = ibv.IBV_WR_RDMA_READ
	return wr
}

func sending(a, _ *side) verbs.SendWR {
	return verbs.SendWR{Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 64)}
}

// with changes what another function makes.
func with(make func(a, b *side) verbs.SendWR, change func(*verbs.SendWR)) func(a, b *side) verbs.SendWR {
	return func(a, b *side) verbs.SendWR {
		wr := make(a, b)
		change(&wr)
		return wr
	}
}

// after does something to the sides first.
func after(do func(a, b *side) error, make func(a, b *side) verbs.SendWR) func(a, b *side) verbs.SendWR {
	return func(a, b *side) verbs.SendWR {
		if err := do(a, b); err != nil {
			panic(err)
		}
		return make(a, b)
	}
}

func moving(e *side, to ibv.QPState) error {
	return e.qp.Modify(&ibv.QPAttr{QPState: to}, ibv.IBV_QP_STATE)
}

// otherKey is a key that no region has: on most devices the low eight bits are a part that changes, and the others number regions.
const otherKey = 0x5500

func badLKey(wr *verbs.SendWR)   { wr.SGList[0].LKey ^= otherKey }
func badRKey(wr *verbs.SendWR)   { wr.RKey ^= otherKey }
func beyond(wr *verbs.SendWR)    { wr.RemoteAddr += bufferSize - 8 }
func beyondOwn(wr *verbs.SendWR) { wr.SGList[0].Addr += bufferSize - 8 }

var (
	flushed      = end{right: ibv.IBV_WC_WR_FLUSH_ERR}
	remoteAccess = end{ibv.IBV_WC_REM_ACCESS_ERR, []ibv.WCStatus{ibv.IBV_WC_RETRY_EXC_ERR}} // 5.10's rxe: it does not answer
	// rxe checks the requester's own memory when it makes a packet: LOC_QP_OP on 6.1; from 6.12 on the request is flushed with the rest.
	localProtection = end{ibv.IBV_WC_LOC_PROT_ERR, []ibv.WCStatus{ibv.IBV_WC_LOC_QP_OP_ERR, ibv.IBV_WC_WR_FLUSH_ERR}}
	// rxe calls what does not fit an error of the receiver's queue, which the sender sees as REM_OP.
	tooLong     = end{ibv.IBV_WC_LOC_LEN_ERR, []ibv.WCStatus{ibv.IBV_WC_LOC_QP_OP_ERR}}
	tooLongSent = end{ibv.IBV_WC_REM_INV_REQ_ERR, []ibv.WCStatus{ibv.IBV_WC_REM_OP_ERR}}
)

var failures = []failure{
	{name: "write with a bad remote key", send: with(writing, badRKey), sent: remoteAccess, came: &flushed},
	{name: "write beyond the region", send: with(writing, beyond), sent: remoteAccess, came: &flushed},
	{name: "write that the region forbids", access: ibv.IBV_ACCESS_LOCAL_WRITE | ibv.IBV_ACCESS_REMOTE_READ, send: writing, sent: remoteAccess, came: &flushed},
	{name: "write to a region that is closed", send: after(func(_, b *side) error { return b.mr.Close() }, writing), sent: remoteAccess, came: &flushed},
	{name: "read with a bad remote key", send: with(reading, badRKey), sent: remoteAccess, came: &flushed},
	{name: "read that the region forbids", access: ibv.IBV_ACCESS_LOCAL_WRITE | ibv.IBV_ACCESS_REMOTE_WRITE, send: reading, sent: remoteAccess, came: &flushed},
	{name: "write with a bad local key", send: with(writing, badLKey), sent: localProtection},
	{name: "send with a bad local key", send: with(sending, badLKey), sent: localProtection},
	{name: "write from beyond the own region", send: with(writing, beyondOwn), sent: localProtection},
	{name: "read with a bad local key", send: with(reading, badLKey), sent: localProtection},
	{name: "send that is too long", send: sending, sent: tooLongSent, came: &tooLong,
		recv: func(b *side) verbs.RecvWR { return verbs.RecvWR{SGList: b.part(0, 63)} }},
	{name: "send of many packets that is too long", sent: tooLongSent, came: &tooLong,
		send: func(a, _ *side) verbs.SendWR { return verbs.SendWR{Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 20000)} }},
	{name: "send to a buffer with a bad key", send: sending,
		recv: func(b *side) verbs.RecvWR {
			l := b.part(0, 4096)
			l[0].LKey ^= otherKey
			return verbs.RecvWR{SGList: l}
		},
		sent: end{right: ibv.IBV_WC_REM_OP_ERR}, came: &end{ibv.IBV_WC_LOC_PROT_ERR, []ibv.WCStatus{ibv.IBV_WC_LOC_QP_OP_ERR}}}, // as tooLong
	{name: "peer in IBV_QPS_RESET", connect: verbs.ConnectAttr{Timeout: new(14), RetryCnt: new(2)},
		send: after(func(_, b *side) error { return moving(b, ibv.IBV_QPS_RESET) }, writing), sent: end{right: ibv.IBV_WC_RETRY_EXC_ERR}},
	{name: "peer in IBV_QPS_ERR", connect: verbs.ConnectAttr{Timeout: new(14), RetryCnt: new(2)},
		send: after(func(_, b *side) error { return moving(b, ibv.IBV_QPS_ERR) }, writing), sent: end{right: ibv.IBV_WC_RETRY_EXC_ERR}, came: &flushed},
	{name: "own side in IBV_QPS_ERR", send: after(func(a, _ *side) error { return moving(a, ibv.IBV_QPS_ERR) }, writing), sent: flushed},
}

// A request that cannot succeed ends with its status, signalled or not; requests behind it, and later ones, are flushed; and both sides work
// again once they have been connected anew.
func TestFailures(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			a, b := connected(t, setup{access: f.access, connect: f.connect})
			recv := verbs.RecvWR{SGList: b.part(0, 4096)}
			if f.recv != nil {
				recv = f.recv(b)
			}
			for i := range uint64(3) {
				recv.WRID = i
				ok(t, b.qp.Recv(recv))
			}
			wr := f.send(a, b)
			wr.WRID = 10
			ok(t, a.qp.Send(wr))
			wr.WRID, wr.Flags = 11, ibv.IBV_SEND_SIGNALED
			ok(t, a.qp.Send(wr))
			ends(t, a.scq, a.qp, 10, f.sent)
			ends(t, a.scq, a.qp, 11, flushed)
			f.after(t, a, b)
		})
	}
}

// ends takes a completion of a request that has failed.
func ends(t *testing.T, cq *verbs.CQ, qp *verbs.QP, wrid uint64, want end) {
	t.Helper()
	if wc := take(t, cq); wc.WRID != wrid || !want.is(wc.Status) || wc.QPNum != qp.Num() {
		t.Errorf("%d of QP %#x has ended with %v, want %d with %v (rxe: %v)", wc.WRID, wc.QPNum, wc.Status, wrid, want.right, want.rxe)
	}
}

// after looks at what a failure leaves behind.
func (f *failure) after(t *testing.T, a, b *side) {
	t.Helper()
	if f.came != nil {
		ends(t, b.rcq, b.qp, 0, *f.came)
		ends(t, b.rcq, b.qp, 1, flushed)
		ends(t, b.rcq, b.qp, 2, flushed)
		wantState(t, b.qp, ibv.IBV_QPS_ERR)
	}
	none(t, b.rcq)
	wantState(t, a.qp, ibv.IBV_QPS_ERR)
	ok(t, a.qp.Send(verbs.SendWR{WRID: 12, Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 1)}))
	ends(t, a.scq, a.qp, 12, flushed)
	reconnect(t, a, b, verbs.ConnectAttr{})
	ok(t, b.qp.Recv(verbs.RecvWR{WRID: 20}))
	ok(t, a.qp.Send(verbs.SendWR{WRID: 13, Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED}))
	done(t, a.scq, 13, ibv.IBV_WC_SEND)
	done(t, b.rcq, 20, ibv.IBV_WC_RECV)
}

// wantState asks the device, which moves a QP by itself.
func wantState(t *testing.T, qp *verbs.QP, want ibv.QPState) {
	t.Helper()
	if a, _, err := qp.Query(ibv.IBV_QP_STATE); err != nil || a.QPState != want || qp.State() != want {
		t.Errorf("%v is in %v, and State says %v, want %v; %v", qp, a.QPState, qp.State(), want, err)
	}
}

// Without a receive the peer says so until the retries are used up; with as many as it likes the request waits for one.
func TestReceiverNotReady(t *testing.T) {
	a, b := connected(t, setup{connect: verbs.ConnectAttr{RNRRetry: new(1)}})
	ok(t, a.qp.Send(verbs.SendWR{WRID: 1, Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 64)}))
	ok(t, a.qp.Send(verbs.SendWR{WRID: 2, Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 64)}))
	ends(t, a.scq, a.qp, 1, end{right: ibv.IBV_WC_RNR_RETRY_EXC_ERR})
	ends(t, a.scq, a.qp, 2, flushed)
	wantState(t, a.qp, ibv.IBV_QPS_ERR)
	wantState(t, b.qp, ibv.IBV_QPS_RTS)

	reconnect(t, a, b, verbs.ConnectAttr{})
	ok(t, a.qp.Send(verbs.SendWR{WRID: 3, Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED, SGList: a.part(0, 64)}))
	none(t, a.scq)
	ok(t, b.qp.Recv(verbs.RecvWR{WRID: 4, SGList: b.part(0, 64)}))
	done(t, b.rcq, 4, ibv.IBV_WC_RECV)
	done(t, a.scq, 3, ibv.IBV_WC_SEND)
}

// Receives that are posted end in their order when the QP is put into IBV_QPS_ERR, and those that are posted then, too.
func TestFlush(t *testing.T) {
	a, b := connected(t, setup{})
	for i := range uint64(3) {
		ok(t, a.qp.Recv(verbs.RecvWR{WRID: i, SGList: a.part(0, 64)}))
	}
	none(t, a.rcq)
	ok(t, moving(a, ibv.IBV_QPS_ERR))
	for i := range uint64(3) {
		ends(t, a.rcq, a.qp, i, flushed)
	}
	ok(t, a.qp.Recv(verbs.RecvWR{WRID: 3}))
	if which() == rxe { // it gets to know of receives by messages and changes of state only
		ok(t, moving(a, ibv.IBV_QPS_ERR))
	}
	ends(t, a.rcq, a.qp, 3, flushed)
	wantState(t, b.qp, ibv.IBV_QPS_RTS)
}
