//go:build linux && cgo

package verbs

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// testDevice opens a software device. When the test ends, everything that was made on it has to be closed.
func testDevice(t testing.TB) (*softdev.Device, *Context) {
	t.Helper()
	return testDeviceWith(t, softdev.Config{}, OpenAttr{})
}

func testDeviceWith(t testing.TB, config softdev.Config, attr OpenAttr) (*softdev.Device, *Context) {
	t.Helper()
	d, err := softdev.New(config)
	if err != nil {
		t.Fatal(err)
	}
	c, err := AdoptDevice(d.Raw(), "test", nil).OpenWith(attr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.Heal()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if left := d.Objects(); left.Total() != 0 {
			t.Errorf("left on the device: %v", left)
		}
		if left := d.Orphans(); left.Total() != 0 {
			t.Errorf("left to be closed with the context: %v", left)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, c
}

// must is for what a test needs to go on.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// closing closes an object at the test's end, which has to succeed.
func closing[T interface{ Close() error }](t testing.TB, o T) T {
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return o
}

// wantError wants an *Error with a verb, an object, an errno value (0 for none), and some texts.
func wantError(t testing.TB, err error, verb, object string, errno syscall.Errno, texts ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Verb != verb || e.Object != object || e.Errno != errno || errno != 0 && !errors.Is(err, errno) {
		t.Errorf("got %#v (%v), want an *Error of %s on %q with errno %d", err, err, verb, object, errno)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

// wantClosed wants an *Error with ErrClosed.
func wantClosed(t testing.TB, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrClosed) || e.Verb == "" {
		t.Errorf("got %v, want an *Error with ErrClosed", err)
	}
}

// calls is how often a verb has been called.
func calls(t testing.TB, d *softdev.Device, verb string) int {
	t.Helper()
	n, err := d.Calls(verb)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// eventually waits until f is true.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in 10 s there was no %s", what)
		}
	}
}

// soon runs f, which has to come to an end.
func soon(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s does not end", what)
	}
}

// testCQ makes a CQ with or without a channel, which are closed when the test ends.
func testCQ(t testing.TB, c *Context, cqe int, withChannel bool) *CQ {
	t.Helper()
	attr := CQAttr{CQE: cqe}
	if withChannel {
		attr.Channel = closing(t, must(c.CreateCompChannel()))
	}
	return closing(t, must(c.CreateCQ(attr)))
}

// push puts successful completions into a queue.
func push(t testing.TB, d *softdev.Device, q *CQ, ids ...uint64) {
	t.Helper()
	for _, id := range ids {
		if err := d.Complete(q.raw, &ibv.WC{WRID: id}, false); err != nil {
			t.Fatal(err)
		}
	}
}

// ids returns the WRIDs of completions.
func ids(wc []ibv.WC) []uint64 {
	r := make([]uint64, len(wc))
	for i := range wc {
		r[i] = wc[i].WRID
	}
	return r
}
