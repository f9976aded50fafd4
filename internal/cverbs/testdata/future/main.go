// Command future calls the verbs that give the library a struct that may grow, built with a header in which it has grown. Each
// struct lies in a block of C memory that is exactly as long as Go's form of it, so the address sanitizer tells of a byte read or
// written past it. Arguments are the calls to make; without any, it lists them.
package main

// #cgo CFLAGS: -I${SRCDIR}/../..
// #include "provider.h"
// #include <stdlib.h>
// #include <string.h>
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/goverbs/ibv/internal/cverbs"
)

func main() {
	if len(os.Args) < 2 {
		for _, c := range calls {
			fmt.Println(c.name)
		}
		return
	}
	o := C.provider_objects()
	if err := cverbs.Register(o.context, unsafe.Pointer(C.provider_ops())); err != nil {
		fail("%v", err)
	}
	for _, name := range os.Args[1:] {
		call := find(name)
		call(objects(o))
		var given C.int
		if complaint := C.provider_complaint(&given); complaint != nil {
			fail("%s: %s", name, C.GoString(complaint))
		}
		if given == 0 {
			fail("%s: the provider was not called", name)
		}
	}
	if err := cverbs.Unregister(o.context); err != nil {
		fail("%v", err)
	}
	fmt.Println("done")
}

func find(name string) func(o objects) {
	for _, c := range calls {
		if c.name == name {
			return c.call
		}
	}
	fail("no call %s", name)
	return nil
}

func fail(format string, a ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", a...)
	os.Exit(1)
}

// asked returns n structs of Go's size, full of one byte, in a block of their own.
func asked[T any](n int) *T {
	var zero T
	size := unsafe.Sizeof(zero) * uintptr(n)
	p := C.malloc(C.size_t(size))
	C.memset(p, C.ASKED, C.size_t(size))
	C.provider_expect(C.size_t(unsafe.Sizeof(zero)))
	return (*T)(p)
}

// answered wants the provider's bytes in all n structs, which start at p, and frees them.
func answered[T any](p *T, n int, err error) {
	size := unsafe.Sizeof(*p) * uintptr(n)
	filled(p, size, err)
	C.free(unsafe.Pointer(p))
}

// filled wants the provider's bytes in the first size bytes from p on, and zeros in what is left of the struct.
func filled[T any](p *T, size uintptr, err error) {
	if err != nil {
		fail("%T: %v", p, err)
	}
	for i, b := range unsafe.Slice((*byte)(unsafe.Pointer(p)), max(size, unsafe.Sizeof(*p))) {
		want := byte(C.ANSWERED)
		if uintptr(i) >= size {
			want = 0
		}
		if b != want {
			fail("%T: byte %d is %#x, want %#x", p, i, b, want)
		}
	}
}
