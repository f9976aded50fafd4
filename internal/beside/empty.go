//go:build linux && cgo

package beside

// #cgo CFLAGS: -Wno-unused-parameter
// static void beside_empty(void) {}
import "C"

import "time"

// Empty calls a function in C that does nothing, the least that any call through cgo takes.
func Empty(n int) time.Duration {
	start := time.Now()
	for range n {
		C.beside_empty()
	}
	return time.Since(start)
}
