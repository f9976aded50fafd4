//go:build linux && cgo

package verbs

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/softdev"
)

// Every method of nil and zero handles answers, most with ErrClosed, and none panics.
func TestNilAndZeroHandles(t *testing.T) {
	for _, h := range []any{
		(*Device)(nil), &Device{}, (*Context)(nil), &Context{}, (*PD)(nil), &PD{}, (*MR)(nil), &MR{}, (*CompChannel)(nil), &CompChannel{}, (*CQ)(nil), &CQ{},
	} {
		v := reflect.ValueOf(h)
		for i := range v.NumMethod() {
			name := v.Type().String() + "." + v.Type().Method(i).Name
			checkAnswers(t, name, v.Method(i))
		}
	}
}

// checkAnswers calls a method with zero arguments.
func checkAnswers(t *testing.T, name string, f reflect.Value) {
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
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	out := call(args)
	if len(out) == 1 && out[0].Kind() == reflect.Func { // an iterator
		steps := 0
		out[0].Call([]reflect.Value{reflect.MakeFunc(out[0].Type().In(0), func(step []reflect.Value) []reflect.Value {
			steps++
			checkClosed(t, name, step[len(step)-1])
			return []reflect.Value{reflect.ValueOf(true)}
		})})
		if steps != 1 {
			t.Errorf("%s has %d steps", name, steps)
		}
		return
	}
	if slices.Contains([]string{"CreateQP", "CreateRSSQP", "CreateWQ", "CreateRWQIndTable"}, name[strings.LastIndexByte(name, '.')+1:]) {
		return // zero arguments are refused before anything else
	}
	if n := len(out); n > 0 && f.Type().Out(n-1) == reflect.TypeFor[error]() && !strings.HasSuffix(name, ".Close") && !strings.Contains(name, "Device.") {
		checkClosed(t, name, out[n-1])
	}
}

func checkClosed(t *testing.T, name string, v reflect.Value) {
	t.Helper()
	err, _ := v.Interface().(error)
	var e *Error
	if !errors.Is(err, ErrClosed) || !errors.Is(err, os.ErrClosed) || !errors.As(err, &e) || !strings.HasPrefix(e.Verb, "ibv_") {
		t.Errorf("%s: %v, want an *Error with ErrClosed", name, err)
	}
}

// Every method of a closed handle says so.
func TestClosedHandles(t *testing.T) {
	_, c := testDevice(t)
	pd := must(c.AllocPD())
	m := must(pd.AllocMR(100, localWrite))
	channel := must(c.CreateCompChannel())
	q := must(c.CreateCQ(CQAttr{CQE: 1, Channel: channel}))
	for _, o := range []interface{ Close() error }{q, channel, m, pd, c} {
		for range 2 {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, h := range []any{q, channel, m, pd, c} {
		v := reflect.ValueOf(h)
		for i := range v.NumMethod() {
			checkAnswers(t, v.Type().String()+"."+v.Type().Method(i).Name, v.Method(i))
		}
		if raw := v.MethodByName("Raw").Call(nil)[0]; !raw.IsNil() {
			t.Errorf("%v: the C object is given out", h)
		}
	}
}

// rdma_cm and others close in the wrong order: what stands in the way is named.
func TestCloseNamesWhatStandsInTheWay(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Name: "mlx5_0"}, OpenAttr{})
	channel := must(c.CreateCompChannel())
	q1 := must(c.CreateCQ(CQAttr{CQE: 1, Channel: channel}))
	q2 := must(c.CreateCQ(CQAttr{CQE: 1, Channel: channel}))
	pd := must(c.AllocPD())
	if pd.String() != "pd 1 on mlx5_0" || q2.String() != "cq 2 on mlx5_0" || channel.String() != "channel 1 on mlx5_0" || q1.Channel() != channel ||
		q1.Context() != c || channel.Context() != c || pd.Context() != c || pd.Raw() == nil || channel.Raw() == nil || q1.Raw().Channel != channel.Raw() {
		t.Errorf("%v %v %v", pd, q2, channel)
	}
	wantError(t, channel.Close(), "ibv_destroy_comp_channel", "channel 1 on mlx5_0", syscall.EBUSY, "still used by cq 1 on mlx5_0; cq 2 on mlx5_0")
	wantError(t, c.Close(), "ibv_close_device", "mlx5_0", syscall.EBUSY, "channel 1 on mlx5_0; cq 1 on mlx5_0; cq 2 on mlx5_0; pd 1 on mlx5_0")
	if n := d.Objects(); n != (softdev.Objects{Contexts: 1, PDs: 1, CompChannels: 1, CQs: 2}) {
		t.Error(n)
	}
	for _, o := range []interface{ Close() error }{q1, q2, channel, pd} {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Of many that stand in the way some are named: those that are lost first. The others are counted.
func TestCloseNamesSomeOfMany(t *testing.T) {
	o := newObject(newHome("test", nil), "pd 1 on test")
	for i := range 1000 {
		c := newObject(o.home, fmt.Sprintf("mr %04d on test", i), o)
		c.leaked = i == 500
	}
	want := "still used by mr 0500 on test, which nobody can close any more; mr 0000 on test; mr 0001 on test; mr 0002 on test; " +
		"mr 0003 on test; mr 0004 on test; mr 0005 on test; mr 0006 on test; and 992 more"
	err := o.close(cverbs.VerbDeallocPD, nil)
	wantError(t, err, "ibv_dealloc_pd", "pd 1 on test", syscall.EBUSY, want)
	if !strings.HasSuffix(err.Error(), "more") {
		t.Error(err)
	}
}

// Creating: each failure names verb, object and errno value, and leaves nothing.
func TestFailingCreates(t *testing.T) {
	d, c := testDevice(t)
	channel := closing(t, must(c.CreateCompChannel()))
	before := d.Objects()
	for verb, create := range map[string]func() error{
		"alloc_pd":            func() error { _, err := c.AllocPD(); return err },
		"create_comp_channel": func() error { _, err := c.CreateCompChannel(); return err },
		"create_cq":           func() error { _, err := c.CreateCQ(CQAttr{CQE: 1, Channel: channel}); return err },
	} {
		for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EINVAL, syscall.EOPNOTSUPP, 0} {
			if err := d.Fail(verb, softdev.Fault{Errno: errno, NoErrno: errno == 0}); err != nil {
				t.Fatal(err)
			}
			err := create()
			wantError(t, err, "ibv_"+verb, "softdev0", errno)
			if errors.Is(err, ErrNotSupported) != (errno == syscall.EOPNOTSUPP) || errors.Is(err, errors.ErrUnsupported) != (errno == syscall.EOPNOTSUPP) {
				t.Error(err)
			}
			if n := d.Objects(); n != before {
				t.Errorf("%s: %v, before %v", verb, n, before)
			}
		}
	}
	if n := len(channel.events.queues); n != 0 {
		t.Errorf("the channel remembers %d queues that were never made", n)
	}
}

// Destroying: each failure names verb, object and errno value, whatever sign it has, and leaves the object open.
func TestFailingDestroys(t *testing.T) {
	d, c := testDevice(t)
	pd := must(c.AllocPD())
	m := must(pd.AllocMR(100, localWrite))
	channel := must(c.CreateCompChannel())
	q := must(c.CreateCQ(CQAttr{CQE: 1, Channel: channel}))
	for _, o := range []struct {
		verb, name string
		handle     interface{ Close() error }
	}{
		{"destroy_cq", q.name, q}, {"destroy_comp_channel", channel.name, channel}, {"dereg_mr", m.name, m}, {"dealloc_pd", pd.name, pd}, {"close_device", c.name, c},
	} {
		before := d.Objects()
		for _, f := range []softdev.Fault{{Errno: syscall.EBUSY}, {Errno: syscall.EIO}, {Errno: syscall.EINVAL, Value: -int(syscall.EINVAL)}} {
			if f.Value != 0 && o.verb == "close_device" {
				continue // -1 and errno
			}
			if err := d.Fail(o.verb, f); err != nil {
				t.Fatal(err)
			}
			wantError(t, o.handle.Close(), "ibv_"+o.verb, o.name, f.Errno)
			if n := d.Objects(); n != before {
				t.Errorf("%s: %v, before %v", o.verb, n, before)
			}
		}
		if err := o.handle.Close(); err != nil {
			t.Error(err)
		}
		if n := d.Objects(); n.Total() != before.Total()-1 {
			t.Errorf("%s: %v, before %v", o.verb, n, before)
		}
	}
}

func TestCreateCQChecks(t *testing.T) {
	_, c := testDeviceWith(t, softdev.Config{MaxCQE: 1000}, OpenAttr{})
	for _, attr := range []CQAttr{{}, {CQE: -1}, {CQE: 1 << 31}, {CQE: 1<<32 + 1}, {CQE: 1001}, {CQE: 1, CompVector: -1}, {CQE: 1, CompVector: 1 << 32}, {CQE: 1, CompVector: 9999}} {
		_, err := c.CreateCQ(attr)
		wantError(t, err, "ibv_create_cq", "softdev0", syscall.EINVAL, "max_cqe 1000", "completion vectors")
	}
	q := testCQ(t, c, 100, false)
	if q.CQE() < 100 || q.CQE() != int(q.Raw().CQE) || q.Channel() != nil {
		t.Errorf("%d entries", q.CQE())
	}
	_, other := testDeviceWith(t, softdev.Config{Name: "other0"}, OpenAttr{})
	channel := closing(t, must(other.CreateCompChannel()))
	_, err := c.CreateCQ(CQAttr{CQE: 1, Channel: channel})
	wantError(t, err, "ibv_create_cq", "softdev0", syscall.EINVAL, "channel 1 on other0 belongs to another context")
	// Another context of the same device is another, too.
	third := closing(t, must(c.Device().Open()))
	channel = closing(t, must(third.CreateCompChannel()))
	_, err = c.CreateCQ(CQAttr{CQE: 1, Channel: channel})
	wantError(t, err, "ibv_create_cq", "softdev0", syscall.EINVAL, "belongs to another context")
	if err := channel.Close(); err != nil {
		t.Error(err)
	}
	_, err = c.CreateCQ(CQAttr{CQE: 1, Channel: channel})
	wantClosed(t, err)
	_, err = c.CreateCQ(CQAttr{CQE: 1, Channel: &CompChannel{}})
	wantClosed(t, err)
}

// Handles that are lost are reported, children and parents, though goroutines read events for them all the time.
func TestLeaksAreReported(t *testing.T) {
	leaks := make(chan Leak, 10)
	d, err := softdev.New(softdev.Config{})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		c := must(AdoptDevice(d.Raw(), "test", nil).OpenWith(OpenAttr{OnLeak: func(l Leak) { leaks <- l }}))
		pd := must(c.AllocPD())
		must(pd.AllocMR(100, localWrite))
		channel := must(c.CreateCompChannel())
		q := must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel}))
		if err := q.reqNotify(false); err != nil {
			t.Error(err)
		}
		push(t, d, q, 1)
		d.SetPort(false)
		closed := must(c.AllocPD())
		if err := closed.Close(); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	for range 5 {
		l := collect(t, leaks)
		got = append(got, l.Object)
		stack := strings.Split(string(l.Stack), "\n")
		if l.Object != "softdev0" && !strings.Contains(string(l.Stack), "TestLeaksAreReported") || !strings.HasPrefix(stack[0], "goroutine ") ||
			!strings.HasPrefix(stack[1], "github.com/goverbs/ibv/verbs.") || strings.Contains(string(l.Stack), "verbs.track") || strings.Contains(string(l.Stack), "debug.Stack") {
			t.Errorf("%s was made by\n%s", l.Object, l.Stack)
		}
	}
	slices.Sort(got)
	if want := []string{"channel 1 on softdev0", "cq 1 on softdev0", "mr 1 on softdev0", "pd 1 on softdev0", "softdev0"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	runtime.GC()
	if n := d.Objects(); n != (softdev.Objects{Contexts: 1, PDs: 1, MRs: 1, CompChannels: 1, CQs: 1}) {
		t.Errorf("a lost handle has destroyed something: %v", n)
	}
	select {
	case l := <-leaks:
		t.Errorf("%s is reported, which was closed", l.Object)
	default:
	}
}

// Creating, using and closing at the same time, from everywhere.
func TestEverythingAtOnce(t *testing.T) {
	d, c := testDevice(t)
	closing(t, must(c.AllocPD())) // so that there is something all the time
	var wg sync.WaitGroup
	stop := time.Now().Add(300 * time.Millisecond)
	for range 3 {
		wg.Go(func() {
			for time.Now().Before(stop) {
				channel, err := c.CreateCompChannel()
				if err != nil {
					t.Error(err)
					return
				}
				q, err := c.CreateCQ(CQAttr{CQE: 4, Channel: channel})
				if err != nil {
					t.Error(err)
					return
				}
				d.RaiseCQ(q.raw, ibv.IBV_EVENT_CQ_ERR)
				_ = q.reqNotify(false)
				d.Complete(q.raw, &ibv.WC{}, false)
				var closers sync.WaitGroup
				closers.Go(func() { q.Close(); channel.Close() })
				closers.Go(func() { channel.Close(); q.Close() })
				closers.Wait()
				if err := errors.Join(q.Close(), channel.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range c.AsyncEvents(t.Context()) {
			if time.Now().After(stop) {
				return
			}
		}
	})
	wg.Go(func() {
		for time.Now().Before(stop) {
			if err := c.Close(); !errors.Is(err, syscall.EBUSY) {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
		d.SetPort(false)
		d.SetPort(true)
	})
	soon(t, "all that", wg.Wait)
}
