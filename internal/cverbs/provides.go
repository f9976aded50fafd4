//go:build linux && cgo

package cverbs

// #include "provides.h"
// #include <stdlib.h>
import "C"

import "unsafe"

// Provides tells whether the function of an object, as its struct has it, is in a shared library whose file's name begins so: "librxe-".
// Some providers are known not to do what the manual says.
func Provides(library string, function uintptr) bool {
	name := C.CString(library)
	defer C.free(unsafe.Pointer(name))
	return C.ibvgo_provides(name, C.uintptr_t(function)) != 0
}
