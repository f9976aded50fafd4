package verbs

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/direct"
)

// A SendWR describes one request for a send queue, as struct ibv_send_wr does.
type SendWR struct {
	// The caller's word, which comes back in the completion.
	WRID uint64
	// What to do: IBV_WR_SEND, IBV_WR_RDMA_READ, ...; zero is IBV_WR_RDMA_WRITE.
	Opcode ibv.WROpcode
	// How: IBV_SEND_SIGNALED for a completion, and others.
	Flags ibv.SendFlags
	// The buffers. An RDMA read fills them.
	SGList []ibv.SGE
	// Bytes that are sent instead of buffers, and copied at once: IBV_SEND_INLINE is then set. SGList has to be empty.
	Inline []byte
	// Immediate data in host order, of opcodes that have some. It travels in network order.
	ImmData uint32
	// The key of IBV_WR_SEND_WITH_INV, which is the peer's, or IBV_WR_LOCAL_INV, which is an own one.
	InvalidateRKey uint32
	// The peer's memory, of RDMA and atomic operations: an address that its key is for.
	RemoteAddr uint64
	RKey       uint32
	// Operands of atomic operations in host order: what to add, or what to compare with, and what to swap in.
	CompareAdd, Swap uint64
}

// SendRequests are send requests in memory that C may read: built once, patched and posted again as often as wanted. They may be posted
// to any QP, but are for one goroutine at a time: if two post them at once anything may happen, a post beside Close included. What they point to has to
// stay in place until they have completed; they themselves may be changed as soon as a post returns.
//
// What changes from post to post is patched in place, which costs a store: with w := r.At(i) the id is w.WRID; the immediate data
// w.SetImmData(ibv.ToBe32(v)); the peer's address and key w.WR.RDMA().RemoteAddr and RKey; an own buffer's address and length r.SGE(i,
// k).Addr and Length.
//
// The memory is unmapped when nothing refers to the SendRequests any more.
type SendRequests struct {
	chain direct.Chain // what a post takes of it; first, for DirectSend.Post
	requestMemory[ibv.SendWR]
	signals []uint64 // which requests are signalled, 64 a word
	// The most that a request has ever had, so that a queue with room for it need not be asked for each.
	mostSGE    int32
	mostInline uint32
}

// NewSendRequests makes n requests, each with room for maxSGE elements and maxInline bytes of inline data. They are zero: RDMA
// writes of nothing, not signalled. Sizes that are negative or beyond reason, or an n below 1, are refused with EINVAL; ENOMEM: no memory.
func NewSendRequests(n, maxSGE, maxInline int) (*SendRequests, error) {
	r := new(SendRequests)
	// Inline data needs one element.
	m, err := newRequestMemory[ibv.SendWR](cverbs.VerbPostSend, r, n, maxSGE, maxInline, maxInline > 0)
	if err != nil {
		return nil, err
	}
	r.requestMemory, r.chain = m, direct.Chain{First: unsafe.Pointer(&m.wrs[0]), N: int64(n)}
	r.signals = make([]uint64, (n+63)/64)
	for i := range r.wrs {
		r.wrs[i].SGList = r.first(i)
		if i > 0 {
			r.wrs[i-1].Next = &r.wrs[i]
		}
	}
	return r, nil
}

// Cap is how many requests there are.
func (r *SendRequests) Cap() int {
	if r == nil {
		return 0
	}
	return len(r.wrs)
}

// Len is how many of them a post takes, from the first: all, unless SetLen has been called.
func (r *SendRequests) Len() int {
	if r == nil {
		return 0
	}
	return int(r.chain.N)
}

// SetLen makes posts take the first n requests. EINVAL: n is not between 0 and Cap.
func (r *SendRequests) SetLen(n int) error {
	if n < 0 || n > r.Cap() {
		return refused(cverbs.VerbPostSend, "", syscall.EINVAL, fmt.Sprintf("length %d of a chain of %d requests", n, r.Cap()))
	}
	if r != nil {
		r.join(r.Len())
		r.chain.N, r.chain.Fits = int64(n), 0
		r.cut(n)
	}
	return nil
}

// cut ends the chain after n requests, and join lets it go on there again. As all that writes to the mapping, they keep r until it is written:
// it may be the last use of r, whose end unmaps it.
func (r *SendRequests) cut(n int) {
	if n > 0 {
		r.wrs[n-1].Next = nil
	}
	runtime.KeepAlive(r)
}

func (r *SendRequests) join(n int) {
	if n > 0 && n < len(r.wrs) {
		r.wrs[n-1].Next = &r.wrs[n]
	}
	runtime.KeepAlive(r)
}

// At is request i in C's form, to be patched in place: at once, with no check. Leave Next, SGList and NumSGE as they are, and
// IBV_SEND_SIGNALED to Signal. It is valid as long as r is. It is nil if there is no such request.
func (r *SendRequests) At(i int) *ibv.SendWR {
	if i < 0 || i >= r.Cap() {
		return nil
	}
	return &r.wrs[i]
}

// SGE is element k of request i, to be patched in place. It is valid as long as r is. It is nil if there is no room for such an element.
func (r *SendRequests) SGE(i, k int) *ibv.SGE {
	if i < 0 || i >= r.Cap() || k < 0 || k >= r.maxSGE {
		return nil
	}
	return &r.list(i)[k]
}

// Set makes request i what wr says. EINVAL: there is no such request, or no room for so many elements or bytes; it is unchanged then.
func (r *SendRequests) Set(i int, wr SendWR) error {
	if err := r.check(i, len(wr.SGList), len(wr.Inline)); err != nil {
		return err
	}
	if len(wr.Inline) > 0 && len(wr.SGList) > 0 {
		return refused(cverbs.VerbPostSend, "", syscall.EINVAL, fmt.Sprintf("request %d has inline data and a list of buffers", i))
	}
	r.set(i, &wr)
	return nil
}

// set is Set for what fits.
func (r *SendRequests) set(i int, wr *SendWR) {
	w := &r.wrs[i]
	w.WRID, w.Opcode, w.NumSGE = wr.WRID, wr.Opcode, int32(len(wr.SGList))
	if wr.Opcode == ibv.IBV_WR_SEND_WITH_INV || wr.Opcode == ibv.IBV_WR_LOCAL_INV {
		w.SetInvalidateRKey(wr.InvalidateRKey)
	} else {
		w.SetImmData(ibv.ToBe32(wr.ImmData))
	}
	if wr.Opcode == ibv.IBV_WR_ATOMIC_CMP_AND_SWP || wr.Opcode == ibv.IBV_WR_ATOMIC_FETCH_AND_ADD {
		a := w.WR.Atomic()
		a.RemoteAddr, a.RKey, a.CompareAdd, a.Swap = wr.RemoteAddr, wr.RKey, wr.CompareAdd, wr.Swap
	} else {
		a := w.WR.RDMA()
		a.RemoteAddr, a.RKey = wr.RemoteAddr, wr.RKey
	}
	copy(r.list(i), wr.SGList)
	r.flag(i, wr.Flags)
	switch {
	case len(wr.Inline) > 0:
		r.setInline(i, wr.Inline)
	case wr.Flags&ibv.IBV_SEND_INLINE != 0:
		r.has(w.NumSGE, inlineLength(w))
	default:
		r.has(w.NumSGE, 0)
	}
	runtime.KeepAlive(r)
}

// flag sets a request's flags.
func (r *SendRequests) flag(i int, flags ibv.SendFlags) {
	r.wrs[i].SendFlags = flags
	bit := uint64(1) << (i % 64)
	if flags&ibv.IBV_SEND_SIGNALED != 0 {
		r.signals[i/64] |= bit
	} else {
		r.signals[i/64] &^= bit
	}
	r.chain.Signal = r.signals[0] & 1
	runtime.KeepAlive(r)
}

// Signal says whether request i gets a completion, by its flag IBV_SEND_SIGNALED. EINVAL: there is no such request.
func (r *SendRequests) Signal(i int, on bool) error {
	if err := r.check(i, 0, 0); err != nil {
		return err
	}
	flags := r.wrs[i].SendFlags &^ ibv.IBV_SEND_SIGNALED
	if on {
		flags |= ibv.IBV_SEND_SIGNALED
	}
	r.flag(i, flags)
	return nil
}

// SetInline makes request i send a copy of data, and sets its flag IBV_SEND_INLINE. data may be changed afterwards. EINVAL: there is no
// such request, or no room for so many bytes.
func (r *SendRequests) SetInline(i int, data []byte) error {
	if err := r.check(i, 0, len(data)); err != nil {
		return err
	}
	r.setInline(i, data)
	return nil
}

func (r *SendRequests) setInline(i int, data []byte) {
	w := &r.wrs[i]
	w.SendFlags |= ibv.IBV_SEND_INLINE
	w.NumSGE = 0
	if len(data) > 0 {
		r.list(i)[0] = ibv.SGE{Addr: r.copyInline(i, data), Length: uint32(len(data))}
		w.NumSGE = 1
	}
	r.has(w.NumSGE, uint32(len(data)))
	runtime.KeepAlive(r)
}

// has notes how many elements and inline bytes a request has.
func (r *SendRequests) has(sges int32, inline uint32) {
	if sges > r.mostSGE || inline > r.mostInline {
		r.mostSGE, r.mostInline, r.chain.Fits = max(r.mostSGE, sges), max(r.mostInline, inline), 0
	}
}

// check refuses what does not fit.
func (r *SendRequests) check(i, sges, inline int) error {
	switch {
	case i < 0 || i >= r.Cap():
		return refused(cverbs.VerbPostSend, "", syscall.EINVAL, fmt.Sprintf("request %d of a chain of %d", i, r.Cap()))
	case sges > r.maxSGE:
		return refused(cverbs.VerbPostSend, "", syscall.EINVAL, fmt.Sprintf("request %d has %d elements, and room for %d", i, sges, r.maxSGE))
	case inline > r.maxInline:
		return refused(cverbs.VerbPostSend, "", syscall.EINVAL, fmt.Sprintf("request %d has %d bytes of inline data, and room for %d", i, inline, r.maxInline))
	}
	return nil
}

// inlineLength is how many bytes a request with IBV_SEND_INLINE takes.
func inlineLength(w *ibv.SendWR) uint32 {
	n := uint64(0)
	for _, s := range elements(w.SGList, w.NumSGE) {
		n += uint64(s.Length)
	}
	return uint32(min(n, 1<<32-1))
}

// unfit is the first request of those to be posted that has more elements or inline bytes than a queue has room for; -1: none.
func (r *SendRequests) unfit(maxSGE, maxInline uint32) int {
	if int64(r.mostSGE) <= int64(maxSGE) && r.mostInline <= maxInline {
		return -1
	}
	for i := range r.wrs[:r.chain.N] {
		w := &r.wrs[i]
		if int64(w.NumSGE) > int64(maxSGE) || w.SendFlags&ibv.IBV_SEND_INLINE != 0 && inlineLength(w) > maxInline {
			return i
		}
	}
	return -1
}
