//go:build linux && cgo

package softdev

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

func TestDevice(t *testing.T) {
	d := device(t, Config{Name: "red"})
	if name := cverbs.GetDeviceName(d.Raw()); name != "red" {
		t.Errorf("name %q", name)
	}
	if plain := device(t, Config{}); cverbs.GetDeviceName(plain.Raw()) != "softdev0" {
		t.Errorf("name %q, want softdev0", cverbs.GetDeviceName(plain.Raw()))
	}
	if guid := cverbs.GetDeviceGUID(d.Raw()); guid.Host() != 0x00000afffe090001 {
		t.Errorf("GUID %#x", guid.Host())
	}
	if n, err := cverbs.GetDeviceIndex(d.Raw()); n != 1 || err != nil {
		t.Errorf("index %d, %v", n, err)
	}
	if d.Raw().NodeType != ibv.IBV_NODE_CA || d.Raw().TransportType != ibv.IBV_TRANSPORT_IB {
		t.Errorf("%v, %v", d.Raw().NodeType, d.Raw().TransportType)
	}
	a := must(cverbs.OpenDevice(d.Raw()))(t)
	b := must(cverbs.OpenDevice(d.Raw()))(t)
	if a.Device != d.Raw() || b.Device != d.Raw() || a == b || d.Objects() != (Objects{Contexts: 2}) {
		t.Errorf("contexts %p %p, %v", a, b, d.Objects())
	}
	wantNil(t, cverbs.CloseDevice(a))
	wantNil(t, cverbs.CloseDevice(b))
}

func TestClose(t *testing.T) {
	d := must(New(Config{}))(t)
	c := must(cverbs.OpenDevice(d.Raw()))(t)
	p := must(cverbs.AllocPD(c))(t)
	err := d.Close()
	if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "1 context, 1 PD") {
		t.Errorf("%v, want EBUSY that counts a context and a PD", err)
	}
	wantNil(t, cverbs.DeallocPD(p)) // which still works
	wantNil(t, cverbs.CloseDevice(c))
	wantNil(t, d.Close())
	if d.Raw() != nil || d.Objects().Total() != 0 || !errors.Is(d.Close(), os.ErrClosed) || !errors.Is(d.Fail("alloc_pd", Fault{}), os.ErrClosed) {
		t.Error("the closed device still does something")
	}
	if _, err := d.Calls("alloc_pd"); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	d.Heal()
	d.Lose()
}

func TestConfig(t *testing.T) {
	for name, config := range map[string]Config{
		"verb": {Absent: []string{"ibv_frobnicate"}},
		"name": {Name: strings.Repeat("x", 64)},
		"NUL":  {Name: "a\x00b"},
		"less": {Less: 1 << 20},

		"max_qp_wr":       {MaxQPWR: 1 << 31},
		"max_sge":         {MaxSGE: 1 << 31},
		"max_cqe":         {MaxCQE: 1<<32 - 1},
		"max_inline_data": {MaxInlineData: 1 << 31},
		"max_wq":          {MaxWQ: 1 << 31},
	} {
		if d, err := New(config); err == nil || d != nil {
			t.Errorf("%s: %v, %v, want an error", name, d, err)
		}
	}
	d, c := open(t, Config{MaxQPWR: 1, MaxSGE: 2, MaxCQE: 3, MaxMRSize: 4096, MaxWQ: 5, RawPacketCaps: uint32(ibv.IBV_RAW_PACKET_CAP_IP_CSUM)})
	var a ibv.DeviceAttrEx
	wantNil(t, cverbs.QueryDeviceEx(c, nil, &a))
	if o := a.OrigAttr; o.MaxQPWR != 1 || o.MaxSGE != 2 || o.MaxCQE != 3 || o.MaxMRSize != 4096 || a.MaxWQTypeRQ != 5 || a.RawPacketCaps != 4 {
		t.Errorf("%+v", a)
	}
	_ = d
}

// Each verb goes by its own name, with and without prefix; and each function is in the registry's table at its own place.
func TestVerbs(t *testing.T) {
	d := device(t, Config{})
	for name := range verbs() {
		for _, prefix := range []string{"", "ibv_"} {
			if n, err := d.Calls(prefix + name); n != 0 || err != nil {
				t.Errorf("%s: %d calls, %v", name, n, err)
			}
		}
	}
	if len(verbs()) != 45 {
		t.Errorf("%d verbs", len(verbs()))
	}
	if _, err := d.Calls("frobnicate"); err == nil {
		t.Error("no error for a verb that does not exist")
	}
	if err := d.Fail("", Fault{}); err == nil {
		t.Error("no error for a verb that does not exist")
	}
	if n, err := d.Calls("_ibv_query_gid_ex"); n != 0 || err != nil {
		t.Error(n, err)
	}
	ops := 0
	for i := cverbs.Verb(0); !strings.HasPrefix(i.String(), "Verb("); i++ {
		if *(*unsafe.Pointer)(unsafe.Add(d.ops, 8*int(i))) != nil {
			ops++
		}
	}
	if ops != 27+2+1 {
		t.Errorf("%d functions in the table, want 27 exported ones, 2 with an underscore, and ibv_query_port", ops)
	}
}

func TestCalls(t *testing.T) {
	d, c := open(t, Config{})
	q := cq(t, c, 1, nil)
	for range 3 {
		wantNil(t, cverbs.DeallocPD(must(cverbs.AllocPD(c))(t)))
		poll(t, q, 1)
	}
	if _, err := cverbs.CreateCQ(c, -1, 0, nil, 0); err == nil {
		t.Error("CQ of -1")
	}
	for verb, want := range map[string]uint64{"ibv_alloc_pd": 3, "dealloc_pd": 3, "poll_cq": 3, "ibv_open_device": 1, "create_cq": 2, "ibv_reg_mr": 0} {
		if n, err := d.Calls(verb); n != want || err != nil {
			t.Errorf("%s: %d calls, %v, want %d", verb, n, err, want)
		}
	}
}

// A device may lack verbs, and its contexts may be as short as an older library's.
func TestLacking(t *testing.T) {
	_, c := open(t, Config{Absent: []string{"ibv_reg_mr", "ibv_create_wq", "ibv_req_notify_cq", "ibv_query_device_ex"}})
	p, q := pd(t, c), cq(t, c, 1, nil)
	_, err := cverbs.RegMR(p, 4096, 1, 0)
	wantErrno(t, err, "ibv_reg_mr", syscall.EOPNOTSUPP)
	_, err = cverbs.CreateWQ(c, &ibv.WQInitAttr{PD: p, CQ: q, MaxWR: 1, MaxSGE: 1})
	wantErrno(t, err, "ibv_create_wq", syscall.EOPNOTSUPP)
	if !errors.Is(err, cverbs.ErrNotSupported) {
		t.Errorf("%v is not ErrNotSupported", err)
	}
	if errno := cverbs.ReqNotifyCQ(q, 0); errno != syscall.EOPNOTSUPP {
		t.Error(errno)
	}
	var a ibv.DeviceAttrEx
	wantNil(t, cverbs.QueryDeviceEx(c, nil, &a)) // by ibv_query_device
	if a.OrigAttr.MaxCQE != 1<<20 || a.RawPacketCaps != 0 {
		t.Errorf("%+v", a)
	}

	// So short that not even query_port is there: the library's own function serves it.
	size := *(*uintptr)(unsafe.Add(unsafe.Pointer(c), -8)) // of struct verbs_context, whose last members are sz and context
	d, old := open(t, Config{Less: size - unsafe.Sizeof(*c) - 8})
	var port ibv.PortAttr
	wantNil(t, cverbs.QueryPort(old, 1, &port))
	if port.GIDTblLen != 16 || port.LinkLayer != uint8(ibv.IBV_LINK_LAYER_ETHERNET) {
		t.Errorf("%+v", port)
	}
	_, err = cverbs.CreateWQ(old, &ibv.WQInitAttr{})
	wantErrno(t, err, "ibv_create_wq", syscall.EOPNOTSUPP)
	if n, err := d.Calls("create_wq"); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// Closing a context ends what is left in it, and says so.
func TestOrphans(t *testing.T) {
	d := device(t, Config{})
	c := must(cverbs.OpenDevice(d.Raw()))(t)
	m := memory(t, 4096)
	p := must(cverbs.AllocPD(c))(t)
	must(cverbs.RegMR(p, address(m), 4096, 0))(t)
	ch := must(cverbs.CreateCompChannel(c))(t)
	q := must(cverbs.CreateCQ(c, 1, 0, ch, 0))(t)
	must(cverbs.CreateCQ(c, 1, 0, nil, 0))(t)
	if errno := cverbs.ReqNotifyCQ(q, 0); errno != 0 {
		t.Error(errno)
	}
	wantNil(t, d.Complete(q, &ibv.WC{}, false)) // an event that nobody takes
	want := Objects{PDs: 1, MRs: 1, CompChannels: 1, CQs: 2}
	wantNil(t, cverbs.CloseDevice(c))
	if o := d.Orphans(); o != want || want.Total() != 5 {
		t.Errorf("orphans %v, want %v", o, want)
	}
	if o := d.Objects(); o.Total() != 0 {
		t.Errorf("%v left", o)
	}
}

func TestObjectsString(t *testing.T) {
	for want, o := range map[string]Objects{
		"nothing":                     {},
		"1 context, 2 PDs":            {Contexts: 1, PDs: 2},
		"3 MRs, 1 completion channel": {MRs: 3, CompChannels: 1},
		"1 CQ, 2 QPs, 1 WQ":           {CQs: 1, QPs: 2, WQs: 1},
		"2 indirection tables":        {RWQIndTables: 2},
	} {
		if got := o.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// All verbs may be called by many threads.
func TestThreads(t *testing.T) {
	d, c := open(t, Config{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			m := memory(t, 4096)
			for range 50 {
				p, err := cverbs.AllocPD(c)
				if err != nil {
					t.Error(err)
					return
				}
				mr, err := cverbs.RegMR(p, address(m), 4096, 0)
				wantNil(t, err)
				q, err := cverbs.CreateCQ(c, 4, 0, nil, 0)
				wantNil(t, err)
				wantNil(t, d.Complete(q, &ibv.WC{WRID: 5}, false))
				if wc := poll(t, q, 4); len(wc) != 1 || wc[0].WRID != 5 {
					t.Errorf("%+v", wc)
				}
				d.Objects()
				wantNil(t, cverbs.DestroyCQ(q))
				wantNil(t, cverbs.DeregMR(mr))
				wantNil(t, cverbs.DeallocPD(p))
			}
		})
	}
	wg.Wait()
	if n, err := d.Calls("poll_cq"); n != 200 || err != nil {
		t.Errorf("%d calls of poll_cq, %v", n, err)
	}
}
