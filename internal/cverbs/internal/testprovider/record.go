//go:build linux && cgo

package testprovider

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra
// #cgo LDFLAGS: -ldl
// #include "record.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"syscall"
	"unsafe"
)

// Slots, Args and MaxLook are how many recording functions there are, how many arguments they note, and of how many bytes at one.
const (
	Slots   = C.IBVTEST_SLOTS
	Args    = C.IBVTEST_ARGS
	MaxLook = C.IBVTEST_BYTES
)

// A Call is one call of a recording function, with the registers that hold its integer arguments: upper bits of short arguments,
// and registers beyond the arguments, are whatever was there.
type Call struct {
	Slot int
	Args [Args]uint64
}

// Slot returns the address of the function that notes itself as i.
func Slot(i int) uintptr { return uintptr(C.ibvtest_slot(C.int(i))) }

// Expect forgets the calls and makes all functions return result, with errno set unless it is 0. They look at nothing.
func Expect(result uint64, errno syscall.Errno) {
	C.ibvtest_record = C.struct_ibvtest_record{result: C.uint64_t(result), err: C.int(errno)}
}

// Look makes the next call keep a copy of n bytes at its argument i, and turn them over in place if flip is set. Expect ends it.
func Look(i int, n uintptr, flip bool) {
	C.ibvtest_record.look[i] = C.size_t(min(n, MaxLook))
	if flip {
		C.ibvtest_record.flip[i] = 1
	}
}

// Seen returns what was at argument i.
func Seen(i int) []byte {
	return C.GoBytes(unsafe.Pointer(&C.ibvtest_record.seen[i]), C.int(C.ibvtest_record.look[i]))
}

// Calls returns the calls since Expect, the first few of them.
func Calls() []Call {
	var r []Call
	for i := range min(C.ibvtest_record.calls, C.IBVTEST_CALLS) {
		l := &C.ibvtest_record.log[i]
		c := Call{Slot: int(l.slot)}
		for k := range c.Args {
			c.Args[k] = uint64(l.args[k])
		}
		r = append(r, c)
	}
	return r
}

// Hook loads a library for good, and puts the functions from first on into its array ibvtest_slots, which has n entries.
func Hook(path string, first, n int) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if s := C.ibvtest_hook(p, C.int(first), C.int(n)); s != nil {
		return errors.New(C.GoString(s))
	}
	return nil
}
