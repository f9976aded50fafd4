//go:build linux && cgo

package beside

// #include "ring.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

// A Filler is a thread that fills rings of completions as soon as there is room, and keeps a processor busy all the time.
type Filler struct{ f *C.struct_beside_filler }

// NewFiller starts it.
func NewFiller() (*Filler, error) {
	f := C.beside_filler_start()
	if f == nil {
		return nil, errors.New("no thread")
	}
	return &Filler{f}, nil
}

// Close ends it.
func (f *Filler) Close() { C.beside_filler_end(f.f) }

// Order has it put n completions into a ring, which is a pinned struct ibvgo_ring, batch at a time. The last order has been carried out.
func (f *Filler) Order(ring unsafe.Pointer, n, batch int) {
	C.beside_filler_order(f.f, (*C.struct_ibvgo_ring)(ring), C.long(n), C.int(batch))
}

// Empty orders completions, and takes and reads them in C.
func (f *Filler) Empty(ring unsafe.Pointer, batch int) Loop {
	return func(n int) time.Duration {
		var sum C.uint64_t
		return time.Duration(C.beside_empty_ring(f.f, (*C.struct_ibvgo_ring)(ring), C.long(n), C.int(batch), &sum))
	}
}

// Looks looks whether a ring, which is empty, is empty, in C.
func Looks(ring unsafe.Pointer) Loop {
	return func(n int) time.Duration {
		return time.Duration(C.beside_look_at_ring((*C.struct_ibvgo_ring)(ring), C.long(n)))
	}
}
