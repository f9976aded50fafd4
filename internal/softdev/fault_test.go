//go:build linux && cgo

package softdev

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// Each verb of contexts, domains, regions, channels and queues fails in its own way with any errno value, and nothing is made or lost.
func TestFaults(t *testing.T) {
	d, c := open(t, Config{})
	m := memory(t, 4096)
	p, ch := pd(t, c), channel(t, c)
	q := cq(t, c, 4, ch)
	mr := must(cverbs.RegMR(p, address(m), 4096, 0))(t)
	defer func() { wantNil(t, cverbs.DeregMR(mr)) }()
	var gid ibv.GID
	var entry ibv.GIDEntry
	var key ibv.Be16
	var event ibv.AsyncEvent
	var got *ibv.CQ
	var word uintptr
	var wc ibv.WC
	second := func(_ any, err error) error { return err }
	before := d.Objects()
	for _, test := range []struct {
		fails, verb string // the verb that fails, and the one that the error names
		call        func() error
	}{
		{"open_device", "ibv_open_device", func() error { return second(cverbs.OpenDevice(d.Raw())) }},
		{"close_device", "ibv_close_device", func() error { return cverbs.CloseDevice(c) }},
		{"query_device", "ibv_query_device", func() error { return cverbs.QueryDevice(c, new(ibv.DeviceAttr)) }},
		{"query_device_ex", "ibv_query_device_ex", func() error { return cverbs.QueryDeviceEx(c, nil, new(ibv.DeviceAttrEx)) }},
		{"query_port", "ibv_query_port", func() error { return cverbs.QueryPort(c, 1, new(ibv.PortAttr)) }},
		{"query_gid", "ibv_query_gid", func() error { return cverbs.QueryGID(c, 1, 0, &gid) }},
		{"query_gid_ex", "ibv_query_gid_ex", func() error { return cverbs.QueryGIDEx(c, 1, 0, &entry, 0) }},
		{"query_gid_table", "ibv_query_gid_table", func() error { return second(cverbs.QueryGIDTable(c, &entry, 1, 0)) }},
		{"query_pkey", "ibv_query_pkey", func() error { return cverbs.QueryPKey(c, 1, 0, &key) }},
		{"get_pkey_index", "ibv_get_pkey_index", func() error { return second(cverbs.GetPKeyIndex(c, 1, 0xffff)) }},
		{"get_device_index", "ibv_get_device_index", func() error { return second(cverbs.GetDeviceIndex(d.Raw())) }},
		{"alloc_pd", "ibv_alloc_pd", func() error { return second(cverbs.AllocPD(c)) }},
		{"dealloc_pd", "ibv_dealloc_pd", func() error { return cverbs.DeallocPD(p) }},
		{"reg_mr", "ibv_reg_mr", func() error { return second(cverbs.RegMR(p, address(m), 1, 0)) }},
		{"dereg_mr", "ibv_dereg_mr", func() error { return cverbs.DeregMR(mr) }},
		{"create_comp_channel", "ibv_create_comp_channel", func() error { return second(cverbs.CreateCompChannel(c)) }},
		{"destroy_comp_channel", "ibv_destroy_comp_channel", func() error { return cverbs.DestroyCompChannel(ch) }},
		{"create_cq", "ibv_create_cq", func() error { return second(cverbs.CreateCQ(c, 1, 0, nil, 0)) }},
		{"destroy_cq", "ibv_destroy_cq", func() error { return cverbs.DestroyCQ(q) }},
		{"poll_cq", "ibv_poll_cq", func() error { return second(cverbs.PollCQ(q, 1, &wc)) }},
		{"req_notify_cq", "ibv_req_notify_cq", func() error { return cverbs.VerbReqNotifyCQ.Failed(cverbs.ReqNotifyCQ(q, 0)) }},
		{"get_cq_event", "ibv_get_cq_event", func() error { return cverbs.GetCQEvent(ch, &got, &word) }},
		{"get_async_event", "ibv_get_async_event", func() error { return cverbs.GetAsyncEvent(c, &event) }},
	} {
		for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EIO, syscall.EBUSY} {
			calls := must(d.Calls(test.fails))(t)
			wantNil(t, d.Fail(test.fails, Fault{Errno: errno}))
			wantErrno(t, test.call(), test.verb, errno)
			if n := must(d.Calls(test.fails))(t); n != calls+1 {
				t.Errorf("%s: %d calls, want %d", test.fails, n, calls+1)
			}
			if o := d.Objects(); o != before {
				t.Errorf("%s left %v, want %v", test.fails, o, before)
			}
		}
	}
	if d.Orphans().Total() != 0 {
		t.Error(d.Orphans())
	}
	// Those that report nothing do nothing.
	wantNil(t, d.Fail("get_device_name", Fault{NoErrno: true}))
	wantNil(t, d.Fail("get_device_guid", Fault{NoErrno: true}))
	if name, guid := cverbs.GetDeviceName(d.Raw()), cverbs.GetDeviceGUID(d.Raw()); name != "" || guid != 0 {
		t.Errorf("%q, %v", name, guid)
	}
}

// What providers have been seen to return.
func TestFaultValues(t *testing.T) {
	d, c := open(t, Config{})
	p, q := pd(t, c), cq(t, c, 4, nil)
	wantNil(t, d.Complete(q, &ibv.WC{WRID: 8}, false))
	wantNil(t, d.Fail("alloc_pd", Fault{NoErrno: true})) // NULL and no errno
	_, err := cverbs.AllocPD(c)
	wantErrno(t, err, "ibv_alloc_pd", 0)
	wantNil(t, d.Fail("dealloc_pd", Fault{Value: -int(syscall.EBUSY)})) // a negative errno value
	wantErrno(t, cverbs.DeallocPD(p), "ibv_dealloc_pd", syscall.EBUSY)
	wantNil(t, d.Fail("poll_cq", Fault{Value: -1}))
	var wc ibv.WC
	_, err = cverbs.PollCQ(q, 1, &wc)
	wantErrno(t, err, "ibv_poll_cq", 0)
	if got := poll(t, q, 4); len(got) != 1 || got[0].WRID != 8 {
		t.Errorf("%+v: a failed poll takes nothing", got)
	}
}

// An acknowledgement may take longer, and cannot fail: destroys wait for it.
func TestAcknowledgementsCannotFail(t *testing.T) {
	d, c := open(t, Config{})
	for _, verb := range []string{"ack_cq_events", "ibv_ack_async_event"} {
		for _, f := range []Fault{{Errno: syscall.EIO}, {Value: -1}, {NoErrno: true, Delay: 1}} {
			if err := d.Fail(verb, f); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), verb+": closing") {
				t.Errorf("%s, %+v: %v", verb, f, err)
			}
		}
		wantNil(t, d.Fail(verb, Fault{Delay: time.Millisecond}))
	}
	q := must(cverbs.CreateCQ(c, 1, 0, nil, 0))(t)
	wantNil(t, d.RaiseCQ(q, ibv.IBV_EVENT_CQ_ERR))
	var e ibv.AsyncEvent
	wantNil(t, cverbs.GetAsyncEvent(c, &e))
	cverbs.AckAsyncEvent(&e)
	wantNil(t, cverbs.DestroyCQ(q))
	d.Heal()
}

func TestFaultOrder(t *testing.T) {
	d, c := open(t, Config{})
	wantNil(t, d.Fail("ibv_alloc_pd", Fault{Skip: 1, Times: 2, Errno: syscall.ENOMEM}))
	wantNil(t, d.Fail("ibv_alloc_pd", Fault{Skip: 1, Errno: syscall.EPERM}))
	for i, want := range []syscall.Errno{0, syscall.ENOMEM, syscall.ENOMEM, 0, syscall.EPERM, 0} {
		p, err := cverbs.AllocPD(c)
		if want != 0 {
			wantErrno(t, err, "ibv_alloc_pd", want)
		} else if err != nil {
			t.Errorf("call %d: %v", i, err)
		} else {
			wantNil(t, cverbs.DeallocPD(p))
		}
	}
	wantNil(t, d.Fail("dealloc_pd", Fault{Times: 1000, Errno: syscall.EBUSY}))
	p := must(cverbs.AllocPD(c))(t)
	wantErrno(t, cverbs.DeallocPD(p), "ibv_dealloc_pd", syscall.EBUSY)
	d.Heal()
	wantNil(t, cverbs.DeallocPD(p))
}

// A delay holds no lock: other calls go on meanwhile.
func TestDelay(t *testing.T) {
	d, c := open(t, Config{})
	wantNil(t, d.Fail("alloc_pd", Fault{Delay: 100 * time.Millisecond}))
	start := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p, err := cverbs.AllocPD(c)
		if took := time.Since(start); err != nil || took < 100*time.Millisecond {
			t.Errorf("%v, after %v", err, took)
			return
		}
		wantNil(t, cverbs.DeallocPD(p))
	}()
	for n := range 100 {
		wantNil(t, cverbs.DestroyCQ(must(cverbs.CreateCQ(c, 1, 0, nil, 0))(t)))
		select {
		case <-done:
			if n < 10 {
				t.Errorf("only %d other calls", n)
			}
		default:
		}
	}
	<-done
}

// What is in memory can still be had of a lost device, and its contexts be closed; all else fails.
func TestLose(t *testing.T) {
	d := device(t, Config{})
	c := must(cverbs.OpenDevice(d.Raw()))(t)
	ch, p := must(cverbs.CreateCompChannel(c))(t), must(cverbs.AllocPD(c))(t)
	q := must(cverbs.CreateCQ(c, 4, 0xc0ffee, ch, 0))(t)
	if errno := cverbs.ReqNotifyCQ(q, 0); errno != 0 {
		t.Error(errno)
	}
	wantNil(t, d.Complete(q, &ibv.WC{WRID: 5}, false))
	d.Lose()
	d.Lose()
	nonblocking(t, c)
	var e ibv.AsyncEvent
	if err := cverbs.GetAsyncEvent(c, &e); err != nil || e.EventType != ibv.IBV_EVENT_DEVICE_FATAL {
		t.Errorf("%+v, %v", e, err)
	}
	wantErrno(t, cverbs.GetAsyncEvent(c, &e), "ibv_get_async_event", syscall.EAGAIN)
	wantEvent(t, ch, q)
	if wc := poll(t, q, 4); len(wc) != 1 || wc[0].WRID != 5 {
		t.Errorf("%+v", wc)
	}
	if name := cverbs.GetDeviceName(d.Raw()); name != "softdev0" {
		t.Error(name)
	}
	_, err := cverbs.OpenDevice(d.Raw())
	wantErrno(t, err, "ibv_open_device", syscall.EIO)
	_, err = cverbs.AllocPD(c)
	wantErrno(t, err, "ibv_alloc_pd", syscall.EIO)
	wantErrno(t, cverbs.QueryGID(c, 1, 0, new(ibv.GID)), "ibv_query_gid", syscall.EIO)
	wantErrno(t, cverbs.QueryPort(c, 1, new(ibv.PortAttr)), "ibv_query_port", syscall.EIO)
	if errno := cverbs.ReqNotifyCQ(q, 0); errno != syscall.EIO {
		t.Error(errno)
	}
	wantErrno(t, cverbs.DestroyCQ(q), "ibv_destroy_cq", syscall.EIO)
	wantErrno(t, cverbs.DestroyCompChannel(ch), "ibv_destroy_comp_channel", syscall.EIO)
	wantErrno(t, cverbs.DeallocPD(p), "ibv_dealloc_pd", syscall.EIO)
	if o := d.Objects(); o != (Objects{Contexts: 1, PDs: 1, CompChannels: 1, CQs: 1}) {
		t.Errorf("%v", o)
	}
	wantNil(t, cverbs.CloseDevice(c))
	if o := d.Orphans(); o != (Objects{PDs: 1, CompChannels: 1, CQs: 1}) {
		t.Errorf("orphans %v", o)
	}
}
