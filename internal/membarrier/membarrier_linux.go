package membarrier

import (
	"sync"

	"golang.org/x/sys/unix"
)

// Of linux/membarrier.h.
const (
	query             = 0
	privateExpedited  = 1 << 3
	registerExpedited = 1 << 4
)

// Unavailable is why there is no Fence; empty if there is. It has the kernel prepare for fences, which a process has to ask for once.
func Unavailable() string { return register() }

var register = sync.OnceValue(func() string {
	has, err := membarrier(query)
	switch {
	case err != 0:
		return "the kernel has no membarrier(2): " + err.Error()
	case has&privateExpedited == 0:
		return "the kernel's membarrier(2) has no MEMBARRIER_CMD_PRIVATE_EXPEDITED"
	}
	if _, err := membarrier(registerExpedited); err != 0 {
		return "membarrier(2) cannot be registered for: " + err.Error()
	}
	return ""
})

// Fence runs a full fence on all processors that run a thread of this process. It is for those to whom Unavailable has returned "", and does not fail then.
func Fence() {
	if _, err := membarrier(privateExpedited); err != 0 {
		panic("membarrier(2): " + err.Error()) // callers may be in unnoticed
	}
}

func membarrier(command uintptr) (uintptr, unix.Errno) {
	r, _, err := unix.Syscall(unix.SYS_MEMBARRIER, command, 0, 0)
	return r, err
}
