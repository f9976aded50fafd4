package direct

import (
	"sync"

	"golang.org/x/sys/unix"
)

// Of linux/membarrier.h.
const (
	membarrierQuery             = 0
	membarrierPrivateExpedited  = 1 << 3
	membarrierRegisterExpedited = 1 << 4
)

// registered has the kernel prepare for fences, which a process has to ask for once.
var registered = sync.OnceValue(func() string {
	has, err := membarrier(membarrierQuery)
	switch {
	case err != 0:
		return "the kernel has no membarrier(2): " + err.Error()
	case has&membarrierPrivateExpedited == 0:
		return "the kernel's membarrier(2) has no MEMBARRIER_CMD_PRIVATE_EXPEDITED"
	}
	if _, err := membarrier(membarrierRegisterExpedited); err != 0 {
		return "membarrier(2) cannot be registered for: " + err.Error()
	}
	return ""
})

// fence runs a full fence on all processors that run a thread of this process. After registered it does not fail.
func fence() {
	if _, err := membarrier(membarrierPrivateExpedited); err != 0 {
		panic("membarrier(2): " + err.Error()) // callers may be in unnoticed
	}
}

func membarrier(command uintptr) (uintptr, unix.Errno) {
	r, _, err := unix.Syscall(unix.SYS_MEMBARRIER, command, 0, 0)
	return r, err
}
