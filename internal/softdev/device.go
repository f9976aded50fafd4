//go:build linux && cgo

package softdev

// #cgo CFLAGS: -std=gnu11 -pthread -Wall -Wextra
// #include "softdev.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A Device is an RDMA device. Its methods may be called by any goroutine at any time; those that take an object of the device need
// it to exist during the call. After Close they return errors, zeros and nil.
type Device struct {
	// Held for reading while C uses the device, so that Close does not free it meanwhile.
	mu  sync.RWMutex
	d   *C.struct_softdev // nil after Close
	ops unsafe.Pointer    // the table that the registry has; C memory of this Device
}

// New makes a device. It is not in anybody's list of devices: Open opens it, or cverbs.OpenDevice what Raw returns, and Close frees it.
func New(config Config) (*Device, error) {
	c, err := config.c()
	if err != nil {
		return nil, err
	}
	p, err := C.softdev_new(c)
	if p == nil {
		return nil, fmt.Errorf("make the device: %w", err)
	}
	d := &Device{d: p, ops: table(p)}
	register, unregister := cverbs.RegistryFunctions()
	if r := C.softdev_set_registry(p, (*C.softdev_add)(register), (*C.softdev_remove)(unregister), (*C.softdev_function_t)(d.ops)); r != 0 {
		d.free()
		return nil, fmt.Errorf("register the device: %w", syscall.Errno(r))
	}
	return d, nil
}

// table makes the array of functions, indexed by cverbs.Verb, that the registry wants.
func table(p *C.struct_softdev) unsafe.Pointer {
	functions := map[string]unsafe.Pointer{}
	for verb := C.int(0); verb < C.SD_NVERBS; verb++ {
		functions[cName(verb)] = unsafe.Pointer(C.softdev_function(p, verb))
	}
	var served C.softdev_function_t
	for i := C.int(0); ; i++ {
		name := C.softdev_alias(p, i, &served)
		if name == nil {
			break
		}
		functions["ibv_"+C.GoString(name)] = unsafe.Pointer(served)
	}
	var ops []unsafe.Pointer
	for v := cverbs.Verb(0); !strings.HasPrefix(v.String(), "Verb("); v++ {
		ops = append(ops, functions[v.String()])
	}
	size := C.size_t(len(ops)) * C.size_t(unsafe.Sizeof(ops[0]))
	t := C.malloc(size) // does not return without memory
	copy(unsafe.Slice((*unsafe.Pointer)(t), len(ops)), ops)
	return t
}

func (d *Device) free() {
	C.softdev_free(d.d)
	C.free(d.ops)
	d.d, d.ops = nil, nil
}

// Close frees the device. While contexts are open it frees nothing, and returns an error that matches EBUSY and counts what is
// left. A second Close returns an error that matches os.ErrClosed.
func (d *Device) Close() error {
	if d == nil {
		return errClosed
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.d == nil {
		return errClosed
	}
	if left := objects(d.d); left.Contexts != 0 {
		return fmt.Errorf("there are still %v: %w", left, syscall.EBUSY)
	}
	d.free()
	return nil
}

// with calls f with the device, unless it is closed or nil.
func (d *Device) with(f func(*C.struct_softdev)) error {
	if d == nil {
		return errClosed
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.d == nil {
		return errClosed
	}
	f(d.d)
	return nil
}

// Raw returns the C object, which belongs to the Device.
func (d *Device) Raw() (device *ibv.Device) {
	d.with(func(p *C.struct_softdev) { device = (*ibv.Device)(unsafe.Pointer(C.softdev_device(p))) })
	return device
}

// Open opens a context. After Close the error matches ENODEV, as of a device that is gone.
func (d *Device) Open() (c *ibv.Context, err error) {
	if gone := d.with(func(p *C.struct_softdev) {
		c, err = cverbs.OpenDevice((*ibv.Device)(unsafe.Pointer(C.softdev_device(p))))
	}); gone != nil {
		return nil, fmt.Errorf("%w: %w", syscall.ENODEV, gone)
	}
	return c, err
}

func objects(p *C.struct_softdev) Objects {
	var counts [C.SD_NKINDS]C.uint32_t
	C.softdev_objects(p, &counts[0])
	return named(counts)
}

func named(counts [C.SD_NKINDS]C.uint32_t) Objects {
	at := func(kind int) int { return int(counts[kind]) }
	return Objects{
		Contexts: at(C.SD_CONTEXT), PDs: at(C.SD_PD), MRs: at(C.SD_MR), CompChannels: at(C.SD_CHANNEL),
		CQs: at(C.SD_CQ), QPs: at(C.SD_QP), WQs: at(C.SD_WQ), RWQIndTables: at(C.SD_TABLE),
	}
}

// Objects returns how many objects of each kind there are.
func (d *Device) Objects() (o Objects) {
	d.with(func(p *C.struct_softdev) { o = objects(p) })
	return o
}

// Orphans returns how many objects ibv_close_device has had to end so far, because the program had not.
func (d *Device) Orphans() (o Objects) {
	d.with(func(p *C.struct_softdev) {
		var counts [C.SD_NKINDS]C.uint32_t
		C.softdev_orphans(p, &counts[0])
		o = named(counts)
	})
	return o
}

// Dropped returns how many injected packets were dropped.
func (d *Device) Dropped() (n uint64) {
	d.with(func(p *C.struct_softdev) { n = uint64(C.softdev_dropped(p)) })
	return n
}
