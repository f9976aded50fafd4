//go:build linux && cgo

package cverbs

import (
	"testing"

	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// A function is found in its library, and in no other: those of the program itself are in the program's file.
func TestProvides(t *testing.T) {
	getenv := ctest.Symbol("getenv")
	if getenv == 0 || !Provides("libc.", getenv) || Provides("librxe-", getenv) || Provides("ibc.", getenv) {
		t.Errorf("getenv at %#x is not found in libc alone", getenv)
	}
	own := uintptr(testprovider.Function("alloc_pd"))
	if Provides("libc.", own) || Provides("librxe-", 0) || Provides("librxe-", 1) {
		t.Error("something else is found")
	}
}
