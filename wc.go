package ibv

import "fmt"

// Err returns nil if the work request succeeded, else a *CompletionError. It is the first thing to ask of a completion: the
// manual promises only WRID, Status, QPNum and VendorErr of one that failed, and the error holds just these.
func (wc *WC) Err() error {
	if wc.Status == IBV_WC_SUCCESS {
		return nil
	}
	return &CompletionError{WRID: wc.WRID, Status: wc.Status, QPNum: wc.QPNum, VendorErr: wc.VendorErr}
}

// ImmData returns the immediate data that came with a receive, in host order, and whether there is any: the completion
// succeeded and its flags have IBV_WC_WITH_IMM, without IBV_WC_WITH_INV, with which it would share its place.
func (wc *WC) ImmData() (uint32, bool) {
	if !wc.carries(IBV_WC_WITH_IMM) {
		return 0, false
	}
	return wc.RawImmData().Host(), true
}

// InvalidatedRKey returns the local RKey that the sender had invalidated, and whether there is one: the completion succeeded
// and its flags have IBV_WC_WITH_INV, without IBV_WC_WITH_IMM.
func (wc *WC) InvalidatedRKey() (uint32, bool) {
	if !wc.carries(IBV_WC_WITH_INV) {
		return 0, false
	}
	return wc.RawInvalidatedRKey(), true
}

// IsRecv reports whether a receive succeeded: something has arrived in, or used up, a buffer that was posted. It is false if
// the completion failed, since Opcode is not valid then. The bit IBV_WC_RECV alone does not tell: changes of a tag-matching list
// and operations of the provider's own have it, too.
func (wc *WC) IsRecv() bool {
	if wc.Status != IBV_WC_SUCCESS {
		return false
	}
	switch wc.Opcode {
	case IBV_WC_RECV, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_TM_RECV, IBV_WC_TM_NO_TAG:
		return true
	}
	return false
}

// carries reports whether the union of immediate data and RKey holds what flag, and no other, announces.
func (wc *WC) carries(flag WCFlags) bool {
	return wc.Status == IBV_WC_SUCCESS && wc.WCFlags&(IBV_WC_WITH_IMM|IBV_WC_WITH_INV) == flag
}

// A CompletionError is a work request that failed: all that is known of it.
//
// errors.Is matches another *CompletionError with the same Status, so that
//
//	errors.Is(err, &ibv.CompletionError{Status: ibv.IBV_WC_WR_FLUSH_ERR})
//
// asks for any flushed request. A status is no errno, and is equal to none.
type CompletionError struct {
	// The WRID that the request was posted with.
	WRID uint64
	// Why it failed; never IBV_WC_SUCCESS if the error comes from Err.
	Status WCStatus
	// Number of the local QP.
	QPNum uint32
	// The provider's own error code.
	VendorErr uint32
}

// Error names the request, the QP, the status as C spells it, and the provider's code.
func (e *CompletionError) Error() string {
	return fmt.Sprintf("completion of wr_id %#x on qp_num %#x: %v (vendor_err %#x)", e.WRID, e.QPNum, e.Status, e.VendorErr)
}

// Is reports whether target is a *CompletionError with the same Status.
func (e *CompletionError) Is(target error) bool {
	t, ok := target.(*CompletionError)
	return ok && t.Status == e.Status
}
