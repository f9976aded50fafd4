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

// StartBurst has a thread post a chain, which is C memory, so often, each time gap after the last, once there is a byte to be read from the descriptor
// begin, or its other end is closed, and write a byte to over then. Both block.
func StartBurst(qp *ibv.QP, chain *ibv.SendWR, posts int, gap time.Duration, begin, over int) (*Burst, error) {
	b := C.beside_burst_start((*C.struct_ibv_qp)(unsafe.Pointer(qp)), (*C.struct_ibv_send_wr)(unsafe.Pointer(chain)), C.long(posts), C.int64_t(gap), C.int(begin), C.int(over))
	if b == nil {
		return nil, errors.New("no thread")
	}
	return &Burst{b}, nil
}

// End waits until everything was posted, and returns how much has failed. Nothing may be called after it.
func (b *Burst) End() int { return int(C.beside_burst_end(b.b)) }
