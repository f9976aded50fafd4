package verbs

import (
	"fmt"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// Modify changes the attributes in mask with ibv_modify_qp: mostly the state, by IBV_QP_STATE. On an error the QP is as it was.
//
// Attributes that the step requires and mask lacks are named, as are steps that do not exist, without a call. The step begins at the state
// that attr.CurQPState says, if mask has IBV_QP_CUR_STATE, else at what State returns. Anywhere but in
// IBV_QPS_RESET a QP can go to IBV_QPS_ERR, which completes all requests with IBV_WC_WR_FLUSH_ERR; from anywhere it can go to IBV_QPS_RESET, which
// drops them, and completions that were not polled yet with them.
func (q *QP) Modify(attr *ibv.QPAttr, mask ibv.QPAttrMask) error {
	if err := begin(cverbs.VerbModifyQP, q.core()); err != nil {
		return err
	}
	defer end(q.object)
	if attr == nil {
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, "there are no attributes")
	}
	q.modify.Lock()
	defer q.modify.Unlock()
	return q.modifyLocked(attr, mask)
}

// modifyLocked is for those that are within a call on the QP, and hold modify.
func (q *QP) modifyLocked(attr *ibv.QPAttr, mask ibv.QPAttrMask) error {
	step := qpStep{qpState(q.raw), qpState(q.raw)}
	if mask&ibv.IBV_QP_CUR_STATE != 0 {
		step.from = attr.CurQPState
	}
	if mask&ibv.IBV_QP_STATE != 0 {
		step.to = attr.QPState
	}
	lacks, exists := missing(q.raw.QPType, step, mask)
	switch {
	case !exists:
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("there is no step %v", step))
	case lacks != 0:
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("the step %v requires %v, too", step, lacks))
	}
	err := q.change(attr, mask, step)
	if errnoOf(err) == syscall.EINVAL {
		return hinted(err, stepHint(attr, mask, step))
	}
	return hinted(err, step.String())
}

// change calls C. On the way to RESET nothing is posted, and nothing polled, so that the counts of requests begin anew at the right place.
func (q *QP) change(attr *ibv.QPAttr, mask ibv.QPAttrMask, step qpStep) error {
	reset := mask&ibv.IBV_QP_STATE != 0 && step.to == ibv.IBV_QPS_RESET
	if reset {
		q.lockQueues()
		defer q.unlockQueues()
	}
	if err := cverbs.ModifyQP(q.raw, attr, int32(mask)); err != nil {
		return q.failed(cverbs.VerbModifyQP, err)
	}
	if mask&(ibv.IBV_QP_STATE|ibv.IBV_QP_ACCESS_FLAGS|ibv.IBV_QP_PKEY_INDEX) != 0 {
		q.defaults = false
	}
	if reset && q.sq != nil {
		q.sq.reset(q.sendCQ.turnstile.Turn() + 1)
		q.sendCQ.restart(q.sq)
	}
	return nil
}

// stepHint tells what was asked for, of what is mostly wrong.
func stepHint(attr *ibv.QPAttr, mask ibv.QPAttrMask, step qpStep) string {
	hint := step.String()
	if mask&ibv.IBV_QP_AV != 0 {
		a := &attr.AHAttr
		hint += fmt.Sprintf(", to GID %v on port %d, is_global %d, with sgid_index %d", a.GRH.Dgid, a.PortNum, a.IsGlobal, a.GRH.SgidIndex)
	}
	if mask&ibv.IBV_QP_PATH_MTU != 0 {
		hint += fmt.Sprintf(", path_mtu %v", attr.PathMTU)
	}
	if mask&ibv.IBV_QP_PORT != 0 {
		hint += fmt.Sprintf(", port_num %d", attr.PortNum)
	}
	if mask&ibv.IBV_QP_PKEY_INDEX != 0 {
		hint += fmt.Sprintf(", pkey_index %d", attr.PKeyIndex)
	}
	return hint
}

func (s qpStep) String() string { return fmt.Sprintf("from %v to %v", s.from, s.to) }
