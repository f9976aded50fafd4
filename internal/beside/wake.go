//go:build linux && cgo

package beside

// #include "wake.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A Waker is a thread that wakes somebody, again and again.
type Waker struct{ w *C.struct_beside_waker }

// NewWaker starts it: it writes to fd, or, if that is negative, has [WakerPoll] return a completion, a while after it was told of the last time, so that the other
// sleeps by then.
func NewWaker(fd int) (*Waker, error) { return started(C.beside_waker_start(C.int(fd))) }

// NewPoster starts one that posts a chain, which is C memory, instead.
func NewPoster(qp *ibv.QP, chain *ibv.SendWR) (*Waker, error) {
	return started(C.beside_poster_start((*C.struct_ibv_qp)(unsafe.Pointer(qp)), (*C.struct_ibv_send_wr)(unsafe.Pointer(chain))))
}

func started(w *C.struct_beside_waker) (*Waker, error) {
	if w == nil {
		return nil, errors.New("no thread")
	}
	return &Waker{w}, nil
}

// Close ends it.
func (w *Waker) Close() { C.beside_waker_end(w.w) }

// CQ is what WakerPoll takes as a queue.
func (w *Waker) CQ() unsafe.Pointer { return unsafe.Pointer(w.w) }

// Woken is called by who was woken: it returns how long that took, and has the thread do it again.
func (w *Waker) Woken() time.Duration { return time.Duration(C.beside_waker_woken(w.w)) }

// Sleeps is woken in C, from poll(2) of fd, as often as there is room for what each time took; it reports false if something failed.
func (w *Waker) Sleeps(fd int, took []time.Duration) bool {
	return C.beside_sleeps(w.w, C.int(fd), C.long(len(took)), (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(took)))) == 0
}

// WakerPoll is a C function: see struct ibvgo_poller_ops.
func WakerPoll() unsafe.Pointer { return unsafe.Pointer(C.beside_waker_poll) }
