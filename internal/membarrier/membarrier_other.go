//go:build !linux

package membarrier

// Unavailable says that there is no Fence here.
func Unavailable() string { return "this system has no membarrier(2)" }

// Fence is not to be called.
func Fence() { panic("membarrier(2) on a system that has none") }
