//go:build !linux || !cgo

package cverbs

import (
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestNone(t *testing.T) {
	for _, err := range []error{SetLibrary("", ""), SetLibrary("/x", "/y"), Load(), Register(nil, nil), Unregister(nil), unsupported(0)} {
		if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, ErrNoLibrary) {
			t.Errorf("%v, want ErrNotSupported", err)
		}
	}
	// What is missing is named, where somebody can do something about it.
	want := "not on linux with glibc"
	if runtime.GOOS == "linux" {
		want = "built without cgo: it needs a C compiler, rdma-core's headers (libibverbs-dev) and CGO_ENABLED=1"
	}
	for _, err := range []error{Load(), Register(nil, nil), unsupported(0)} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := SpinCQ(nil, 1, nil, 0); !errors.Is(err, ErrNotSupported) {
		t.Error(err)
	}
	if n, err := PollCQEx(nil, 0, 1, nil); n != 0 || !errors.Is(err, ErrNotSupported) {
		t.Error(n, err)
	}
	for _, call := range []func() int32{new(SendPost).Call, new(RecvPost).Call, new(WRBatch).Call} {
		if errno := Posted(int(call())); errno != syscall.ENOSYS {
			t.Errorf("posted: %v", errno)
		}
	}
	var p PollWithin
	var x PollExWithin
	if n := p.Call() + x.Call(); n != 0 || !p.Shut() || !x.Shut() {
		t.Error("polled: ", n)
	}
	if TakeCQEvent(nil, nil, nil) == 0 || TakeAsyncEvent(nil, nil) == 0 {
		t.Error("there is an event")
	}
	if path, ok := Loaded(); ok || path != "" || Has(0) || Counts() != nil {
		t.Error("something is loaded")
	}
}
