//go:build linux && cgo

package cverbs

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
)

// alloc returns n bytes of C memory that live as long as the test.
func alloc(t *testing.T, n int) unsafe.Pointer {
	p := ctest.Alloc(n)
	t.Cleanup(func() { ctest.Free(p) })
	return p
}

func TestRegister(t *testing.T) {
	ops, a, b := alloc(t, 8*len(verbTable)), alloc(t, 8), alloc(t, 8)
	for i, c := range []struct {
		got  error
		want error
	}{
		{Register(nil, ops), syscall.EINVAL},
		{Register(a, nil), syscall.EINVAL},
		{Unregister(nil), syscall.ENOENT},
		{Unregister(a), syscall.ENOENT},
		{Register(a, ops), nil},
		{Register(a, ops), syscall.EEXIST},
		{Unregister(b), syscall.ENOENT},
		{Register(b, ops), nil},
		{Unregister(a), nil},
		{Unregister(a), syscall.ENOENT},
		{Register(a, ops), nil},
		{Unregister(b), nil},
		{Unregister(a), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("step %d: %v, want %v", i, c.got, c.want)
		}
	}
}

// Many objects share a bucket, and go in another order than they came.
func TestRegisterMany(t *testing.T) {
	ops := alloc(t, 8*len(verbTable))
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			objects := make([]unsafe.Pointer, 2000)
			for i := range objects {
				objects[i] = alloc(t, 64)
				if err := Register(objects[i], ops); err != nil {
					t.Error(err)
				}
			}
			for i := range objects {
				if err := Unregister(objects[(i*7+3)%len(objects)]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}
