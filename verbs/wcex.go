package verbs

import (
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A WCEx is a completion of an extended queue. Of a request that has failed only WRID, Status and what [WCEx.Err] tells are valid; of one that has
// succeeded also Opcode, Flags, QPNum, and what [CQExAttr.Fields] has asked for. The second result of the others says whether the first is
// valid; that is zero if not.
type WCEx struct{ wc cverbs.WCEx }

// WRID is the word that the request was posted with.
func (w *WCEx) WRID() uint64 { return w.wc.WRID }

// Status is how the request has ended.
func (w *WCEx) Status() ibv.WCStatus { return w.wc.Status }

// Err returns nil if the request has succeeded, else an [*ibv.CompletionError].
func (w *WCEx) Err() error {
	if w.wc.Status == ibv.IBV_WC_SUCCESS {
		return nil
	}
	n, _ := w.QPNum()
	return &ibv.CompletionError{WRID: w.wc.WRID, Status: w.wc.Status, QPNum: n, VendorErr: w.wc.VendorErr}
}

// ok reports whether the request has succeeded.
func (w *WCEx) ok() bool { return w.wc.Status == ibv.IBV_WC_SUCCESS }

// has reports whether a field was read.
func (w *WCEx) has(f ibv.CreateCQWCFlags) bool { return w.wc.Fields&f != 0 }

// Opcode is what has ended, if that was a success.
func (w *WCEx) Opcode() (ibv.WCOpcode, bool) { return w.wc.Opcode, w.ok() }

// Flags is IBV_WC_GRH and others, of a success.
func (w *WCEx) Flags() (ibv.WCFlags, bool) { return w.wc.WCFlags, w.ok() }

// IsRecv reports whether a receive has succeeded: see [ibv.WC.IsRecv].
func (w *WCEx) IsRecv() bool {
	wc := ibv.WC{Status: w.wc.Status, Opcode: w.wc.Opcode}
	return wc.IsRecv()
}

// QPNum is the number of the local QP, or of the WQ, of failed requests, too; zero with false if the provider does not tell it.
func (w *WCEx) QPNum() (uint32, bool) { return w.wc.QPNum, w.has(ibv.IBV_WC_EX_WITH_QP_NUM) }

// field is a value that was read if f was.
func field[T any](w *WCEx, f ibv.CreateCQWCFlags, v T) (T, bool) {
	if !w.has(f) {
		var zero T
		return zero, false
	}
	return v, true
}

// ByteLen is how many bytes were received or read (IBV_WC_EX_WITH_BYTE_LEN). Of requests that send it means nothing.
func (w *WCEx) ByteLen() (uint32, bool) { return w.wc.ByteLen, w.has(ibv.IBV_WC_EX_WITH_BYTE_LEN) }

// ImmData is the immediate data of a receive that has some, in host order (IBV_WC_EX_WITH_IMM).
func (w *WCEx) ImmData() (uint32, bool) {
	v, ok := w.carries(ibv.IBV_WC_WITH_IMM)
	return ibv.Be32(v).Host(), ok
}

// InvalidatedRKey is the local key that the sender had invalidated (IBV_WC_EX_WITH_IMM).
func (w *WCEx) InvalidatedRKey() (uint32, bool) { return w.carries(ibv.IBV_WC_WITH_INV) }

// carries is what came, if it is what flag, and no other, announces.
func (w *WCEx) carries(flag ibv.WCFlags) (uint32, bool) {
	if !w.has(ibv.IBV_WC_EX_WITH_IMM) || w.wc.WCFlags&(ibv.IBV_WC_WITH_IMM|ibv.IBV_WC_WITH_INV) != flag {
		return 0, false
	}
	return w.wc.ImmData, true
}

// SrcQP is the number of the QP that has sent a datagram (IBV_WC_EX_WITH_SRC_QP).
func (w *WCEx) SrcQP() (uint32, bool) { return field(w, ibv.IBV_WC_EX_WITH_SRC_QP, w.wc.SrcQP) }

// SLID is the LID that a datagram came from (IBV_WC_EX_WITH_SLID).
func (w *WCEx) SLID() (uint32, bool) { return field(w, ibv.IBV_WC_EX_WITH_SLID, w.wc.SLID) }

// SL is a datagram's service level (IBV_WC_EX_WITH_SL).
func (w *WCEx) SL() (uint8, bool) { return field(w, ibv.IBV_WC_EX_WITH_SL, w.wc.SL) }

// DLIDPathBits are the bits of the LID that a datagram came to (IBV_WC_EX_WITH_DLID_PATH_BITS).
func (w *WCEx) DLIDPathBits() (uint8, bool) {
	return field(w, ibv.IBV_WC_EX_WITH_DLID_PATH_BITS, w.wc.DLIDPathBits)
}

// CVLAN is the tag control information of the VLAN that a packet came in, in host order (IBV_WC_EX_WITH_CVLAN).
func (w *WCEx) CVLAN() (uint16, bool) { return field(w, ibv.IBV_WC_EX_WITH_CVLAN, w.wc.CVLAN) }

// FlowTag is the tag of the flow rule that a packet has matched (IBV_WC_EX_WITH_FLOW_TAG).
func (w *WCEx) FlowTag() (uint32, bool) { return field(w, ibv.IBV_WC_EX_WITH_FLOW_TAG, w.wc.FlowTag) }

// TMInfo is what a message that tags were looked at of brought: its tag, and the sender's word (IBV_WC_EX_WITH_TM_INFO).
func (w *WCEx) TMInfo() (info ibv.WCTMInfo, ok bool) {
	return field(w, ibv.IBV_WC_EX_WITH_TM_INFO, ibv.WCTMInfo{Tag: w.wc.TMTag, Priv: w.wc.TMPriv})
}

// Timestamp is when the device has made the completion, in ticks of its clock, whose rate [ibv.DeviceAttrEx] has as HCACoreClock, in kHz
// (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP).
func (w *WCEx) Timestamp() (uint64, bool) {
	return field(w, ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, w.wc.CompletionTS)
}

// Wallclock is the same as a time of day (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK).
func (w *WCEx) Wallclock() (time.Time, bool) {
	if !w.has(ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK) {
		return time.Time{}, false
	}
	return time.Unix(0, int64(w.wc.WallclockNS)), true
}
