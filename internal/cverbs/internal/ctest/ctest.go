//go:build linux && cgo

package ctest

// #cgo CFLAGS: -Wall -Wextra
// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
//
// // device_list lists the devices and frees the list. It returns how many there are, or -1 for NULL.
// static int device_list(void *get, void *release)
// {
//	int n = 0;
//	void **list = ((void **(*)(int *))get)(&n);
//
//	if (!list)
//		return -1;
//	((void (*)(void **))release)(list);
//	return n;
// }
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

// DeviceList calls ibv_get_device_list and ibv_free_device_list, whose addresses it gets. It returns the number of devices, or -1
// and errno if the list was NULL.
func DeviceList(get, release unsafe.Pointer) (int, error) {
	n, err := C.device_list(get, release)
	if n >= 0 {
		return int(n), nil // errno says nothing
	}
	return int(n), err
}

// Getenv returns a variable as C code sees it.
func Getenv(name string) string {
	p := C.CString(name)
	defer C.free(unsafe.Pointer(p))
	return C.GoString(C.getenv(p))
}

// Alloc returns n zero bytes of C memory, for the caller to Free.
func Alloc(n int) unsafe.Pointer { return C.calloc(1, C.size_t(n)) }

// Free frees what Alloc returned.
func Free(p unsafe.Pointer) { C.free(p) }
