//go:build !(linux && cgo && !race && !asan && !msan && (amd64 || arm64))

package direct

import (
	"runtime"
	"unsafe"
)

// Available is why calls cannot be made here.
func Available() string {
	switch {
	case runtime.GOOS != "linux":
		return "direct calls are for Linux"
	case runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return "there are no direct calls for " + runtime.GOARCH
	}
	return "there are no direct calls without cgo, or under a sanitizer"
}

func call(*Gate, uintptr, unsafe.Pointer) int { return Refused }

func callCounting(*Gate, uintptr, unsafe.Pointer) int { return Refused }

func post(gate *Gate, _ *Chain) { gate.result = Refused }

func enter(*Gate) int { return 0 }
