//go:build linux && cgo

package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

const signaled = ibv.IBV_SEND_SIGNALED

// Each opcode moves its bytes, and both sides learn what the manual promises.
func TestOpcodesEndToEnd(t *testing.T) {
	p := testPair(t, QPAttr{MaxInlineData: 64}, ConnectAttr{})
	text := []byte("what is sent arrives as it is")
	n := len(text)
	for _, c := range []struct {
		name   string
		wr     SendWR
		recv   bool
		opcode ibv.WCOpcode // of the sender's completion
		got    ibv.WCOpcode // of the receiver's
		flags  ibv.WCFlags
	}{
		{name: "send", wr: SendWR{Opcode: ibv.IBV_WR_SEND}, recv: true, opcode: ibv.IBV_WC_SEND, got: ibv.IBV_WC_RECV},
		{name: "send with immediate", wr: SendWR{Opcode: ibv.IBV_WR_SEND_WITH_IMM, ImmData: 0x01020304}, recv: true, opcode: ibv.IBV_WC_SEND, got: ibv.IBV_WC_RECV, flags: ibv.IBV_WC_WITH_IMM},
		{name: "write", wr: SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE}, opcode: ibv.IBV_WC_RDMA_WRITE},
		{name: "write with immediate", wr: SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE_WITH_IMM, ImmData: 0xfffefdfc}, recv: true, opcode: ibv.IBV_WC_RDMA_WRITE, got: ibv.IBV_WC_RECV_RDMA_WITH_IMM, flags: ibv.IBV_WC_WITH_IMM},
		{name: "read", wr: SendWR{Opcode: ibv.IBV_WR_RDMA_READ}, opcode: ibv.IBV_WC_RDMA_READ},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := p.mra, p.mrb
			if c.wr.Opcode == ibv.IBV_WR_RDMA_READ {
				from, to = to, from
			}
			clear(to.Bytes())
			copy(from.Bytes()[100:], text)
			if c.recv {
				ok(t, p.b.Recv(RecvWR{WRID: 7, SGList: sge(p.mrb, 0, n)}))
			}
			c.wr.WRID, c.wr.Flags, c.wr.SGList = 1<<63|5, signaled, sge(p.mra, 100, n)
			c.wr.RemoteAddr, c.wr.RKey = p.mrb.Addr()+100, p.mrb.RKey()
			at := 0
			if c.wr.Opcode != ibv.IBV_WR_SEND && c.wr.Opcode != ibv.IBV_WR_SEND_WITH_IMM {
				at = 100
			}
			ok(t, p.a.Send(c.wr))
			wc := one(t, p.a.SendCQ(), 1<<63|5, ibv.IBV_WC_SUCCESS)
			if wc.Opcode != c.opcode || wc.QPNum != p.a.Num() {
				t.Errorf("sender's completion is %v of QP %#x", wc.Opcode, wc.QPNum)
			}
			if c.wr.Opcode == ibv.IBV_WR_RDMA_READ && wc.ByteLen != uint32(n) {
				t.Errorf("%d bytes read, want %d", wc.ByteLen, n)
			}
			if !bytes.Equal(to.Bytes()[at:at+n], text) {
				t.Errorf("%q", to.Bytes()[at:at+n])
			}
			if !c.recv {
				poll(t, p.b.RecvCQ(), 0)
				return
			}
			r := one(t, p.b.RecvCQ(), 7, ibv.IBV_WC_SUCCESS)
			if r.Opcode != c.got || r.ByteLen != uint32(n) || r.QPNum != p.b.Num() || r.WCFlags != c.flags {
				t.Errorf("receiver's completion %+v", r)
			}
			if imm, has := r.ImmData(); has != (c.flags != 0) || imm != c.wr.ImmData {
				t.Errorf("immediate %#x, %v; want %#x", imm, has, c.wr.ImmData)
			}
			poll(t, p.b.SendCQ(), 0)
		})
	}
}

// Immediate data that is given in host order is in the request and in the completion most significant byte first.
func TestImmediateWireOrder(t *testing.T) {
	r := must(NewSendRequests(1, 0, 0))
	ok(t, r.Set(0, SendWR{WRID: 1, Opcode: ibv.IBV_WR_SEND_WITH_IMM, Flags: signaled, ImmData: 0x01020304}))
	// imm_data is at 36 of struct ibv_send_wr.
	raw := (*[128]byte)(unsafe.Pointer(r.At(0)))
	if got := raw[36:40]; !bytes.Equal(got, []byte{1, 2, 3, 4}) {
		t.Errorf("in the request: % x", got)
	}
	p := testPair(t, QPAttr{}, ConnectAttr{})
	ok(t, p.b.Recv(RecvWR{}))
	if n, err := p.a.PostSend(r); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	wc := poll(t, p.b.RecvCQ(), 1)
	// imm_data is at 24 of struct ibv_wc.
	if got := (*[48]byte)(unsafe.Pointer(&wc[0]))[24:28]; !bytes.Equal(got, []byte{1, 2, 3, 4}) {
		t.Errorf("in the completion: % x", got)
	}
	if imm, has := wc[0].ImmData(); !has || imm != 0x01020304 {
		t.Errorf("%#x, %v", imm, has)
	}
}

// A send with invalidate names the key to the receiver, and the key does not work any more; nor does one after a local invalidation.
func TestInvalidate(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	gone := closing(t, must(p.pd.AllocMR(4096, pairAccess)))
	ok(t, p.b.Recv(RecvWR{WRID: 1}))
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND_WITH_INV, Flags: signaled, InvalidateRKey: gone.RKey()}))
	one(t, p.a.SendCQ(), 0, ibv.IBV_WC_SUCCESS)
	wc := one(t, p.b.RecvCQ(), 1, ibv.IBV_WC_SUCCESS)
	if key, has := wc.InvalidatedRKey(); !has || key != gone.RKey() {
		t.Errorf("key %#x, %v; want %#x", key, has, gone.RKey())
	}
	local := closing(t, must(p.pd.AllocMR(4096, pairAccess)))
	ok(t, p.b.Send(SendWR{Opcode: ibv.IBV_WR_LOCAL_INV, Flags: signaled, InvalidateRKey: local.RKey()}))
	if wc := one(t, p.b.SendCQ(), 0, ibv.IBV_WC_SUCCESS); wc.Opcode != ibv.IBV_WC_LOCAL_INV {
		t.Errorf("%v", wc.Opcode)
	}
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_RDMA_READ, SGList: sge(p.mra, 0, 8), RemoteAddr: gone.Addr(), RKey: gone.RKey()}))
	one(t, p.a.SendCQ(), 0, ibv.IBV_WC_REM_ACCESS_ERR)
}

// Inline data is copied when it is posted: from Go memory by Send, from a chain by SetInline, from anywhere by IBV_SEND_INLINE.
func TestInline(t *testing.T) {
	p := testPair(t, QPAttr{MaxInlineData: 32}, ConnectAttr{})
	r := must(NewSendRequests(2, 0, 32))
	ok(t, r.Set(0, SendWR{Opcode: ibv.IBV_WR_SEND}))
	ok(t, r.SetInline(0, []byte("chain")))
	ok(t, r.Set(1, SendWR{Opcode: ibv.IBV_WR_SEND}))
	ok(t, r.SetInline(1, nil))
	for i := range uint64(4) {
		ok(t, p.b.Recv(RecvWR{WRID: i, SGList: sge(p.mrb, int(i)*100, 100)}))
	}
	data := []byte("stack")
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, Inline: data, Flags: signaled}))
	clear(data)
	if n, err := p.a.PostSend(r); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	// No key is needed.
	s := sge(p.mra, 0, 3)
	s[0].LKey = 0xdead
	copy(p.mra.Bytes(), "any")
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, SGList: s, Flags: ibv.IBV_SEND_INLINE}))
	wc := poll(t, p.b.RecvCQ(), 4)
	for i, want := range []string{"stack", "chain", "", "any"} {
		if got := string(p.mrb.Bytes()[i*100:][:wc[i].ByteLen]); got != want || wc[i].Err() != nil {
			t.Errorf("message %d is %q, %v; want %q", i, got, wc[i].Err(), want)
		}
	}
	for _, n := range []int{33, 64} {
		calls := calls(t, p.d, "post_send")
		err := p.a.Send(SendWR{Inline: make([]byte, int(p.a.Cap().MaxInlineData)+n)})
		wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL, fmt.Sprint(p.a.Cap().MaxInlineData), "MaxInlineData")
		if p.calls(t, "post_send") != calls {
			t.Error("the device was asked")
		}
	}
	big := closing(t, must(p.pd.AllocMR(1<<12, 0)))
	err := p.a.Send(SendWR{SGList: []ibv.SGE{big.All()}, Flags: ibv.IBV_SEND_INLINE})
	wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL, "4096 bytes of inline data")
	wantError(t, p.a.Send(SendWR{Inline: []byte{1}, SGList: s}), "ibv_post_send", "", syscall.EINVAL, "inline data and a list")
}

func (p *pair) calls(t testing.TB, verb string) int { return calls(t, p.d, verb) }

// A message is gathered from several elements and scattered to several.
func TestGatherAndScatter(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendSGE: 3, MaxRecvSGE: 2}, ConnectAttr{})
	for i := range 100 {
		p.mra.Bytes()[i] = byte(i)
	}
	ok(t, p.b.Recv(RecvWR{SGList: append(sge(p.mrb, 0, 5), sge(p.mrb, 50, 20)...)}))
	list := append(append(sge(p.mra, 90, 3), sge(p.mra, 0, 4)...), sge(p.mra, 50, 2)...)
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, SGList: list}))
	if wc := one(t, p.b.RecvCQ(), 0, ibv.IBV_WC_SUCCESS); wc.ByteLen != 9 {
		t.Errorf("%d bytes", wc.ByteLen)
	}
	if got := append(append([]byte(nil), p.mrb.Bytes()[:5]...), p.mrb.Bytes()[50:54]...); !bytes.Equal(got, []byte{90, 91, 92, 0, 1, 2, 3, 50, 51}) {
		t.Errorf("%v", got)
	}
	max := int(p.a.Cap().MaxSendSGE)
	if max < 3 {
		t.Fatalf("max_send_sge %d", max)
	}
	wantError(t, p.a.Send(SendWR{SGList: make([]ibv.SGE, max+1)}), "ibv_post_send", p.a.String(), syscall.EINVAL, fmt.Sprintf("%d elements", max+1), fmt.Sprintf("allows %d", max))
	wantError(t, p.b.Recv(RecvWR{SGList: make([]ibv.SGE, 20)}), "ibv_post_recv", p.b.String(), syscall.EINVAL, "20 elements")
	chain := must(NewSendRequests(3, 20, 0))
	ok(t, chain.Set(1, SendWR{SGList: make([]ibv.SGE, 17)}))
	n, err := p.a.PostSend(chain)
	wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL, "request 1 has 17 elements")
	if n != 0 {
		t.Errorf("%d posted", n)
	}
	// One that has had more, and has not any longer, is no reason.
	ok(t, chain.Set(1, SendWR{SGList: sge(p.mra, 0, 1)}))
	if n, err := p.a.PostSend(chain); n != 3 || err != nil {
		t.Error(n, err)
	}
	rchain := must(NewRecvRequests(2, 20))
	ok(t, rchain.Set(1, RecvWR{SGList: make([]ibv.SGE, 17)}))
	n, err = p.b.PostRecv(rchain)
	wantError(t, err, "ibv_post_recv", p.b.String(), syscall.EINVAL, "request 1 has 17 elements")
	if n != 0 {
		t.Errorf("%d posted", n)
	}
}

// Requests that fail end with the status that the manual has for the reason, and only the four valid fields are in the error. Both QPs end
// as they should, and what follows is flushed.
func TestErrorCompletions(t *testing.T) {
	for _, c := range []struct {
		name       string
		wr         func(t *testing.T, p *pair) SendWR
		recv       func(p *pair) []ibv.SGE // nil: none posted
		here       ibv.WCStatus
		there      ibv.WCStatus // of the receive; success: it has none
		connect    ConnectAttr
		thereError bool // the other side's QP ends in ERR
	}{
		{name: "own key", wr: func(t *testing.T, p *pair) SendWR {
			return SendWR{Opcode: ibv.IBV_WR_SEND, SGList: []ibv.SGE{{Addr: p.mra.Addr(), Length: 8, LKey: 0xbad00}}}
		}, here: ibv.IBV_WC_LOC_PROT_ERR},
		{name: "own bounds", wr: func(t *testing.T, p *pair) SendWR {
			return SendWR{Opcode: ibv.IBV_WR_SEND, SGList: []ibv.SGE{{Addr: p.mra.Addr() + 1<<16 - 4, Length: 8, LKey: p.mra.LKey()}}}
		}, here: ibv.IBV_WC_LOC_PROT_ERR},
		{name: "too long for the receiver", wr: func(t *testing.T, p *pair) SendWR { return SendWR{Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 9)} },
			recv: func(p *pair) []ibv.SGE { return sge(p.mrb, 0, 8) }, here: ibv.IBV_WC_REM_INV_REQ_ERR, there: ibv.IBV_WC_LOC_LEN_ERR, thereError: true},
		{name: "receiver's key", wr: func(t *testing.T, p *pair) SendWR { return SendWR{Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 9)} },
			recv: func(p *pair) []ibv.SGE { return []ibv.SGE{{Addr: p.mrb.Addr(), Length: 99, LKey: 0xbad00}} },
			here: ibv.IBV_WC_REM_OP_ERR, there: ibv.IBV_WC_LOC_PROT_ERR, thereError: true},
		{name: "remote key", wr: func(t *testing.T, p *pair) SendWR {
			return SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 9), RemoteAddr: p.mrb.Addr(), RKey: 0xbad00}
		}, here: ibv.IBV_WC_REM_ACCESS_ERR, thereError: true},
		{name: "remote bounds", wr: func(t *testing.T, p *pair) SendWR {
			return SendWR{Opcode: ibv.IBV_WR_RDMA_READ, SGList: sge(p.mra, 0, 9), RemoteAddr: p.mrb.Addr() + 1<<16 - 8, RKey: p.mrb.RKey()}
		}, here: ibv.IBV_WC_REM_ACCESS_ERR, thereError: true},
		{name: "memory without access", wr: func(t *testing.T, p *pair) SendWR {
			m := closing(t, must(p.pd.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE)))
			return SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 9), RemoteAddr: m.Addr(), RKey: m.RKey()}
		}, here: ibv.IBV_WC_REM_ACCESS_ERR, thereError: true},
		{name: "QP without access", wr: func(t *testing.T, p *pair) SendWR {
			return SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 9), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey()}
		}, connect: ConnectAttr{Access: ibv.IBV_ACCESS_REMOTE_READ}, here: ibv.IBV_WC_REM_INV_REQ_ERR, thereError: true},
		{name: "no reads", wr: func(t *testing.T, p *pair) SendWR {
			return SendWR{Opcode: ibv.IBV_WR_RDMA_READ, SGList: sge(p.mra, 0, 9), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey()}
		}, connect: ConnectAttr{MaxDestRdAtomic: new(0)}, here: ibv.IBV_WC_REM_INV_REQ_ERR, thereError: true},
		{name: "receiver not ready", wr: func(t *testing.T, p *pair) SendWR { return SendWR{Opcode: ibv.IBV_WR_SEND} }, connect: ConnectAttr{RNRRetry: new(0), MinRNRTimer: new(1)},
			here: ibv.IBV_WC_RNR_RETRY_EXC_ERR},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testPair(t, QPAttr{}, c.connect)
			if c.recv != nil {
				ok(t, p.b.Recv(RecvWR{WRID: 70, SGList: c.recv(p)}))
				ok(t, p.b.Recv(RecvWR{WRID: 71}))
			}
			wr := c.wr(t, p)
			wr.WRID = 1
			// Not signalled: an error completes all the same.
			ok(t, p.a.Send(wr))
			eventually(t, "completion", func() bool { q := must(p.peek(t, p.a)); return q == ibv.IBV_QPS_ERR })
			ok(t, p.a.Send(SendWR{WRID: 2}))
			wc := poll(t, p.a.SendCQ(), 2)
			if wc[0].WRID != 1 || wc[0].Status != c.here || wc[1].WRID != 2 || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR {
				t.Errorf("%d %v, %d %v; want 1 %v, 2 flushed", wc[0].WRID, wc[0].Status, wc[1].WRID, wc[1].Status, c.here)
			}
			want := ibv.CompletionError{WRID: 1, Status: c.here, QPNum: p.a.Num(), VendorErr: wc[0].VendorErr}
			var e *ibv.CompletionError
			if !errors.As(wc[0].Err(), &e) || *e != want {
				t.Errorf("%v, want %v", e, want)
			}
			if c.recv != nil {
				wc := poll(t, p.b.RecvCQ(), 2)
				if wc[0].WRID != 70 || wc[0].Status != c.there || wc[1].WRID != 71 || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR {
					t.Errorf("there: %d %v, %d %v; want 70 %v, 71 flushed", wc[0].WRID, wc[0].Status, wc[1].WRID, wc[1].Status, c.there)
				}
			}
			if s := must(p.peek(t, p.b)); (s == ibv.IBV_QPS_ERR) != c.thereError {
				t.Errorf("the other side is in %v", s)
			}
		})
	}
}

// peek asks the device for a QP's state.
func (p *pair) peek(t testing.TB, q *QP) (ibv.QPState, error) {
	attr, _, err := q.Query(ibv.IBV_QP_STATE)
	if err != nil {
		t.Fatal(err)
	}
	return attr.QPState, nil
}

// Any status that a device may end a request with arrives as it is, with its vendor's code.
func TestInjectedStatuses(t *testing.T) {
	for status := ibv.IBV_WC_LOC_LEN_ERR; status <= ibv.IBV_WC_GENERAL_ERR; status++ {
		p := testPair(t, QPAttr{}, ConnectAttr{})
		p.d.FailNextSend(p.a.Raw(), status, uint32(status)+1000)
		ok(t, p.a.Send(SendWR{WRID: uint64(status)}))
		if wc := one(t, p.a.SendCQ(), uint64(status), status); wc.VendorErr != uint32(status)+1000 {
			t.Errorf("%v: vendor_err %d", status, wc.VendorErr)
		}
	}
}

// Posts in the wrong state are refused without asking the device; in ERR they are accepted and flushed.
func TestPostInEachState(t *testing.T) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	p.a, p.b = p.qp(t, QPAttr{}), p.qp(t, QPAttr{})
	before := p.calls(t, "post_send") + p.calls(t, "post_recv")
	wantError(t, p.a.Recv(RecvWR{}), "ibv_post_recv", p.a.String(), syscall.EINVAL, "IBV_QPS_RESET")
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.String(), syscall.EINVAL, "IBV_QPS_RESET")
	ok(t, p.a.Init(ConnectAttr{}))
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.String(), syscall.EINVAL, "IBV_QPS_INIT")
	ok(t, p.a.Recv(RecvWR{WRID: 3}))
	if after := p.calls(t, "post_send") + p.calls(t, "post_recv"); after != before+1 {
		t.Errorf("%d calls", after-before)
	}
	ea, eb := must(p.a.Endpoint()), must(p.b.Endpoint())
	ok(t, p.d.Fail("modify_qp", softdev.Fault{Skip: 1, Errno: syscall.EINVAL}))
	err := p.a.Connect(eb, ConnectAttr{})
	wantError(t, err, "ibv_modify_qp", p.a.String(), syscall.EINVAL, "from IBV_QPS_RTR to IBV_QPS_RTS")
	if s := p.a.State(); s != ibv.IBV_QPS_RTR {
		t.Fatal(s)
	}
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.String(), syscall.EINVAL, "IBV_QPS_RTR")
	ok(t, p.a.Connect(eb, ConnectAttr{}))
	ok(t, p.b.Connect(ea, ConnectAttr{}))
	ok(t, p.b.Send(SendWR{Opcode: ibv.IBV_WR_SEND, Flags: signaled}))
	one(t, p.a.RecvCQ(), 3, ibv.IBV_WC_SUCCESS)
	ok(t, p.a.Recv(RecvWR{WRID: 4}))
	ok(t, p.a.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_ERR}, ibv.IBV_QP_STATE))
	ok(t, p.a.Send(SendWR{WRID: 5}))
	ok(t, p.a.Recv(RecvWR{WRID: 6}))
	one(t, p.a.SendCQ(), 5, ibv.IBV_WC_WR_FLUSH_ERR)
	if wc := poll(t, p.a.RecvCQ(), 2); wc[0].WRID != 4 || wc[1].WRID != 6 || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR {
		t.Errorf("%+v", wc)
	}
}

// However a provider says that there is no room, it is ErrQueueFull and ENOMEM; other errno values are what they are, and a success that
// took only a part is none.
func TestPostErrorForms(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	for _, c := range []struct {
		value int
		errno syscall.Errno
		want  syscall.Errno
		full  bool
	}{
		{12, 0, syscall.ENOMEM, true}, {-12, 0, syscall.ENOMEM, true}, {-1, syscall.ENOMEM, syscall.ENOMEM, true},
		{22, 0, syscall.EINVAL, false}, {-22, 0, syscall.EINVAL, false}, {-1, syscall.EINVAL, syscall.EINVAL, false},
		{5, 0, syscall.EIO, false}, {-1, 0, syscall.Errno(1), false}, {95, 0, syscall.EOPNOTSUPP, false},
	} {
		for verb, f := range map[string]func() error{
			"ibv_post_send": func() error { return p.a.Send(SendWR{}) },
			"ibv_post_recv": func() error { return p.a.Recv(RecvWR{}) },
		} {
			before := p.d.Objects()
			ok(t, p.d.Fail(verb, softdev.Fault{Value: c.value, Errno: c.errno, NoErrno: c.errno == 0}))
			err := f()
			wantError(t, err, verb, p.a.String(), c.want)
			if errors.Is(err, ErrQueueFull) != c.full || errors.Is(err, ErrNotSupported) != (c.want == syscall.EOPNOTSUPP) {
				t.Errorf("%d with errno %d: %v", c.value, c.errno, err)
			}
			if p.d.Objects() != before {
				t.Errorf("%v", p.d.Objects())
			}
		}
	}
	// Nothing was accounted for what was refused.
	r := must(NewSendRequests(16, 0, 0))
	if n, err := p.a.PostSend(r); n != 16 || err != nil {
		t.Error(n, err)
	}
}

// The first refused request is named, those before it are under way, and the rest can be posted once more.
func TestFirstRefusedRequest(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	r := must(NewSendRequests(5, 1, 0))
	for i := range 5 {
		ok(t, r.Set(i, SendWR{WRID: uint64(i), Opcode: ibv.IBV_WR_RDMA_WRITE, Flags: signaled, SGList: sge(p.mra, 0, 1), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey()}))
	}
	r.At(3).Opcode = 99
	n, err := p.a.PostSend(r)
	wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL, "request 3 of 5")
	if n != 3 {
		t.Fatalf("%d accepted", n)
	}
	for i, wc := range poll(t, p.a.SendCQ(), 3) {
		if wc.WRID != uint64(i) || wc.Err() != nil {
			t.Errorf("%d: %v", wc.WRID, wc.Err())
		}
	}
	rr := must(NewRecvRequests(20, 1))
	m, err := p.b.PostRecv(rr)
	wantError(t, err, "ibv_post_recv", p.b.String(), syscall.ENOMEM, "request 16 of 20")
	if m != 16 || !errors.Is(err, ErrQueueFull) {
		t.Errorf("%d accepted, %v", m, err)
	}
}

// What is no chain is refused, and one of no requests is nothing.
func TestPostNothing(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	calls := p.calls(t, "post_send") + p.calls(t, "post_recv")
	for _, r := range []*SendRequests{nil, {}} {
		_, err := p.a.PostSend(r)
		wantError(t, err, "ibv_post_send", p.a.String(), syscall.EINVAL, "no requests")
	}
	for _, r := range []*RecvRequests{nil, {}} {
		_, err := p.a.PostRecv(r)
		wantError(t, err, "ibv_post_recv", p.a.String(), syscall.EINVAL, "no requests")
	}
	r, rr := must(NewSendRequests(3, 0, 0)), must(NewRecvRequests(3, 0))
	ok(t, r.SetLen(0))
	ok(t, rr.SetLen(0))
	if n, err := p.a.PostSend(r); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := p.a.PostRecv(rr); n != 0 || err != nil {
		t.Error(n, err)
	}
	if p.calls(t, "post_send")+p.calls(t, "post_recv") != calls {
		t.Error("the device was asked")
	}
}

// Posting and polling make no garbage.
func TestPostAllocations(t *testing.T) {
	if instrumented {
		t.Skip("instruments allocate")
	}
	p := testPair(t, QPAttr{MaxSendSGE: 2}, ConnectAttr{})
	s, r := must(NewSendRequests(4, 1, 0)), must(NewRecvRequests(4, 1))
	for i := range 4 {
		ok(t, s.Set(i, SendWR{Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 8), Flags: signaled}))
		ok(t, r.Set(i, RecvWR{SGList: sge(p.mrb, 0, 8)}))
	}
	part, wc := must(p.mra.SGE(0, 8)), make([]ibv.WC, 8)
	if n := testing.AllocsPerRun(200, func() {
		a, e1 := p.b.PostRecv(r)
		b, e2 := p.a.PostSend(s)
		e3 := p.b.Recv(RecvWR{WRID: 1, SGList: []ibv.SGE{part}})
		e4 := p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, WRID: 1, SGList: []ibv.SGE{part, part}[:1], Flags: signaled})
		c, e5 := p.a.SendCQ().Poll(wc)
		d, e6 := p.b.RecvCQ().Poll(wc)
		if a != 4 || b != 4 || c != 5 || d != 5 || e1 != nil || e2 != nil || e3 != nil || e4 != nil || e5 != nil || e6 != nil {
			t.Fatal(a, b, c, d, e1, e2, e3, e4, e5, e6)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Any number of goroutines posts to one QP, polls, and one closes it: each request is accepted or refused, once.
func TestPostBesideClose(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 64, MaxRecvWR: 1024}, ConnectAttr{})
	q := p.a
	var wg sync.WaitGroup
	var mu sync.Mutex
	accepted, polled := 0, 0
	for range 3 {
		wg.Go(func() {
			for {
				err := q.Send(SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, Flags: signaled, SGList: sge(p.mra, 0, 1), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey()})
				if errors.Is(err, ErrClosed) {
					return
				}
				mu.Lock()
				if err == nil {
					accepted++
				} else if !errors.Is(err, ErrQueueFull) {
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		wc := make([]ibv.WC, 16)
		for {
			n, err := q.SendCQ().Poll(wc)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			polled += n
			enough := polled > 2000
			mu.Unlock()
			if enough {
				ok(t, q.Close())
				return
			}
		}
	})
	wg.Wait()
	if polled > accepted {
		t.Errorf("%d polled of %d", polled, accepted)
	}
	if err := q.Send(SendWR{}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// A success that names a refused request took those before it only, and is an error without an errno value; a place that is none of the
// chain's tells nothing, so that nothing is counted any more.
func TestSuccessThatTookAPart(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 8}, ConnectAttr{})
	r := must(NewSendRequests(6, 0, 0))
	s := p.a.sq
	n, err := s.rejected(r, 0, r.At(2))
	wantError(t, err, "ibv_post_send", p.a.String(), 0, "only a part", "request 2 of 6")
	if n != 2 || s.Posted != 2 || errors.Is(err, ErrQueueFull) {
		t.Errorf("%d, %v", n, err)
	}
	n, err = s.rejected(r, syscall.ENOMEM, nil)
	if n != 0 || s.Posted != 2 || !errors.Is(err, ErrQueueFull) {
		t.Errorf("%d, %v", n, err)
	}
	other := must(NewSendRequests(1, 0, 0))
	n, err = s.rejected(r, syscall.EINVAL, other.At(0))
	if n != 0 || !s.off || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%d, %v", n, err)
	}
}

// What the device refuses is named by its opcode, and counted only if there are several.
func TestRefusedRequestsHaveTheirOpcode(t *testing.T) {
	p := testPair(t, QPAttr{MaxInlineData: 16}, ConnectAttr{})
	for _, c := range []struct {
		wr   SendWR
		text string
	}{
		{SendWR{Opcode: ibv.IBV_WR_ATOMIC_FETCH_AND_ADD}, "IBV_WR_ATOMIC_FETCH_AND_ADD: likely the device does not have it"},
		{SendWR{Opcode: 99}, "99"},
		{SendWR{Opcode: ibv.IBV_WR_RDMA_READ, Inline: []byte("x")}, "IBV_WR_RDMA_READ with IBV_SEND_INLINE"}, // the table in ibv_post_send(3)
	} {
		err := p.a.Send(c.wr)
		wantError(t, err, "ibv_post_send", p.a.name, syscall.EINVAL, c.text)
		if strings.Contains(err.Error(), "of 1") {
			t.Error(err)
		}
	}
	r := must(NewSendRequests(3, 0, 0))
	ok(t, r.Set(1, SendWR{Opcode: ibv.IBV_WR_BIND_MW}))
	n, err := p.a.PostSend(r)
	wantError(t, err, "ibv_post_send", p.a.name, syscall.EINVAL, "request 1 of 3", "IBV_WR_BIND_MW")
	if n != 1 {
		t.Error(n)
	}
	ok(t, p.d.Fail("post_recv", softdev.Fault{Errno: syscall.ENOMEM}))
	wantError(t, p.a.Recv(RecvWR{}), "ibv_post_recv", p.a.name, syscall.ENOMEM, "queue is full", "QPAttr.MaxRecvWR")
}

// A queue full of requests of which none is signalled stays full, since it is completions that free places: ibv_post_send(3).
func TestFullOfUnsignalled(t *testing.T) {
	const stuck = "no completion will free them: none of the requests there has IBV_SEND_SIGNALED"
	p := testPair(t, QPAttr{MaxSendWR: 4}, ConnectAttr{})
	places := int(p.a.Cap().MaxSendWR)
	for range places {
		ok(t, p.a.Send(SendWR{}))
	}
	wantError(t, p.a.Send(SendWR{}), "ibv_post_send", p.a.name, syscall.ENOMEM, "queue is full", stuck)
	n, err := p.b.PostSend(must(NewSendRequests(places+1, 0, 0)))
	wantError(t, err, "ibv_post_send", p.b.name, syscall.ENOMEM, fmt.Sprintf("request %d has no room", places), stuck)
	if n != places {
		t.Error(n)
	}
	// One that is signalled frees those before it.
	q := p.qp(t, QPAttr{MaxSendWR: 4})
	ok(t, q.Connect(must(q.Endpoint()), ConnectAttr{}))
	for i := range places {
		flags := ibv.SendFlags(0)
		if i == 1 {
			flags = signaled
		}
		ok(t, q.Send(SendWR{Flags: flags}))
	}
	if err := q.Send(SendWR{}); !errors.Is(err, ErrQueueFull) || !strings.Contains(err.Error(), "until completions are polled") {
		t.Error(err)
	}
	poll(t, q.SendCQ(), 1)
	ok(t, q.Send(SendWR{}))
}

// A QP that was made without places for sends says that, and not that they are taken.
func TestNoPlaces(t *testing.T) {
	_, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	cq := testCQ(t, c, 1, false)
	q := closing(t, must(closing(t, must(c.AllocPD())).CreateQP(QPAttr{SendCQ: cq, RecvCQ: cq})))
	ok(t, q.Connect(must(q.Endpoint()), ConnectAttr{}))
	wantError(t, q.Send(SendWR{}), "ibv_post_send", q.name, syscall.ENOMEM, "no places: see QPAttr.MaxSendWR")
}

// A chain that has room for its beginning only is whole again afterwards.
func TestChainIsWholeAfterAPart(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 8}, ConnectAttr{})
	r := must(NewSendRequests(12, 0, 0))
	ok(t, r.Signal(7, true))
	for range 2 {
		n, err := p.a.PostSend(r)
		wantError(t, err, "ibv_post_send", p.a.String(), syscall.ENOMEM, "request 8 has no room: all 8 places")
		if n != 8 || !errors.Is(err, ErrQueueFull) {
			t.Fatal(n, err)
		}
		for i := range 11 {
			if r.At(i).Next != r.At(i+1) {
				t.Fatalf("request %d is not followed by the next", i)
			}
		}
		poll(t, p.a.SendCQ(), 1)
	}
}

// An event of a QP comes with its handle.
func TestQPEventHasItsHandle(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	ok(t, p.d.RaiseQP(p.b.Raw(), ibv.IBV_EVENT_SQ_DRAINED))
	soon(t, "event", func() {
		for e, err := range p.c.AsyncEvents(t.Context()) {
			if err != nil || e.QP != p.b || e.Object != p.b.String() {
				t.Errorf("%+v, %v", e, err)
			}
			break
		}
	})
}
