//go:build linux && cgo

package ctest

// #cgo CFLAGS: -Wall -Wextra
// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"unsafe"
)

// Open loads a library for good, as any C code in the process might.
func Open(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if C.dlopen(p, C.RTLD_NOW) == nil {
		return errors.New(C.GoString(C.dlerror()))
	}
	return nil
}

// Close undoes Open.
func Close(path string) {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if h := C.dlopen(p, C.RTLD_NOW|C.RTLD_NOLOAD); h != nil {
		C.dlclose(h)
		C.dlclose(h)
	}
}

// Getenv returns a variable as C code sees it.
func Getenv(name string) string {
	p := C.CString(name)
	defer C.free(unsafe.Pointer(p))
	return C.GoString(C.getenv(p))
}

// Symbol returns the address of a function that the process has; 0 if it has none of this name.
func Symbol(name string) uintptr {
	p := C.CString(name)
	defer C.free(unsafe.Pointer(p))
	return uintptr(C.dlsym(nil, p)) // RTLD_DEFAULT
}

// Alloc returns n zero bytes of C memory, for the caller to Free.
func Alloc(n int) unsafe.Pointer { return C.calloc(1, C.size_t(n)) }

// Free frees what Alloc returned.
func Free(p unsafe.Pointer) { C.free(p) }
