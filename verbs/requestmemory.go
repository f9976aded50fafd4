package verbs

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// requestMemory is memory outside of Go's heap for a chain of requests of type W, their elements, and inline data. C keeps nothing of
// it after a post.
type requestMemory[W ibv.SendWR | ibv.RecvWR] struct {
	wrs       []W
	sges      []ibv.SGE // each elements for each request
	inline    []byte    // maxInline for each
	maxSGE    int       // that callers may use
	each      int
	maxInline int
}

// maxRequests bounds the numbers that make up a chain's size, and that size, so that nothing runs over.
const maxRequests = 1 << 40

// newRequestMemory maps memory for n requests. It is unmapped after owner is gone, which has to get the result. one asks for one element
// at least.
func newRequestMemory[W ibv.SendWR | ibv.RecvWR, O any](v cverbs.Verb, owner *O, n, maxSGE, maxInline int, one bool) (requestMemory[W], error) {
	m := requestMemory[W]{maxSGE: maxSGE, each: maxSGE, maxInline: maxInline}
	if one {
		m.each = max(1, maxSGE)
	}
	size := m.size(n)
	if size < 0 {
		return m, refused(v, "", syscall.EINVAL, fmt.Sprintf("%d requests of %d elements and %d inline bytes", n, maxSGE, maxInline))
	}
	mapping, err := mapMemory(size)
	if err != nil {
		return m, hinted(failed(v, "", err), fmt.Sprintf("no memory for %d requests: %d bytes", n, size))
	}
	runtime.AddCleanup(owner, func(b []byte) { _ = unmapMemory(b) }, mapping)
	m.place(mapping, n)
	return m, nil
}

// size is how much memory n requests need; negative if that is no size.
func (m *requestMemory[W]) size(n int) int {
	if n < 1 || m.maxSGE < 0 || m.maxInline < 0 || max(n, m.maxSGE, m.maxInline) > maxRequests {
		return -1
	}
	var w W
	one := int64(unsafe.Sizeof(w)) + int64(m.each)*int64(unsafe.Sizeof(ibv.SGE{})) + int64(m.maxInline)
	if one > maxRequests/int64(n) || one*int64(n) > int64(^uint(0)>>1) {
		return -1
	}
	return int(one) * n
}

// place lays the parts out in the mapping.
func (m *requestMemory[W]) place(mapping []byte, n int) {
	base := unsafe.Pointer(unsafe.SliceData(mapping))
	var w W
	at := n * int(unsafe.Sizeof(w))
	m.wrs = unsafe.Slice((*W)(base), n)
	if m.each > 0 {
		m.sges = unsafe.Slice((*ibv.SGE)(unsafe.Add(base, at)), n*m.each)
	}
	m.inline = mapping[at+n*m.each*int(unsafe.Sizeof(ibv.SGE{})):]
}

// list is where the elements of request i are.
func (m *requestMemory[W]) list(i int) []ibv.SGE { return m.sges[i*m.each : (i+1)*m.each] }

// first is the address of request i's elements; nil if there can be none.
func (m *requestMemory[W]) first(i int) *ibv.SGE {
	if m.each == 0 {
		return nil
	}
	return &m.sges[i*m.each]
}

// copyInline keeps data for request i, and returns where.
func (m *requestMemory[W]) copyInline(i int, data []byte) uint64 {
	to := m.inline[i*m.maxInline:][:len(data)]
	copy(to, data)
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(to))))
}

// index is the number of a request that C has answered with, and whether it is one of these.
func (m *requestMemory[W]) index(w *W) (int, bool) {
	d := uintptr(unsafe.Pointer(w)) - uintptr(unsafe.Pointer(unsafe.SliceData(m.wrs)))
	i, rest := d/unsafe.Sizeof(*w), d%unsafe.Sizeof(*w)
	return int(i), rest == 0 && i < uintptr(len(m.wrs))
}

// elements is a request's list.
func elements(list *ibv.SGE, n int32) []ibv.SGE {
	if list == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice(list, n)
}
