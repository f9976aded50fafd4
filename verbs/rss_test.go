//go:build linux && cgo

package verbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// frame is an Ethernet frame with a UDP or TCP header.
func frame(src, dst netip.AddrPort, protocol byte, payload string) []byte {
	l4 := make([]byte, 8, 64)
	if protocol == 6 {
		l4 = make([]byte, 20, 64)
		l4[12] = 5 << 4
	}
	binary.BigEndian.PutUint16(l4, src.Port())
	binary.BigEndian.PutUint16(l4[2:], dst.Port())
	if protocol == 17 {
		binary.BigEndian.PutUint16(l4[4:], uint16(8+len(payload)))
	}
	l4 = append(l4, payload...)
	f := append(make([]byte, 12), 0x08, 0x00)
	if src.Addr().Is6() {
		f[12], f[13] = 0x86, 0xdd
		ip := append(make([]byte, 8), append(src.Addr().AsSlice(), dst.Addr().AsSlice()...)...)
		ip[0], ip[6], ip[7] = 6<<4, protocol, 64
		binary.BigEndian.PutUint16(ip[4:], uint16(len(l4)))
		return append(append(f, ip...), l4...)
	}
	ip := append(make([]byte, 12), append(src.Addr().AsSlice(), dst.Addr().AsSlice()...)...)
	ip[0], ip[8], ip[9] = 0x45, 64, protocol
	binary.BigEndian.PutUint16(ip[2:], uint16(20+len(l4)))
	sum := uint32(0)
	for i := 0; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(ip[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum))
	return append(append(f, ip...), l4...)
}

// Published Toeplitz values of Microsoft's "Verifying the RSS Hash Calculation", by addresses alone and with TCP ports.
var toeplitz = []struct {
	src, dst     string
	alone, ports uint32
}{
	{"66.9.149.187:2794", "161.142.100.80:1766", 0x323e8fc2, 0x51ccc178},
	{"199.92.111.2:14230", "65.69.140.83:4739", 0xd718262a, 0xc626b0ea},
	{"24.19.198.95:12898", "12.22.207.184:38024", 0xd2d0a5de, 0x5c2b394a},
	{"38.27.205.30:48228", "209.142.163.6:2217", 0x82989176, 0xafc7327f},
	{"153.39.163.191:44251", "202.188.127.2:1303", 0x5d1809c5, 0x10e828a2},
	{"[3ffe:2501:200:1fff::7]:2794", "[3ffe:2501:200:3::1]:1766", 0x2cc18cd5, 0x40207d3d},
	{"[3ffe:501:8::260:97ff:fe40:efab]:14230", "[ff02::1]:4739", 0x0f0c461c, 0xdde51bbf},
	{"[3ffe:1900:4545:3:200:f8ff:fe21:67cf]:44251", "[fe80::200:f8ff:fe21:67cf]:38024", 0x4b61e985, 0x02d1feef},
}

const (
	hash4   = ibv.IBV_RX_HASH_SRC_IPV4 | ibv.IBV_RX_HASH_DST_IPV4
	hash6   = ibv.IBV_RX_HASH_SRC_IPV6 | ibv.IBV_RX_HASH_DST_IPV6
	hashTCP = ibv.IBV_RX_HASH_SRC_PORT_TCP | ibv.IBV_RX_HASH_DST_PORT_TCP
)

// Packets go to the WQ that the published hash of their addresses and ports selects, and complete in its CQ with its number.
func TestRSSAgreesWithPublishedHashes(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	var wqs []*WQ
	for range 8 {
		q := w.wq(t)
		for i := range uint64(8) {
			ok(t, q.Recv(RecvWR{WRID: i, SGList: sge(w.mr, len(wqs)*4096, 2048)}))
		}
		wqs = append(wqs, q)
	}
	table := closing(t, must(w.c.CreateRWQIndTable(wqs...)))
	for _, fields := range []ibv.RxHashFields{hash4, hash6, hash4 | hashTCP, hash6 | hashTCP} {
		qp := must(w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: fields}))
		for _, v := range toeplitz {
			src, dst := netip.MustParseAddrPort(v.src), netip.MustParseAddrPort(v.dst)
			f := frame(src, dst, 6, "payload")
			want := uint32(0)
			if src.Addr().Is4() == (fields&hash4 != 0) {
				want = v.alone
				if fields&hashTCP != 0 {
					want = v.ports
				}
			} else if fields&hashTCP != 0 {
				continue // ports alone: nothing was published
			}
			hash, entry, err := w.d.Inject(qp.Raw(), f)
			if err != nil || hash != want || entry != int(want%8) {
				t.Fatalf("%v %s: hash %#x, entry %d, %v; want %#x", fields, v.src, hash, entry, err, want)
			}
			wc := poll(t, w.cq, 1)[0]
			if wc.Err() != nil || wc.Opcode != ibv.IBV_WC_RECV || wc.QPNum != wqs[want%8].Num() || wc.ByteLen != uint32(len(f)) ||
				!bytes.Equal(w.mr.Bytes()[want%8*4096:][:len(f)], f) {
				t.Errorf("%+v", wc)
			}
			ok(t, wqs[want%8].Recv(RecvWR{SGList: sge(w.mr, int(want%8)*4096, 2048)}))
		}
		ok(t, qp.Close())
	}
}

// Many flows spread evenly: no WQ has less than half of its share, or more than twice.
func TestRSSSpreads(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	wqs := []*WQ{w.wq(t), w.wq(t), w.wq(t), w.wq(t)}
	table := closing(t, must(w.c.CreateRWQIndTable(wqs...)))
	key := make([]byte, 40)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range key {
		key[i] = byte(rng.Uint32())
	}
	qp := closing(t, must(w.pd.CreateRSSQP(RSSAttr{Table: table, Key: key, Fields: hash4 | ibv.IBV_RX_HASH_SRC_PORT_UDP | ibv.IBV_RX_HASH_DST_PORT_UDP})))
	clear(key) // it was copied
	counts := map[uint32]int{}
	for i := range 2000 {
		for _, q := range wqs {
			if i == 0 {
				ok(t, q.Recv(RecvWR{SGList: sge(w.mr, 0, 2048)}))
			}
		}
		src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), uint16(rng.Uint32()))
		if _, _, err := w.d.Inject(qp.Raw(), frame(src, netip.MustParseAddrPort("10.1.1.1:4791"), 17, "x")); err != nil {
			t.Fatal(err)
		}
		wc := poll(t, w.cq, 1)[0]
		counts[wc.QPNum]++
		for _, q := range wqs {
			if q.Num() == wc.QPNum {
				ok(t, q.Recv(RecvWR{SGList: sge(w.mr, 0, 2048)}))
			}
		}
	}
	for _, q := range wqs {
		if n := counts[q.Num()]; n < 250 || n > 1000 {
			t.Errorf("%d of 2000 packets for one of 4 WQs", n)
		}
	}
}

// A table needs a power of two of WQs, of one context; it may have one several times, and holds them.
func TestIndirectionTable(t *testing.T) {
	w, other := testWQs(t, softdev.Config{}), testWQs(t, softdev.Config{})
	a, b, foreign := w.wq(t), w.wq(t), other.wq(t)
	before := w.d.Objects()
	for _, wqs := range [][]*WQ{nil, {a, b, a}, {a, nil}, {a, foreign}, {foreign}, make([]*WQ, 7)} {
		n := calls(t, w.d, "create_rwq_ind_table")
		_, err := w.c.CreateRWQIndTable(wqs...)
		wantError(t, err, "ibv_create_rwq_ind_table", "softdev0", syscall.EINVAL)
		if calls(t, w.d, "create_rwq_ind_table") != n {
			t.Error("the device was asked")
		}
	}
	many := make([]*WQ, 1<<12)
	for i := range many {
		many[i] = a
	}
	_, err := w.c.CreateRWQIndTable(many...)
	wantError(t, err, "ibv_create_rwq_ind_table", "softdev0", syscall.EINVAL, "4096", "max_rwq_indirection_table_size")
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOMEM, syscall.EOPNOTSUPP, 0} {
		ok(t, w.d.Fail("create_rwq_ind_table", softdev.Fault{Errno: errno, NoErrno: errno == 0}))
		_, err := w.c.CreateRWQIndTable(a)
		wantError(t, err, "ibv_create_rwq_ind_table", "softdev0", errno)
		if w.d.Objects() != before {
			t.Errorf("%v", w.d.Objects())
		}
	}
	table := must(w.c.CreateRWQIndTable(a, b, b, a))
	if got := table.WQs(); len(got) != 4 || got[1] != b || got[3] != a || table.Raw() == nil {
		t.Errorf("%v", got)
	}
	for _, q := range []*WQ{a, b} {
		wantError(t, q.Close(), "ibv_destroy_wq", q.String(), syscall.EBUSY, table.String())
	}
	qp := must(w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4}))
	wantError(t, table.Close(), "ibv_destroy_rwq_ind_table", table.String(), syscall.EBUSY, qp.String())
	ok(t, qp.Close())
	ok(t, w.d.Fail("destroy_rwq_ind_table", softdev.Fault{Errno: syscall.EBUSY}))
	wantError(t, table.Close(), "ibv_destroy_rwq_ind_table", table.String(), syscall.EBUSY)
	ok(t, table.Close())
	ok(t, table.Close())
}

// An RSS QP has no queues and no states. What it cannot hash is refused.
func TestRSSQP(t *testing.T) {
	w, other := testWQs(t, softdev.Config{}), testWQs(t, softdev.Config{})
	table := closing(t, must(w.c.CreateRWQIndTable(w.wq(t))))
	foreign := closing(t, must(other.c.CreateRWQIndTable(other.wq(t))))
	qp := closing(t, must(w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4})))
	if qp.SendCQ() != nil || qp.RecvCQ() != nil || qp.Num() == 0 || qp.Raw().QPType != ibv.IBV_QPT_RAW_PACKET || qp.Cap() != (ibv.QPCap{}) || qp.PD() != w.pd {
		t.Errorf("%+v", qp.Raw())
	}
	wantError(t, qp.Send(SendWR{}), "ibv_post_send", qp.String(), syscall.EINVAL, "no queues")
	wantError(t, qp.Recv(RecvWR{}), "ibv_post_recv", qp.String(), syscall.EINVAL, "post to its WQs")
	_, err := qp.Endpoint()
	for _, err := range []error{err, qp.Init(ConnectAttr{}), qp.Connect(Endpoint{}, ConnectAttr{})} {
		wantError(t, err, "ibv_modify_qp", qp.String(), syscall.EINVAL, "no queues")
	}
	if err := qp.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE); !errors.Is(err, ErrNotSupported) {
		t.Error(err)
	}
	before := w.d.Objects()
	for _, c := range []struct {
		attr  RSSAttr
		errno syscall.Errno
		text  string
	}{
		{RSSAttr{}, syscall.EINVAL, "RSSAttr.Table is nil"},
		{RSSAttr{Table: foreign, Fields: hash4}, syscall.EINVAL, "another context"},
		{RSSAttr{Table: table, Fields: hash4, Key: []byte{}}, syscall.EINVAL, "0 bytes"},
		{RSSAttr{Table: table, Fields: hash4, Key: make([]byte, 256)}, syscall.EINVAL, "256 bytes"},
		{RSSAttr{Table: table, Fields: hash4, Key: make([]byte, 39)}, syscall.EINVAL, "Toeplitz takes a key of 40 bytes, and not of 39"},
		{RSSAttr{Table: table, Fields: hash4, Function: 1 << 8}, syscall.EINVAL, "RSSAttr.Function"},
		{RSSAttr{Table: table, Fields: hash4, Function: 2}, 0, "function"},
		{RSSAttr{Table: table, Fields: hash4 | hash6}, syscall.EINVAL, "IPv4 together with IPv6"},
		{RSSAttr{Table: table, Fields: hash4 | ibv.IBV_RX_HASH_SRC_PORT_TCP | ibv.IBV_RX_HASH_DST_PORT_UDP}, syscall.EINVAL, "TCP together with UDP"},
		{RSSAttr{Table: table, Fields: ibv.IBV_RX_HASH_IPSEC_SPI}, syscall.EOPNOTSUPP, "IBV_RX_HASH_IPSEC_SPI"},
	} {
		_, err := w.pd.CreateRSSQP(c.attr)
		if c.errno == 0 {
			c.errno = errnoOf(err)
		}
		wantError(t, err, "ibv_create_qp_ex", w.pd.String(), c.errno, c.text)
		if w.d.Objects() != before {
			t.Errorf("%v left %v", err, w.d.Objects())
		}
	}
	for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EOPNOTSUPP, 0} {
		ok(t, w.d.Fail("create_qp_ex", softdev.Fault{Errno: errno, NoErrno: errno == 0}))
		_, err := w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4})
		wantError(t, err, "ibv_create_qp_ex", w.pd.String(), errno)
	}
	ok(t, w.d.Fail("destroy_qp", softdev.Fault{Errno: syscall.EBUSY}))
	wantError(t, qp.Close(), "ibv_destroy_qp", qp.String(), syscall.EBUSY)
}

// What arrives too long or cannot be stored ends the WQ, which the event tells with the WQ's handle.
func TestWQFatal(t *testing.T) {
	w := testWQs(t, softdev.Config{})
	q := w.wq(t)
	table := closing(t, must(w.c.CreateRWQIndTable(q)))
	qp := closing(t, must(w.pd.CreateRSSQP(RSSAttr{Table: table, Fields: hash4})))
	f := frame(netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("6.7.8.9:10"), 17, "x")
	ok(t, q.Recv(RecvWR{WRID: 1, SGList: sge(w.mr, 0, len(f)-1)}))
	ok(t, q.Recv(RecvWR{WRID: 2, SGList: sge(w.mr, 0, 2048)}))
	if _, _, err := w.d.Inject(qp.Raw(), f); err != nil {
		t.Fatal(err)
	}
	wc := poll(t, w.cq, 2)
	if wc[0].WRID != 1 || wc[0].Status != ibv.IBV_WC_LOC_LEN_ERR || wc[1].WRID != 2 || wc[1].Status != ibv.IBV_WC_WR_FLUSH_ERR {
		t.Errorf("%+v", wc)
	}
	soon(t, "event", func() {
		for e, err := range w.c.AsyncEvents(t.Context()) {
			if err != nil || e.Type != ibv.IBV_EVENT_WQ_FATAL || e.WQ != q || e.Object != q.String() {
				t.Errorf("%+v, %v", e, err)
			}
			break
		}
	})
	if _, _, err := w.d.Inject(qp.Raw(), f); !errors.Is(err, syscall.ENOBUFS) {
		t.Error(err)
	}
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RESET)}))
	ok(t, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
	ok(t, q.Recv(RecvWR{WRID: 3, SGList: sge(w.mr, 0, 2048)}))
	if _, _, err := w.d.Inject(qp.Raw(), f); err != nil {
		t.Fatal(err)
	}
	one(t, w.cq, 3, ibv.IBV_WC_SUCCESS)
}
