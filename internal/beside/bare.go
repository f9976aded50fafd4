//go:build linux && cgo

package beside

/*
#include <infiniband/verbs.h>
#include <stdint.h>

static inline void beside_bare_post(uintptr_t qp, uintptr_t wr, int *result)
{
	struct ibv_send_wr *bad;

	*result = ibv_post_send((struct ibv_qp *)qp, (struct ibv_send_wr *)wr, &bad);
}

static inline void beside_bare_poll(uintptr_t cq, uint8_t *wc, int *result)
{
	*result = ibv_poll_cq((struct ibv_cq *)cq, 1, (struct ibv_wc *)wc);
}

#cgo noescape beside_bare_post
#cgo nocallback beside_bare_post
#cgo noescape beside_bare_poll
#cgo nocallback beside_bare_poll
*/
import "C"

import (
	"unsafe"

	"github.com/goverbs/ibv"
)

// BarePost posts a request in C memory by a function of cgo's, as fast as those get, with nothing around it, and returns what the verb returns.
func BarePost(qp *ibv.QP, wr *ibv.SendWR) int {
	var result C.int
	C.beside_bare_post(C.uintptr_t(uintptr(unsafe.Pointer(qp))), C.uintptr_t(uintptr(unsafe.Pointer(wr))), &result)
	return int(result)
}

// BarePoll polls for one completion, likewise.
func BarePoll(cq *ibv.CQ, wc *ibv.WC) int {
	var result C.int
	C.beside_bare_poll(C.uintptr_t(uintptr(unsafe.Pointer(cq))), (*C.uint8_t)(unsafe.Pointer(wc)), &result)
	return int(result)
}
