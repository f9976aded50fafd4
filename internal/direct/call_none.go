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

// Poll goes on otherwise.
func Poll(p *Poller, out unsafe.Pointer, n int, other func(p *Poller, out unsafe.Pointer, n int) (int, error)) (int, error) {
	return pollOther(p, out, n, other)
}

// Post goes on otherwise.
func Post(p *Poster, chain *Chain, other func(p *Poster, chain *Chain) (int, error)) (int, error) {
	return postOther(p, chain, other)
}

func enter(*Gate) int { return 0 }
