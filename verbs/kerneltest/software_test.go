//go:build !kernel && linux && cgo

package kerneltest

import (
	"testing"

	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

func which() kind { return software }

// open makes a software device for the test and opens it. Nothing may be left of it when the test ends.
func open(t testing.TB) *verbs.Context {
	t.Helper()
	last = verbstest.New(t, verbstest.Config{})
	return closing(t, must(last.Open()))
}

// last is the device that was made last.
var last *verbstest.Device

// setPort takes the port's link down or up.
func setPort(_ testing.TB, up bool) { last.SetPort(up) }
