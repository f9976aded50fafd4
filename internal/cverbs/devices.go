package cverbs

import (
	"errors"
	"sync"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Devices lists the RDMA devices of this machine. free gives the list back to the library, the first time that it is called;
// what is in it stays valid while one of the devices is open. A kernel without RDMA, for which the library fails with ENOSYS, has no devices; that is no error.
func Devices() (list []*ibv.Device, free func(), err error) {
	var n int32
	first, err := GetDeviceList(&n)
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Errno == syscall.ENOSYS && e.Symbol == "" {
			return nil, func() {}, nil
		}
		return nil, func() {}, err
	}
	if n < 0 {
		n = 0 // no library says so; a slice must not be made of it
	}
	return unsafe.Slice(first, n), sync.OnceFunc(func() { FreeDeviceList(first) }), nil
}
