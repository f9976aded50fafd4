//go:build linux && cgo

package cverbs

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// alloc returns n bytes of C memory that live as long as the test.
func alloc(t *testing.T, n int) unsafe.Pointer {
	p := ctest.Alloc(n)
	t.Cleanup(func() { ctest.Free(p) })
	return p
}

func TestRegister(t *testing.T) {
	ops, a, b := alloc(t, 8*NumVerbs), alloc(t, 8), alloc(t, 8)
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

// Many objects of several providers come at once; each call goes to the provider of its object, also when others are gone, in
// another order than they came.
func TestRegisterMany(t *testing.T) {
	const providers, each = 4, 2000
	var ops [providers]unsafe.Pointer
	var objects [providers][each]unsafe.Pointer
	for p := range providers {
		ops[p] = alloc(t, 8*NumVerbs)
		unsafe.Slice((*uintptr)(ops[p]), NumVerbs)[VerbGetDeviceIndex] = testprovider.Slot(p)
		for i := range each {
			objects[p][i] = alloc(t, 64)
		}
	}
	atOnce := func(f func(p int)) {
		var done sync.WaitGroup
		for p := range providers {
			done.Go(func() { f(p) })
		}
		done.Wait()
	}
	served := func(from int) {
		t.Helper()
		for i := range each * providers {
			p, k := i%providers, i/providers
			if k%3 < from {
				continue
			}
			testprovider.Expect(5, 0)
			n, err := GetDeviceIndex((*ibv.Device)(objects[p][k]))
			if calls := testprovider.Calls(); n != 5 || err != nil || len(calls) != 1 || calls[0].Slot != p {
				t.Fatalf("object %d of provider %d: %d, %v, calls %+v", k, p, n, err, calls)
			}
		}
	}
	leave := func(p, kind int) {
		for i := range each {
			if k := each - 1 - i; k%3 == kind {
				if err := Unregister(objects[p][k]); err != nil {
					t.Error(err)
				}
			}
		}
	}
	atOnce(func(p int) {
		for _, o := range objects[p] {
			if err := Register(o, ops[p]); err != nil {
				t.Error(err)
			}
		}
	})
	served(0)
	atOnce(func(p int) { leave(p, 0) })
	served(1)
	atOnce(func(p int) { leave(p, 1); leave(p, 2) })
}
