//go:build linux && cgo

package beside

// #include "burst.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A Burst is a thread that posts, whatever Go does meanwhile.
type Burst struct{ b *C.struct_beside_burst }

// StartBurst has a thread post a chain, which is C memory, so often, each time gap after the last, beginning after delay.
func StartBurst(qp *ibv.QP, chain *ibv.SendWR, posts int, gap, delay time.Duration) (*Burst, error) {
	b := C.beside_burst_start((*C.struct_ibv_qp)(unsafe.Pointer(qp)), (*C.struct_ibv_send_wr)(unsafe.Pointer(chain)), C.long(posts), C.int64_t(gap), C.int64_t(delay))
	if b == nil {
		return nil, errors.New("no thread")
	}
	return &Burst{b}, nil
}

// Done reports whether everything has been posted.
func (b *Burst) Done() bool { return C.beside_burst_done(b.b) != 0 }

// End waits until that is so, and returns how many posts have failed. Nothing may be called after it.
func (b *Burst) End() int { return int(C.beside_burst_end(b.b)) }
