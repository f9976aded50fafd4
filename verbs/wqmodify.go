package verbs

import (
	"fmt"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// WQModify says what to change of a WQ: something at least.
type WQModify struct {
	// The state to move to: new(ibv.IBV_WQS_RDY).
	State *ibv.WQState
	// The state that the WQ has to be in, else it is left as it is: EINVAL.
	CurrState *ibv.WQState
	// New values of the flags in FlagsMask.
	Flags, FlagsMask ibv.WQFlags
}

// Modify changes the WQ with ibv_modify_wq. It goes from IBV_WQS_RESET to RDY, from RDY to ERR, which completes all receives with
// IBV_WC_WR_FLUSH_ERR, and from any state to RESET, which drops them; the device refuses other ways, and flags that cannot be changed, with
// EINVAL. On an error the WQ is as it was.
//
// Completions that were not polled yet may be gone after RESET. Refused with EINVAL: Flags outside of FlagsMask, and nothing to
// change.
func (w *WQ) Modify(m WQModify) error {
	if err := begin(cverbs.VerbModifyWQ, w.core()); err != nil {
		return err
	}
	defer end(w.object)
	attr := ibv.WQAttr{Flags: m.Flags, FlagsMask: m.FlagsMask}
	if m.State != nil {
		attr.AttrMask, attr.WQState = attr.AttrMask|ibv.IBV_WQ_ATTR_STATE, *m.State
	}
	if m.CurrState != nil {
		attr.AttrMask, attr.CurrWQState = attr.AttrMask|ibv.IBV_WQ_ATTR_CURR_STATE, *m.CurrState
	}
	if m.FlagsMask != 0 {
		attr.AttrMask |= ibv.IBV_WQ_ATTR_FLAGS
	}
	if lost := m.Flags &^ m.FlagsMask; lost != 0 {
		return refused(cverbs.VerbModifyWQ, w.name, syscall.EINVAL, fmt.Sprintf("WQModify.Flags has %v, which FlagsMask has not", lost))
	}
	if attr.AttrMask == 0 {
		return refused(cverbs.VerbModifyWQ, w.name, syscall.EINVAL, "there is nothing to change")
	}
	// A post sees the state before or after.
	w.rq.mu.Lock()
	defer w.rq.mu.Unlock()
	from := wqState(w.raw)
	err := w.failed(cverbs.VerbModifyWQ, cverbs.ModifyWQ(w.raw, &attr))
	switch {
	case err == nil || errnoOf(err) != syscall.EINVAL:
	case m.CurrState != nil && *m.CurrState != from:
		err = hinted(err, fmt.Sprintf("WQModify.CurrState is %v, and the WQ is in %v", *m.CurrState, from))
	case m.State != nil:
		err = hinted(err, fmt.Sprintf("from %v to %v", from, *m.State))
	}
	return err
}
