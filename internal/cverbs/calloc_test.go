//go:build linux && cgo

package cverbs

import (
	"testing"
	"unsafe"

	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
)

// ctestAlloc returns n zero bytes of C memory that live as long as the test or benchmark.
func ctestAlloc(t testing.TB, n int) unsafe.Pointer {
	p := ctest.Alloc(n)
	t.Cleanup(func() { ctest.Free(p) })
	return p
}
