package verbs

import (
	"errors"
	"fmt"
	"math"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// An MR is a memory region: memory that the device may use. All methods may be called by several goroutines at once; what the device, the
// peer and the program read and write in the memory is for the program to keep in order.
//
// A region whose handle is lost before it is closed keeps its memory pinned or mapped for good: nothing can tell that the device has
// ended to use it.
type MR struct {
	*object
	raw        *ibv.MR
	pd         *PD
	memory     *memory
	lkey, rkey uint32
}

// RegMR registers b as memory that the domain's queues may use, and peers as far as access allows (ibv_reg_mr). b is pinned, and kept by
// this package, until Close. Its memory should be nothing but that: what shares a page with it is locked in memory as well. b must not be
// empty.
//
// ENOMEM is most likely the limit on locked memory, which the error then names.
func (p *PD) RegMR(b []byte, access ibv.AccessFlags) (*MR, error) {
	if len(b) == 0 {
		if err := begin(cverbs.VerbRegMR, p.core()); err != nil {
			return nil, err
		}
		defer end(p.core())
		return nil, refused(cverbs.VerbRegMR, p.name, syscall.EINVAL, "the memory is empty")
	}
	return p.register(len(b), access, func() (*memory, error) { return pinMemory(b), nil })
}

// AllocMR registers size bytes of zeroes that are mapped for this, outside of Go's heap, so that the collector has nothing to do with
// them. They start at a page, and are unmapped by Close: slices of them must not be used any more then.
func (p *PD) AllocMR(size int, access ibv.AccessFlags) (*MR, error) {
	return p.register(size, access, func() (*memory, error) { return newMapping(size) })
}

func (p *PD) register(size int, access ibv.AccessFlags, get func() (*memory, error)) (*MR, error) {
	const verb = cverbs.VerbRegMR
	if err := begin(verb, p.core()); err != nil {
		return nil, err
	}
	defer end(p.core())
	switch {
	case size < 1:
		return nil, refused(verb, p.name, syscall.EINVAL, fmt.Sprintf("size %d is less than 1", size))
	case access&ibv.IBV_ACCESS_ZERO_BASED != 0:
		return nil, refused(verb, p.name, syscall.EINVAL, "IBV_ACCESS_ZERO_BASED: regions have the addresses of their memory")
	}
	m, err := get()
	if err != nil {
		return nil, hinted(p.failed(verb, err), fmt.Sprintf("mapping %d bytes failed", size))
	}
	raw, err := cverbs.RegMR(p.raw, uintptr(unsafe.Pointer(unsafe.SliceData(m.bytes))), uint64(size), uint32(access))
	if err != nil {
		m.release()
		return nil, hinted(p.failed(verb, err), p.memoryHint(err, size, access))
	}
	o := newObject(p.home, p.home.name("mr"), p.object)
	mr := &MR{object: o, raw: raw, pd: p, memory: m, lkey: raw.LKey, rkey: raw.RKey}
	return track(mr, o), nil
}

// memoryHint tells what is likely to be wrong if memory cannot be registered.
func (p *PD) memoryHint(err error, size int, access ibv.AccessFlags) string {
	const local, remote = ibv.IBV_ACCESS_LOCAL_WRITE, ibv.IBV_ACCESS_REMOTE_WRITE | ibv.IBV_ACCESS_REMOTE_ATOMIC
	limit, limited := memlockLimit()
	switch {
	case errors.Is(err, syscall.ENOMEM) && limited:
		return fmt.Sprintf("%d bytes more may be beyond the limit on locked memory, RLIMIT_MEMLOCK, of %d bytes: raise it (ulimit -l), or give CAP_IPC_LOCK", size, limit)
	case errors.Is(err, syscall.ENOMEM):
		return fmt.Sprintf("%d bytes more; there is no limit on locked memory (RLIMIT_MEMLOCK)", size)
	case errors.Is(err, syscall.EINVAL) && access&remote != 0 && access&local == 0:
		return fmt.Sprintf("access %v needs IBV_ACCESS_LOCAL_WRITE as well", access)
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EOPNOTSUPP):
		return fmt.Sprintf("the device may not have access %v, or regions of %d bytes", access, size)
	}
	return ""
}

func (m *MR) core() *object {
	if m == nil {
		return nil
	}
	return m.object
}

// String returns the region's name: "mr 1 on mlx5_0".
func (m *MR) String() string { return m.core().String() }

// PD returns the domain that the memory is registered in.
func (m *MR) PD() *PD {
	if m == nil {
		return nil
	}
	return m.pd
}

// Raw returns the C object, which is valid until Close, or nil if the region is closed.
func (m *MR) Raw() *ibv.MR {
	if !m.core().enter() {
		return nil
	}
	defer m.leave(0)
	return m.raw
}

// Bytes returns the memory, or nil if the region is closed. What AllocMR has mapped must not be used after Close; and the region has to be
// reachable as long as the memory is in use, if it is to be closed at all.
func (m *MR) Bytes() []byte {
	if !m.core().enter() {
		return nil
	}
	defer m.leave(0)
	b := m.memory.bytes
	return b[:len(b):len(b)]
}

// Len returns the size of the memory in bytes, also after Close.
func (m *MR) Len() int {
	if m == nil || m.memory == nil {
		return 0
	}
	return len(m.memory.bytes)
}

// Addr returns the address of the memory's first byte, by which peers name it together with RKey; also after Close.
func (m *MR) Addr() uint64 {
	if m == nil || m.memory == nil {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.memory.bytes))))
}

// LKey returns the key that this side's requests name the memory by, in host order; also after Close.
func (m *MR) LKey() uint32 {
	if m == nil {
		return 0
	}
	return m.lkey
}

// RKey returns the key that peers' RDMA requests name the memory by, in host order, which is how requests take it; also after Close.
func (m *MR) RKey() uint32 {
	if m == nil {
		return 0
	}
	return m.rkey
}

// All returns the element that stands for the whole memory, or for its first 4 GiB less one byte, which is the longest that there is. Of
// a nil or closed region it is zero.
func (m *MR) All() ibv.SGE {
	s, err := m.SGE(0, min(m.Len(), math.MaxUint32))
	if err != nil {
		return ibv.SGE{}
	}
	return s
}

// SGE returns the element of a request that stands for length bytes from offset. One that is not within the memory, or of 4 GiB or more,
// is an error matching EINVAL.
func (m *MR) SGE(offset, length int) (ibv.SGE, error) {
	const verb = cverbs.VerbPostSend
	if err := begin(verb, m.core()); err != nil {
		return ibv.SGE{}, err
	}
	defer end(m.core())
	if n := m.Len(); offset < 0 || length < 0 || offset > n || length > n-offset {
		return ibv.SGE{}, refused(verb, m.name, syscall.EINVAL, fmt.Sprintf("offset %d, length %d are not within its %d bytes", offset, length, n))
	}
	if length > math.MaxUint32 {
		return ibv.SGE{}, refused(verb, m.name, syscall.EINVAL, fmt.Sprintf("length %d does not fit an element", length))
	}
	return ibv.SGE{Addr: m.Addr() + uint64(offset), Length: uint32(length), LKey: m.lkey}, nil
}

// Close ends the registration (ibv_dereg_mr), after the calls under way, and releases the memory. It does not wait for requests that use
// the memory: they fail. If the device is gone, the memory is kept, as for a lost handle. Closing it again does nothing.
func (m *MR) Close() error {
	return m.core().close(cverbs.VerbDeregMR, func() error {
		err := cverbs.DeregMR(m.raw)
		if err == nil {
			m.memory.release()
		}
		return err
	})
}
