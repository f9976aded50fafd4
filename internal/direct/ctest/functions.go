//go:build linux && cgo

package ctest

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -Werror -fno-omit-frame-pointer
// #include "functions.h"
// #include <stdlib.h>
// static void *note_f(void) { return ctest_note; }
// static void *deep_f(void) { return ctest_deep; }
// static void *clobber_f(void) { return ctest_clobber; }
// static void *stay_f(void) { return ctest_stay; }
// static void *touch_f(void) { return ctest_touch; }
// static void *post_f(void) { return ctest_post; }
import "C"

import "unsafe"

// A Note is what calls leave behind: struct ctest_note.
type Note struct {
	Calls      uint64
	Value      int64
	Pointer    unsafe.Pointer
	Stack      uintptr
	Misaligned uint64
	Result     int32
	Inside     uint32 // atomic
	Gone       uint32
	Touched    uint32
}

// NewNote makes a note in C's memory, which Free frees.
func NewNote() *Note { return (*Note)(C.calloc(1, C.size_t(unsafe.Sizeof(Note{})))) }

// Free frees it.
func (n *Note) Free() { C.free(unsafe.Pointer(n)) }

// Object is the note as a C function gets it.
func (n *Note) Object() uintptr { return uintptr(unsafe.Pointer(n)) }

// The functions.
var (
	NoteFunction = uintptr(C.note_f())
	Deep         = uintptr(C.deep_f())
	Clobber      = uintptr(C.clobber_f())
	Stay         = uintptr(C.stay_f())
	Touch        = uintptr(C.touch_f())
	Post         = uintptr(C.post_f())
)
