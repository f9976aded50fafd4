//go:build linux && cgo

package verbstest_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

// A recorder is a TB that notes what it is told.
type recorder struct {
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
}
func (r *recorder) Fatalf(f string, args ...any) { r.Errorf(f, args...) }
func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

// A test that closes what it makes passes; one that does not is told what is left, and once the handle is lost, where it was made.
func TestNewFailsForWhatIsLeft(t *testing.T) {
	clean := new(recorder)
	ctx := verbstest.Must(verbstest.New(clean, verbstest.Config{}).Open())
	verbstest.Check(ctx.Close())
	if clean.end(); len(clean.errors) != 0 {
		t.Errorf("a clean test fails: %q", clean.errors)
	}

	dirty := new(recorder)
	dev := verbstest.New(dirty, verbstest.Config{})
	ctx = verbstest.Must(dev.Open())
	pd := verbstest.Must(ctx.AllocPD())
	if dirty.end(); len(dirty.errors) != 1 || !strings.Contains(dirty.errors[0], "1 context, 1 PD") {
		t.Errorf("told %q, want 1 context, 1 PD", dirty.errors)
	}
	verbstest.Check(pd.Close())
	verbstest.Check(ctx.Close())
	verbstest.Check(dev.Close())
	if err := dev.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
}

// A device that was closed is gone, also for those who kept its description: nothing of it is touched.
func TestOpenAfterClose(t *testing.T) {
	d := verbstest.Must(verbstest.Open(verbstest.Config{}))
	kept := d.Device()
	verbstest.Check(d.Close())
	for _, open := range []func() (*verbs.Context, error){d.Open, kept.Open} {
		if _, err := open(); !errors.Is(err, syscall.ENODEV) {
			t.Errorf("%v, want ENODEV", err)
		}
	}
	if kept.Name() != "softdev0" {
		t.Error(kept.Name())
	}
}

// The name of a device, the rest of a configuration, and an unknown verb in it.
func TestOpenRefusesWhatItCannotBe(t *testing.T) {
	for _, c := range []verbstest.Config{{Absent: []string{"ibv_frobnicate"}}, {Name: strings.Repeat("x", 64)}, {Name: "a\x00b"}} {
		if d, err := verbstest.Open(c); err == nil {
			t.Errorf("%+v is accepted", c)
			verbstest.Check(d.Close())
		}
	}
	d := verbstest.New(t, verbstest.Config{Name: strings.Repeat("x", 63)})
	if name := d.Device().Name(); name != strings.Repeat("x", 63) {
		t.Errorf("name %q", name)
	}
	if err := d.Fail("ibv_frobnicate", verbstest.Fault{Errno: syscall.ENOMEM}); err == nil {
		t.Error("a fault of an unknown verb is accepted")
	}
	if _, err := d.Calls("ibv_frobnicate"); err == nil {
		t.Error("calls of an unknown verb are counted")
	}
}

// A fault passes Skip calls, happens Times times, and is counted; Heal forgets it.
func TestFaultsHappenWhenTheyAreWanted(t *testing.T) {
	d := verbstest.New(t, verbstest.Config{})
	ctx := verbstest.Must(d.Open())
	defer ctx.Close()
	verbstest.Check(d.Fail("ibv_alloc_pd", verbstest.Fault{Skip: 1, Times: 2, Errno: syscall.ENOMEM}))
	for i, want := range []error{nil, syscall.ENOMEM, syscall.ENOMEM, nil} {
		pd, err := ctx.AllocPD()
		if !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i, err, want)
		}
		verbstest.Check(pd.Close())
	}
	if n := verbstest.Must(d.Calls("alloc_pd")); n != 4 {
		t.Errorf("%d calls, want 4", n)
	}
	verbstest.Check(d.Fail("alloc_pd", verbstest.Fault{Times: 100, Errno: syscall.EPERM}))
	d.Heal()
	verbstest.Check(verbstest.Must(ctx.AllocPD()).Close())
	if o := d.Objects(); o != (verbstest.Objects{Contexts: 1}) || d.Orphans().Total() != 0 {
		t.Errorf("objects %v, orphans %v", o, d.Orphans())
	}
}

// What is nil or closed is refused, and crashes nothing.
func TestObjectsThatAreGone(t *testing.T) {
	d := verbstest.New(t, verbstest.Config{})
	ctx := verbstest.Must(d.Open())
	defer ctx.Close()
	pd, cq := verbstest.Must(ctx.AllocPD()), verbstest.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 4}))
	qp := verbstest.Must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
	wq := verbstest.Must(ctx.CreateWQ(verbs.WQAttr{MaxWR: 1, PD: pd, CQ: cq}))
	for _, c := range []interface{ Close() error }{qp, wq, cq, pd} {
		verbstest.Check(c.Close())
	}
	for _, cq := range []*verbs.CQ{nil, cq} {
		for _, err := range []error{d.Complete(cq, ibv.WC{}, false), d.RaiseCQ(cq, ibv.IBV_EVENT_CQ_ERR)} {
			if !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%v: %v, want EINVAL", cq, err)
			}
		}
	}
	for _, qp := range []*verbs.QP{nil, qp} {
		_, _, err := d.Inject(qp, nil)
		for _, err := range []error{err, d.RaiseQP(qp, ibv.IBV_EVENT_QP_FATAL), d.FailNextSend(qp, 1, 2), d.FailNextRecv(qp, 1, 2)} {
			if !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%v: %v, want EINVAL", qp, err)
			}
		}
	}
	for _, wq := range []*verbs.WQ{nil, wq} {
		for _, err := range []error{d.RaiseWQ(wq, ibv.IBV_EVENT_WQ_FATAL), d.FailNextWQ(wq, 1, 2)} {
			if !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%v: %v, want EINVAL", wq, err)
			}
		}
	}
}

// The frames have the checksums that the device verifies, and the published Toeplitz hash of their addresses and ports.
func TestUDPFrame(t *testing.T) {
	for _, c := range []struct {
		src, dst string
		fields   ibv.RxHashFields
		hash     uint32
	}{
		{"66.9.149.187:2794", "161.142.100.80:1766",
			ibv.IBV_RX_HASH_SRC_IPV4 | ibv.IBV_RX_HASH_DST_IPV4 | ibv.IBV_RX_HASH_SRC_PORT_UDP | ibv.IBV_RX_HASH_DST_PORT_UDP, 0x51ccc178},
		{"[3ffe:2501:200:1fff::7]:2794", "[3ffe:2501:200:3::1]:1766",
			ibv.IBV_RX_HASH_SRC_IPV6 | ibv.IBV_RX_HASH_DST_IPV6 | ibv.IBV_RX_HASH_SRC_PORT_UDP | ibv.IBV_RX_HASH_DST_PORT_UDP, 0x40207d3d},
	} {
		for _, payload := range []string{"", "x", "odd", "even"} {
			d := verbstest.New(t, verbstest.Config{})
			hash, wc := receive(t, d, c.fields, verbstest.UDPFrame(netip.MustParseAddrPort(c.src), netip.MustParseAddrPort(c.dst), []byte(payload)))
			if hash != c.hash {
				t.Errorf("%s: hash %#x, want %#x", c.src, hash, c.hash)
			}
			// The device verifies the checksums of IPv4; ibv_poll_cq(3).
			if want := netip.MustParseAddrPort(c.src).Addr().Is4(); wc.Err() != nil || (wc.WCFlags&ibv.IBV_WC_IP_CSUM_OK != 0) != want {
				t.Errorf("%s, %q: %+v, want IBV_WC_IP_CSUM_OK: %v", c.src, payload, wc, want)
			}
		}
	}
}

// With the pseudo-header of IPv6 the words of a datagram sum up to all ones, as RFC 768 and RFC 8200 have it.
func TestUDPFrameOverIPv6HasItsChecksum(t *testing.T) {
	for _, payload := range []string{"", "x", "odd", "even"} {
		f := verbstest.UDPFrame(netip.MustParseAddrPort("[2001:db8::1]:7"), netip.MustParseAddrPort("[2001:db8::2]:9"), []byte(payload))
		udp := append(f[14+40:], 0)
		sum := 17 + 8 + len(payload)
		for _, b := range [][]byte{f[14+8 : 14+40], udp[:(8+len(payload)+1)&^1]} {
			for i := 0; i < len(b); i += 2 {
				sum += int(b[i])<<8 | int(b[i+1])
			}
		}
		if sum = sum>>16 + sum&0xffff; sum != 0xffff {
			t.Errorf("%q: the words sum up to %#x", payload, sum)
		}
	}
}

// receive injects a frame into a table of one queue, and returns the hash and the completion.
func receive(t *testing.T, d *verbstest.Device, fields ibv.RxHashFields, frame []byte) (uint32, ibv.WC) {
	t.Helper()
	ctx := verbstest.Must(d.Open())
	defer func() { verbstest.Check(ctx.Close()) }()
	pd := verbstest.Must(ctx.AllocPD())
	defer func() { verbstest.Check(pd.Close()) }()
	mr := verbstest.Must(pd.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE))
	defer func() { verbstest.Check(mr.Close()) }()
	cq := verbstest.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 1}))
	defer func() { verbstest.Check(cq.Close()) }()
	wq := verbstest.Must(ctx.CreateWQ(verbs.WQAttr{MaxWR: 1, PD: pd, CQ: cq}))
	defer func() { verbstest.Check(wq.Close()) }()
	verbstest.Check(wq.Modify(verbs.WQModify{State: new(ibv.IBV_WQS_RDY)}))
	verbstest.Check(wq.Recv(verbs.RecvWR{SGList: []ibv.SGE{mr.All()}}))
	table := verbstest.Must(ctx.CreateRWQIndTable(wq))
	defer func() { verbstest.Check(table.Close()) }()
	qp := verbstest.Must(pd.CreateRSSQP(verbs.RSSAttr{Table: table, Fields: fields}))
	defer func() { verbstest.Check(qp.Close()) }()
	hash, _, err := d.Inject(qp, frame)
	verbstest.Check(err)
	wc := make([]ibv.WC, 1)
	if n := verbstest.Must(cq.Poll(wc)); n != 1 {
		t.Fatalf("%d completions", n)
	}
	if got := mr.Bytes()[:len(frame)]; string(got) != string(frame) {
		t.Errorf("received %x, want %x", got, frame)
	}
	return hash, wc[0]
}

// Nil and zero devices answer: with errors, zeros and nil.
func TestNilAndZeroDevices(t *testing.T) {
	for _, d := range []*verbstest.Device{nil, new(verbstest.Device)} {
		v := reflect.ValueOf(d)
		for i := range v.NumMethod() {
			answers(t, v.Type().Method(i).Name, v.Method(i))
		}
	}
}

// answers calls a method with zero arguments.
func answers(t *testing.T, name string, f reflect.Value) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s panics: %v", name, r)
		}
	}()
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		args = append(args, reflect.Zero(f.Type().In(i)))
	}
	for _, out := range f.Call(args) {
		if isError := out.Type() == reflect.TypeFor[error](); isError == out.IsZero() {
			t.Errorf("%s: %v", name, out)
		}
	}
}
