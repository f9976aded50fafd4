package direct

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NewStack maps a stack, which is there until Free: collecting it frees nothing.
func NewStack() (*Stack, error) {
	guard := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, StackSize+2*guard, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_STACK)
	if err != nil {
		return nil, err
	}
	if err := unix.Mprotect(m[guard:len(m)-guard], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		_ = unix.Munmap(m)
		return nil, err
	}
	return &Stack{mapping: m, guard: guard}, nil
}

// Free unmaps the stack. No call may be on it, or be made any more. A second call does nothing.
func (s *Stack) Free() {
	s.free.Do(func() { _ = unix.Munmap(s.mapping) })
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
