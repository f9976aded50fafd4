//go:build !linux || !cgo

package verbstest_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

// Where there can be no device, opening one says so.
func TestNoDeviceHere(t *testing.T) {
	if d, err := verbstest.Open(verbstest.Config{}); d != nil || !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("%v, %v; want verbs.ErrNotSupported", d, err)
	} else if _, here := verbs.Devices(); runtime.GOOS == "linux" && (!strings.Contains(err.Error(), "built without cgo") || !strings.Contains(here.Error(), "built without cgo")) {
		t.Errorf("%v and %v do not say what is missing", err, here)
	}
}
