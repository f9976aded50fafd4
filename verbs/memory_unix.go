//go:build unix

package verbs

import "syscall"

// mapMemory maps size bytes of zeroes outside of Go's heap, at the start of a page.
func mapMemory(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// unmapMemory gives back what mapMemory has returned.
func unmapMemory(b []byte) error { return syscall.Munmap(b) }
