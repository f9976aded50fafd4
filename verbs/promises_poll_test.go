//go:build linux && cgo

package verbs

import (
	"encoding/binary"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/softdev"
)

// passed gives completions to a device and returns what polling makes of them.
func passed(t testing.TB, d *softdev.Device, q *CQ, sent ...ibv.WC) []ibv.WC {
	t.Helper()
	for i := range sent {
		ok(t, d.Complete(q.raw, &sent[i], false))
	}
	return poll(t, q, len(sent))
}

// The numbers of enum ibv_wc_status and ibv_wc_opcode, and their names, as infiniband/verbs.h has them.
var (
	statusNames = []string{
		"IBV_WC_SUCCESS", "IBV_WC_LOC_LEN_ERR", "IBV_WC_LOC_QP_OP_ERR", "IBV_WC_LOC_EEC_OP_ERR", "IBV_WC_LOC_PROT_ERR", "IBV_WC_WR_FLUSH_ERR",
		"IBV_WC_MW_BIND_ERR", "IBV_WC_BAD_RESP_ERR", "IBV_WC_LOC_ACCESS_ERR", "IBV_WC_REM_INV_REQ_ERR", "IBV_WC_REM_ACCESS_ERR", "IBV_WC_REM_OP_ERR",
		"IBV_WC_RETRY_EXC_ERR", "IBV_WC_RNR_RETRY_EXC_ERR", "IBV_WC_LOC_RDD_VIOL_ERR", "IBV_WC_REM_INV_RD_REQ_ERR", "IBV_WC_REM_ABORT_ERR",
		"IBV_WC_INV_EECN_ERR", "IBV_WC_INV_EEC_STATE_ERR", "IBV_WC_FATAL_ERR", "IBV_WC_RESP_TIMEOUT_ERR", "IBV_WC_GENERAL_ERR", "IBV_WC_TM_ERR",
		"IBV_WC_TM_RNDV_INCOMPLETE",
	}
	opcodeNames = map[ibv.WCOpcode]string{
		0: "IBV_WC_SEND", 1: "IBV_WC_RDMA_WRITE", 2: "IBV_WC_RDMA_READ", 3: "IBV_WC_COMP_SWAP", 4: "IBV_WC_FETCH_ADD", 5: "IBV_WC_BIND_MW",
		6: "IBV_WC_LOCAL_INV", 7: "IBV_WC_TSO", 8: "IBV_WC_FLUSH", 9: "IBV_WC_ATOMIC_WRITE", 128: "IBV_WC_RECV", 129: "IBV_WC_RECV_RDMA_WITH_IMM",
		130: "IBV_WC_TM_ADD", 131: "IBV_WC_TM_DEL", 132: "IBV_WC_TM_SYNC", 133: "IBV_WC_TM_RECV", 134: "IBV_WC_TM_NO_TAG", 135: "IBV_WC_DRIVER1",
		136: "IBV_WC_DRIVER2", 137: "IBV_WC_DRIVER3",
	}
)

// Each of the 24 statuses, and one that nobody knows, is an error with a name of its own, success alone is none, and none passes for an
// errno value, or prints as one.
func TestEachStatusIsItself(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	var sent []ibv.WC
	for i := range statusNames {
		sent = append(sent, ibv.WC{Status: ibv.WCStatus(i)})
	}
	got := passed(t, d, q, append(sent, ibv.WC{Status: 99})...)
	for i, name := range append(slices.Clone(statusNames), "WCStatus(99)") {
		wc := &got[i]
		if wc.Status.String() != name {
			t.Errorf("status %d is called %v, want %s", i, wc.Status, name)
		}
		err := wc.Err()
		if i == 0 {
			if err != nil {
				t.Errorf("success is %v", err)
			}
			continue
		}
		var e *ibv.CompletionError
		if !errors.As(err, &e) || e.Status != wc.Status || !strings.Contains(err.Error(), name) {
			t.Errorf("status %d gives %v, want one that names %s", i, err, name)
			continue
		}
		errno := syscall.Errno(wc.Status)
		if errors.Is(err, errno) || errors.As(err, new(syscall.Errno)) || strings.Contains(err.Error(), errno.Error()) {
			t.Errorf("%v passes for the errno value %d, %v", err, errno, errno)
		}
	}
}

// Each of the 20 opcodes, and one that nobody knows, arrives under its own name. All with the bit of IBV_WC_RECV, and no others, have to do
// with receiving; IsRecv tells those that have used a buffer up, and nothing of one that has failed.
func TestEachOpcodeIsItself(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	received := []ibv.WCOpcode{128, 129, 133, 134} // IBV_WC_RECV, RECV_RDMA_WITH_IMM, TM_RECV, TM_NO_TAG
	if len(opcodeNames) != 20 {
		t.Fatal(len(opcodeNames))
	}
	for opcode, name := range opcodeNames {
		got := passed(t, d, q, ibv.WC{Opcode: opcode}, ibv.WC{Opcode: opcode, Status: ibv.IBV_WC_WR_FLUSH_ERR})
		if got[0].Opcode != opcode || got[0].Opcode.String() != name {
			t.Errorf("opcode %d is %v, want %s", opcode, got[0].Opcode, name)
		}
		if bit := got[0].Opcode&ibv.IBV_WC_RECV != 0; bit != (opcode >= 128) {
			t.Errorf("%s: the receive bit is %v", name, bit)
		}
		if got[0].IsRecv() != slices.Contains(received, opcode) || got[1].IsRecv() {
			t.Errorf("%s: IsRecv is %v, and %v of one that has failed", name, got[0].IsRecv(), got[1].IsRecv())
		}
	}
	if wc := passed(t, d, q, ibv.WC{Opcode: 77})[0]; wc.Opcode.String() != "WCOpcode(77)" || wc.IsRecv() || wc.Err() != nil {
		t.Errorf("%v, %v", wc.Opcode, wc.IsRecv())
	}
}

// Each flag is the bit that verbs.h has for it, and arrives alone; without any there is nothing to read.
func TestEachFlagIsItself(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	for bit, name := range []string{
		"IBV_WC_GRH", "IBV_WC_WITH_IMM", "IBV_WC_IP_CSUM_OK", "IBV_WC_WITH_INV", "IBV_WC_TM_SYNC_REQ", "IBV_WC_TM_MATCH", "IBV_WC_TM_DATA_VALID", "0x80",
	} {
		wc := passed(t, d, q, ibv.WC{Opcode: ibv.IBV_WC_RECV, WCFlags: 1 << bit})[0]
		if wc.WCFlags != 1<<bit || wc.WCFlags.String() != name {
			t.Errorf("bit %d is %v, want %s", bit, wc.WCFlags, name)
		}
		_, imm := wc.ImmData()
		_, key := wc.InvalidatedRKey()
		if imm != (bit == 1) || key != (bit == 3) {
			t.Errorf("%s: immediate %v, invalidated key %v", name, imm, key)
		}
	}
	wc := passed(t, d, q, ibv.WC{Opcode: ibv.IBV_WC_RECV, ByteLen: 5})[0]
	if wc.WCFlags != 0 || wc.ByteLen != 5 {
		t.Errorf("%+v", wc)
	}
	if v, has := wc.ImmData(); has || v != 0 {
		t.Errorf("immediate %#x without the flag", v)
	}
	if v, has := wc.InvalidatedRKey(); has || v != 0 {
		t.Errorf("key %#x without the flag", v)
	}
}

// Immediate data and an invalidated key share their place: never both, whatever the device says. The key is the machine's number, the
// immediate data the wire's.
func TestImmediateDataAndKeyAreNeverBoth(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	for flags := range ibv.WCFlags(1 << 8) {
		sent := ibv.WC{Opcode: ibv.IBV_WC_RECV, WCFlags: flags}
		place := (*[4]byte)(unsafe.Add(unsafe.Pointer(&sent), 24)) // offset in struct ibv_wc
		*place = [4]byte{0x01, 0x02, 0x03, 0x04}
		wc := passed(t, d, q, sent)[0]
		imm, hasImm := wc.ImmData()
		key, hasKey := wc.InvalidatedRKey()
		if hasImm != (flags&(2|8) == 2) || hasKey != (flags&(2|8) == 8) {
			t.Errorf("%v: immediate %v, key %v", flags, hasImm, hasKey)
		}
		if hasImm && imm != 0x01020304 || !hasImm && imm != 0 {
			t.Errorf("%v: immediate %#x", flags, imm)
		}
		if want := binary.NativeEndian.Uint32(place[:]); hasKey && key != want || !hasKey && key != 0 {
			t.Errorf("%v: key %#x, want %#x", flags, key, want)
		}
	}
}

// After a failure wr_id, status, qp_num and vendor_err are valid, and nothing else is told, whatever rubbish the device has left there.
func TestFailureTellsFourFields(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 64, false)
	for status := 1; status < len(statusNames); status++ {
		sent := ibv.WC{
			WRID: math.MaxUint64 - 1, Status: ibv.WCStatus(status), VendorErr: 0x81, QPNum: 0x123456, // valid
			Opcode: ibv.IBV_WC_RECV, ByteLen: 0xdeadbeef, SrcQP: 0xdead, WCFlags: math.MaxUint32, PKeyIndex: 0xdead, SLID: 0xdead, SL: 0xde, DLIDPathBits: 0xad,
		}
		*(*uint32)(unsafe.Add(unsafe.Pointer(&sent), 24)) = 0xdeadbeef
		for _, flags := range []ibv.WCFlags{math.MaxUint32, ibv.IBV_WC_WITH_IMM, ibv.IBV_WC_WITH_INV} {
			sent.WCFlags = flags
			wc := passed(t, d, q, sent)[0]
			var e *ibv.CompletionError
			if !errors.As(wc.Err(), &e) || *e != (ibv.CompletionError{WRID: math.MaxUint64 - 1, Status: ibv.WCStatus(status), QPNum: 0x123456, VendorErr: 0x81}) {
				t.Errorf("%v", wc.Err())
			}
			imm, hasImm := wc.ImmData()
			key, hasKey := wc.InvalidatedRKey()
			if hasImm || hasKey || imm != 0 || key != 0 || wc.IsRecv() {
				t.Errorf("%v with %v: immediate %#x %v, key %#x %v, receive %v", sent.Status, flags, imm, hasImm, key, hasKey, wc.IsRecv())
			}
			if text := wc.Err().Error(); strings.Contains(text, "dead") || strings.Contains(text, "IBV_WC_RECV") {
				t.Errorf("%q tells what is not valid", text)
			}
		}
	}
}

// What ibv_poll_cq(3) restricts to some kinds of QP is said to be so where the field or flag is declared.
func TestRestrictedFieldsSaySo(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../verbs_generated.go", nil, parser.ParseComments)
	ok(t, err)
	docs := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, isStruct := n.Type.(*ast.StructType); isStruct && n.Name.Name == "WC" {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						docs[name.Name] = f.Doc.Text()
					}
				}
			}
		case *ast.ValueSpec:
			docs[n.Names[0].Name] = n.Doc.Text()
		}
		return true
	})
	for name, words := range map[string][]string{
		"SrcQP": {"UD"}, "PKeyIndex": {"general services interface", "only"}, "DLIDPathBits": {"UD", "not multicast"}, "SLID": {"UD"}, "SL": {"UD"},
		"IBV_WC_GRH": {"UD"}, "WCFlags": {"success only"}, "Opcode": {"success only"}, "IBV_WC_WITH_INV": {"IBV_WC_WITH_IMM"},
		"WRID": {"whatever the status"}, "QPNum": {"whatever the status"}, "VendorErr": {"error"},
	} {
		text := strings.Join(strings.Fields(docs[name]), " ")
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s is explained by %q, without %q", name, text, word)
			}
		}
	}
	// An RC QP has none of it.
	p := testPair(t, QPAttr{}, ConnectAttr{})
	ok(t, p.b.Recv(RecvWR{WRID: 1, SGList: sge(p.mrb, 0, 100)}))
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, SGList: sge(p.mra, 0, 60)}))
	wc := one(t, p.b.RecvCQ(), 1, ibv.IBV_WC_SUCCESS)
	if wc.WCFlags&ibv.IBV_WC_GRH != 0 || wc.ByteLen != 60 { // a GRH would be 40 more
		t.Errorf("%+v", wc)
	}
}

// sum is the Internet checksum of RFC 1071.
func sum(parts ...[]byte) uint16 {
	s := uint32(0)
	for _, p := range parts {
		for ; len(p) > 1; p = p[2:] {
			s += uint32(binary.BigEndian.Uint16(p))
		}
		if len(p) > 0 {
			s += uint32(p[0]) << 8
		}
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return ^uint16(s)
}

// checked is a frame of UDP over IPv4 with both checksums.
func checked() []byte {
	f := frame(netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("6.7.8.9:10"), 17, "payload")
	ip, udp := f[14:34], f[34:]
	binary.BigEndian.PutUint16(udp[6:], sum(ip[12:20], []byte{0, 17, 0, byte(len(udp))}, udp))
	return f
}

// IBV_WC_IP_CSUM_OK says that both checksums are right, and comes only from a device that says that it verifies them.
func TestChecksumFlagOnlyWhereTheDeviceSaysSo(t *testing.T) {
	all := ibv.IBV_RAW_PACKET_CAP_CVLAN_STRIPPING | ibv.IBV_RAW_PACKET_CAP_SCATTER_FCS | ibv.IBV_RAW_PACKET_CAP_IP_CSUM | ibv.IBV_RAW_PACKET_CAP_DELAY_DROP
	for _, c := range []struct {
		config softdev.Config
		able   bool
	}{
		{softdev.Config{}, true}, {softdev.Config{RawPacketCaps: uint32(ibv.IBV_RAW_PACKET_CAP_IP_CSUM)}, true},
		{softdev.Config{RawPacketCaps: uint32(all &^ ibv.IBV_RAW_PACKET_CAP_IP_CSUM)}, false}, {softdev.Config{NoRawPacket: true}, false},
	} {
		w := testWQs(t, c.config)
		if says := must(w.c.QueryDeviceEx()).RawPacketCaps&ibv.IBV_RAW_PACKET_CAP_IP_CSUM != 0; says != c.able {
			t.Errorf("%+v: the device says %v", c.config, says)
		}
		q := w.wq(t)
		qp := w.rss(t, q)
		for name, spoil := range map[string]int{"right": -1, "wrong in IPv4's header": 14 + 10, "wrong in UDP": 34 + 6, "wrong payload": 34 + 9} {
			f := checked()
			if spoil >= 0 {
				f[spoil] ^= 0x40
			}
			wc := w.arrive(t, q, qp, f)
			if flag, want := wc.WCFlags&ibv.IBV_WC_IP_CSUM_OK != 0, c.able && spoil < 0; flag != want {
				t.Errorf("%+v, %s: IBV_WC_IP_CSUM_OK is %v, want %v", c.config, name, flag, want)
			}
		}
	}
}

// An overrun raises the queue's event, which comes with its handle; what is queued can still be had, and then there is ErrCQOverrun for good,
// by every way to ask. Another queue has no part in it.
func TestOverrunIsToldAndStays(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
	q, other := testCQ(t, c, 3, true), testCQ(t, c, 3, true)
	push(t, d, q, 1, 2, 3)
	push(t, d, other, 9)
	for range 2 {
		if err := d.Complete(q.raw, &ibv.WC{WRID: 4}, false); !errors.Is(err, syscall.EOVERFLOW) {
			t.Fatal(err)
		}
	}
	if e := nextEvent(t, c); e.Type != ibv.IBV_EVENT_CQ_ERR || e.CQ != q || e.Object != q.String() {
		t.Errorf("%+v", e)
	}
	wc := make([]ibv.WC, 2)
	for _, want := range [][]uint64{{1, 2}, {3}} {
		if n, err := q.Poll(wc); err != nil || !slices.Equal(ids(wc[:n]), want) {
			t.Errorf("%v, %v, want %v", ids(wc[:n]), err, want)
		}
	}
	if n, err := q.Poll(wc); n != 0 || !errors.Is(err, ErrCQOverrun) {
		t.Errorf("%d, %v", n, err)
	}
	for range 3 {
		push(t, d, q, 5) // soft-RoCE goes on; completions were lost all the same
		_, e1 := q.Poll(wc)
		_, e2 := q.PollSpin(wc, 0)
		_, e3 := q.Wait(t.Context(), wc)
		_, e4 := q.WaitSolicited(t.Context(), wc)
		var e5 error
		for batch, err := range q.All(t.Context()) {
			if e5 = err; batch != nil {
				t.Errorf("%v after the overrun", ids(batch))
			}
		}
		for i, err := range []error{e1, e2, e3, e4, e5} {
			if !errors.Is(err, ErrCQOverrun) {
				t.Errorf("way %d: %v", i, err)
			}
			wantError(t, err, "ibv_poll_cq", q.String(), 0)
		}
		for n := 1; n > 0; { // room for the next one
			n = takeRaw(t, q)
		}
	}
	if n, err := other.Poll(wc); n != 1 || err != nil || wc[0].WRID != 9 {
		t.Errorf("the other queue: %d, %v", n, err)
	}
	if n, err := other.Poll(wc); n != 0 || err != nil {
		t.Errorf("the other queue: %d, %v", n, err)
	}
}

// One call of the verb for each batch, by every way to poll, whatever the batch's size.
func TestOneCallForEachBatch(t *testing.T) {
	d, c := testDevice(t)
	q := testCQ(t, c, 1024, true)
	wc := make([]ibv.WC, 128)
	for name, take := range map[string]func([]ibv.WC) (int, error){
		"Poll":          q.Poll,
		"PollSpin":      func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, time.Millisecond) },
		"Wait":          func(wc []ibv.WC) (int, error) { return q.Wait(t.Context(), wc) },
		"WaitSolicited": func(wc []ibv.WC) (int, error) { return q.WaitSolicited(t.Context(), wc) },
	} {
		for _, n := range []int{1, 2, 16, 127, 128} {
			push(t, d, q, make([]uint64, n)...)
			before := calls(t, d, "poll_cq")
			if got, err := take(wc); got != n || err != nil {
				t.Errorf("%s: %d of %d, %v", name, got, n, err)
			}
			if got := calls(t, d, "poll_cq") - before; got != 1 {
				t.Errorf("%s: %d calls for %d completions", name, got, n)
			}
		}
	}
	push(t, d, q, make([]uint64, 64*3)...)
	before, batches := calls(t, d, "poll_cq"), 0
	for wc, err := range q.All(t.Context()) {
		if batches++; err != nil || len(wc) != 64 {
			t.Errorf("%d, %v", len(wc), err)
		}
		if batches == 3 {
			break
		}
	}
	if got := calls(t, d, "poll_cq") - before; got != 3 {
		t.Errorf("All: %d calls for 3 batches", got)
	}
}

// Goroutines that wait, poll and spin at the same time get each completion once, and none is left.
func TestPollersAndWaitersLoseNothing(t *testing.T) {
	d, c := testDevice(t)
	const total = 5000
	q := testCQ(t, c, total+1, true)
	var mu sync.Mutex
	seen := make(map[uint64]int)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i, take := range []func([]ibv.WC) (int, error){
		q.Poll, func(wc []ibv.WC) (int, error) { return q.PollSpin(wc, time.Microsecond) },
		func(wc []ibv.WC) (int, error) { return q.Wait(t.Context(), wc) }, func(wc []ibv.WC) (int, error) { return q.Wait(t.Context(), wc) },
	} {
		wg.Go(func() {
			for wc := make([]ibv.WC, 1+3*i); ; {
				n, err := take(wc)
				if errors.Is(err, ErrClosed) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, id := range ids(wc[:n]) {
					if seen[id]++; len(seen) == total && seen[id] == 1 {
						close(done)
					}
				}
				mu.Unlock()
			}
		})
	}
	for i := range uint64(total) {
		push(t, d, q, i)
	}
	soon(t, "polling", func() { <-done })
	ok(t, q.Close())
	soon(t, "the pollers", wg.Wait)
	for id, n := range seen {
		if n != 1 {
			t.Errorf("completion %d was seen %d times", id, n)
		}
	}
}

// takeRaw takes what is in a queue past this package.
func takeRaw(t testing.TB, q *CQ) int {
	t.Helper()
	wc := make([]ibv.WC, 16)
	return must(cverbs.PollCQ(q.Raw(), 16, &wc[0]))
}
