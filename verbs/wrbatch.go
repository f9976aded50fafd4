package verbs

import (
	"fmt"
	"runtime"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// createForOps creates a QP with ibv_create_qp_ex, whose sends are built by the calls for these operations.
func (p *PD) createForOps(init *ibv.QPInitAttr, ops ibv.QPCreateSendOpsFlags) (*ibv.QP, *ibv.QPEx, error) {
	attr := &ibv.QPInitAttrEx{
		SendCQ: init.SendCQ, RecvCQ: init.RecvCQ, Cap: init.Cap, QPType: init.QPType, SQSigAll: init.SQSigAll, PD: p.raw,
		CompMask: ibv.IBV_QP_INIT_ATTR_PD | ibv.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, SendOpsFlags: uint64(ops),
	}
	raw, err := cverbs.CreateQPEx(p.ctx.raw, attr)
	if err != nil {
		return nil, nil, err
	}
	init.Cap = attr.Cap
	ex, err := cverbs.QPToQPEx(raw)
	if err != nil {
		_ = cverbs.DestroyQP(raw) // nobody has seen it
		return nil, nil, p.failed(cverbs.VerbQPToQPEx, err)
	}
	return raw, ex, nil
}

// build posts the first fit requests of r, for which free has found room, by ibv_wr_start and ibv_wr_complete: all of them, or none. The caller
// has mu.
func (s *sendQueue) build(r *SendRequests, fit int) (int, error) {
	b := cverbs.WRBatch{QP: s.ex, Ops: s.ops, WRs: &r.wrs[0], N: int32(fit)}
	result := b.Call()
	runtime.KeepAlive(r)
	switch {
	case result != 0:
		return 0, s.notBuilt(r, int(b.Index), fit, cverbs.Posted(int(result)))
	case fit < r.Len():
		s.accept(r, fit)
		return fit, s.noRoom(fit)
	}
	s.accept(r, fit)
	return fit, nil
}

// notBuilt is the error of a batch of fit requests; index is that of the one that could not be built, or fit.
func (s *sendQueue) notBuilt(r *SendRequests, index, fit int, errno syscall.Errno) error {
	const verb = cverbs.VerbWRComplete
	var hint string
	switch {
	case index < fit && errno == syscall.EOPNOTSUPP:
		hint = fmt.Sprintf("request %d is %v, which is not in QPAttr.SendOps, %v: none was posted", index, r.wrs[index].Opcode, s.ops)
	case index < fit:
		hint = fmt.Sprintf("request %d, %v, has %d elements: none was posted", index, r.wrs[index].Opcode, r.wrs[index].NumSGE)
	case errno == syscall.ENOMEM || errno == syscall.ENOSPC:
		return queueFull(verb, s.name, fmt.Sprintf("the device has no room for the batch of %d, and none was posted: see QPAttr.MaxSendWR", fit))
	default:
		hint = fmt.Sprintf("none of the batch of %d was posted", fit)
		if fit == 1 {
			hint = sendHint(&r.wrs[0], errno)
		}
	}
	return hinted(s.home.failed(verb, s.name, errno), hint)
}
