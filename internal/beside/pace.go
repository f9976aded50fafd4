//go:build linux && cgo

package beside

// #include "pace.h"
import "C"

// pace is how many nanoseconds a fixed loop in C takes at the moment.
func pace() float64 { return float64(C.beside_pace()) }
