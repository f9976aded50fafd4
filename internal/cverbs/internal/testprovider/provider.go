//go:build linux && cgo

package testprovider

// #include "provider.h"
// #include <stdlib.h>
import "C"

import (
	"syscall"
	"time"
	"unsafe"
)

// A Provider serves the calls of contexts, protection domains, completion queues and work queues.
type Provider struct{ p *C.struct_ibvtest_provider }

// Open makes one. Its extended context has less bytes than the header says, as an older library's.
func Open(less int) *Provider { return &Provider{C.ibvtest_open(C.size_t(less))} }

// Close frees it if no object is left, and returns how many are.
func (p *Provider) Close() int { return int(C.ibvtest_close(p.p)) }

// Context returns the address of its struct ibv_context.
func (p *Provider) Context() unsafe.Pointer { return unsafe.Pointer(C.ibvtest_context(p.p)) }

// Fail makes the next calls of its operations do nothing but set errno, and return NULL or value.
func (p *Provider) Fail(times int, value int, errno syscall.Errno) {
	*C.ibvtest_next(p.p) = C.struct_ibvtest_script{times: C.long(times), value: C.int(value), err: C.int(errno)}
}

// Objects returns how many domains, completion queues and work queues there are.
func (p *Provider) Objects() [3]int {
	var pds, cqs, wqs C.int
	C.ibvtest_objects(p.p, &pds, &cqs, &wqs)
	return [3]int{int(pds), int(cqs), int(wqs)}
}

// Function returns the address of the function that serves ibv_name; nil if there is none.
func Function(name string) unsafe.Pointer {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.ibvtest_function(s)
}

// TimePD allocates and frees a domain n times in C.
func (p *Provider) TimePD(n int) time.Duration {
	return time.Duration(C.ibvtest_time_pd(p.p, C.long(n)))
}

// TimePoll polls a completion queue n times in C, for up to 16 entries.
func TimePoll(cq unsafe.Pointer, n int) time.Duration {
	return time.Duration(C.ibvtest_time_poll((*C.struct_ibv_cq)(cq), C.long(n)))
}

// TimeNotify arms a completion queue n times in C.
func TimeNotify(cq unsafe.Pointer, n int) time.Duration {
	return time.Duration(C.ibvtest_time_notify((*C.struct_ibv_cq)(cq), C.long(n)))
}
