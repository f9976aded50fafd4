//go:build !linux

package verbs

// memlockLimit knows of none.
func memlockLimit() (uint64, bool) { return 0, false }
