//go:build !linux || !cgo

package cverbs

// Provides tells that no library here provides anything.
func Provides(library string, function uintptr) bool { return false }
