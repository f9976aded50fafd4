//go:build linux && cgo

package beside

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra
// #include "sends.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Sends sends n messages of 64 bytes, at memory, from one QP to another in this thread, chain at a time, receives each behind them, and
// takes both completions. It returns how long that took, and how much of it the processor spent on this thread, which on a busy machine is
// less.
func Sends(from, to *ibv.QP, memory uintptr, lkey uint32, n, chain int) (wall, cpu time.Duration, err error) {
	var w, c C.int64_t
	if C.beside_sends((*C.struct_ibv_qp)(unsafe.Pointer(from)), (*C.struct_ibv_qp)(unsafe.Pointer(to)), C.uint64_t(memory), C.uint32_t(lkey),
		C.long(n), C.int(chain), &w, &c) != 0 {
		return 0, 0, errors.New("a message failed")
	}
	return time.Duration(w), time.Duration(c), nil
}
