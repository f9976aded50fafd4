//go:build linux && cgo

package cverbs

// #include "fileof.h"
import "C"

// FileOf is the file that a function of an object was loaded from, by its address as the object's struct has it: a provider's is named
// like libmlx5-rdmav34.so. It is empty if there is none. Some providers are known to do something otherwise than the manual says, or not to
// return at once.
func FileOf(function uintptr) string {
	name := C.ibvgo_code_file(C.uintptr_t(function))
	if name == nil {
		return ""
	}
	return C.GoString(name)
}
