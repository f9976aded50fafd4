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
	if path, ok := Loaded(); ok || path != "" || Has(0) || Counts() != nil {
		t.Error("something is loaded")
	}
}
