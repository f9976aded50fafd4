//go:build !linux || !cgo

package verbstest_test

import (
	"errors"
	"testing"

	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

// Where there can be no device, opening one says so.
func TestNoDeviceHere(t *testing.T) {
	if d, err := verbstest.Open(verbstest.Config{}); d != nil || !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("%v, %v; want verbs.ErrNotSupported", d, err)
	}
}
