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
	return closing(t, must(verbstest.New(t, verbstest.Config{}).Open()))
}
