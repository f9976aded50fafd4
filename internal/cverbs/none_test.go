//go:build !linux || !cgo

package cverbs

import (
	"errors"
	"testing"
)

func TestNone(t *testing.T) {
	for _, err := range []error{SetLibrary("", ""), SetLibrary("/x", "/y"), Load(), Register(nil, nil), Unregister(nil), unsupported(0)} {
		if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, ErrNoLibrary) {
			t.Errorf("%v, want ErrNotSupported", err)
		}
	}
	if _, err := SpinCQ(nil, 1, nil, 0); !errors.Is(err, ErrNotSupported) {
		t.Error(err)
	}
	if TakeCQEvent(nil, nil, nil) == 0 || TakeAsyncEvent(nil, nil) == 0 {
		t.Error("there is an event")
	}
	if path, ok := Loaded(); ok || path != "" || Has(0) || Counts() != nil {
		t.Error("something is loaded")
	}
}
