//go:build linux && cgo

package softdev

import (
	"errors"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// open makes a device with an open context. When the test ends nothing else may be left, and nothing may have been orphaned.
func open(t testing.TB, config Config) (*Device, *ibv.Context) {
	t.Helper()
	d := device(t, config)
	c := must(cverbs.OpenDevice(d.Raw()))(t)
	t.Cleanup(func() {
		if o := d.Objects(); o != (Objects{Contexts: 1}) {
			t.Errorf("%v left, want 1 context", o)
		}
		wantNil(t, cverbs.CloseDevice(c))
		if o := d.Orphans(); o.Total() != 0 {
			t.Errorf("%v orphaned", o)
		}
	})
	return d, c
}

// device makes a device that the end of the test closes.
func device(t testing.TB, config Config) *Device {
	t.Helper()
	d := must(New(config))(t)
	t.Cleanup(func() { wantNil(t, d.Close()) })
	return d
}

// must returns what a call has made.
func must[T any](made T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

func wantNil(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// wantErrno wants the error of a verb, by its C name, with an errno value.
func wantErrno(t testing.TB, err error, verb string, want syscall.Errno) {
	t.Helper()
	var e *cverbs.Error
	if !errors.As(err, &e) || e.Verb != verb || e.Errno != want {
		t.Errorf("%v, want %s to fail with %v", err, verb, want)
	}
}

// memory returns n bytes outside Go's heap.
func memory(t testing.TB, n int) []byte {
	t.Helper()
	m := must(syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))(t)
	t.Cleanup(func() { syscall.Munmap(m) })
	return m
}

func address(m []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m))) }

func pd(t testing.TB, c *ibv.Context) *ibv.PD {
	t.Helper()
	pd := must(cverbs.AllocPD(c))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DeallocPD(pd)) })
	return pd
}

func cq(t testing.TB, c *ibv.Context, cqe int32, channel *ibv.CompChannel) *ibv.CQ {
	t.Helper()
	cq := must(cverbs.CreateCQ(c, cqe, 0xc0ffee, channel, 0))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyCQ(cq)) })
	return cq
}

func channel(t testing.TB, c *ibv.Context) *ibv.CompChannel {
	t.Helper()
	ch := must(cverbs.CreateCompChannel(c))(t)
	wantNil(t, syscall.SetNonblock(int(ch.FD), true))
	t.Cleanup(func() { wantNil(t, cverbs.DestroyCompChannel(ch)) })
	return ch
}

// poll takes up to n completions.
func poll(t testing.TB, cq *ibv.CQ, n int) []ibv.WC {
	t.Helper()
	wc := make([]ibv.WC, n)
	got := must(cverbs.PollCQ(cq, int32(n), &wc[0]))(t)
	return wc[:got]
}

// takes an event of a completion queue and acknowledges it.
func wantEvent(t testing.TB, ch *ibv.CompChannel, want *ibv.CQ) {
	t.Helper()
	var got *ibv.CQ
	var word uintptr
	if err := cverbs.GetCQEvent(ch, &got, &word); err != nil || got != want || word != 0xc0ffee {
		t.Fatalf("event of %p with %#x, %v, want %p with 0xc0ffee", got, word, err, want)
	}
	cverbs.AckCQEvents(got, 1)
}

func wantNoEvent(t testing.TB, ch *ibv.CompChannel) {
	t.Helper()
	var got *ibv.CQ
	var word uintptr
	wantErrno(t, cverbs.GetCQEvent(ch, &got, &word), "ibv_get_cq_event", syscall.EAGAIN)
}

// within fails the test if f does not return in time.
func within(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("not done after 10 s")
	}
}
