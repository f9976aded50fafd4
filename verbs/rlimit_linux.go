package verbs

import "syscall"

// memlockLimit returns how many bytes this process may lock in memory, and whether there is a limit. Registering memory locks it.
func memlockLimit() (uint64, bool) {
	const resource = 8 // RLIMIT_MEMLOCK, on all architectures that the root package supports
	var l syscall.Rlimit
	if syscall.Getrlimit(resource, &l) != nil || l.Cur == ^uint64(0) {
		return 0, false
	}
	return l.Cur, true
}
