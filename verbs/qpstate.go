package verbs

import (
	"github.com/goverbs/ibv"
)

// A qpStep is a step from one state to another, or a change within one.
type qpStep struct {
	from, to ibv.QPState
}

// What ibv_modify_qp(3) requires for a step of a QP of each type besides IBV_QP_STATE. Steps that are not here do not exist, but for those to
// IBV_QPS_RESET and IBV_QPS_ERR, which need nothing; devices differ on whether there is one from RESET to ERR.
var (
	rcSteps = map[qpStep]ibv.QPAttrMask{
		{ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT}: ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_ACCESS_FLAGS,
		{ibv.IBV_QPS_INIT, ibv.IBV_QPS_INIT}:  0,
		{ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR}: ibv.IBV_QP_AV | ibv.IBV_QP_PATH_MTU | ibv.IBV_QP_DEST_QPN | ibv.IBV_QP_RQ_PSN |
			ibv.IBV_QP_MAX_DEST_RD_ATOMIC | ibv.IBV_QP_MIN_RNR_TIMER,
		{ibv.IBV_QPS_RTR, ibv.IBV_QPS_RTS}: ibv.IBV_QP_SQ_PSN | ibv.IBV_QP_MAX_QP_RD_ATOMIC | ibv.IBV_QP_RETRY_CNT | ibv.IBV_QP_RNR_RETRY |
			ibv.IBV_QP_TIMEOUT,
		{ibv.IBV_QPS_RTS, ibv.IBV_QPS_RTS}: 0,
		{ibv.IBV_QPS_RTS, ibv.IBV_QPS_SQD}: 0,
		{ibv.IBV_QPS_SQD, ibv.IBV_QPS_SQD}: 0,
		{ibv.IBV_QPS_SQD, ibv.IBV_QPS_RTS}: 0,
	}
	ucSteps = map[qpStep]ibv.QPAttrMask{
		{ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT}: ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_ACCESS_FLAGS,
		{ibv.IBV_QPS_INIT, ibv.IBV_QPS_INIT}:  0,
		{ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR}:   ibv.IBV_QP_AV | ibv.IBV_QP_PATH_MTU | ibv.IBV_QP_DEST_QPN | ibv.IBV_QP_RQ_PSN,
		{ibv.IBV_QPS_RTR, ibv.IBV_QPS_RTS}:    ibv.IBV_QP_SQ_PSN,
		{ibv.IBV_QPS_RTS, ibv.IBV_QPS_RTS}:    0,
		{ibv.IBV_QPS_RTS, ibv.IBV_QPS_SQD}:    0,
		{ibv.IBV_QPS_SQD, ibv.IBV_QPS_SQD}:    0,
		{ibv.IBV_QPS_SQD, ibv.IBV_QPS_RTS}:    0,
		{ibv.IBV_QPS_SQE, ibv.IBV_QPS_RTS}:    0,
	}
	udSteps = map[qpStep]ibv.QPAttrMask{
		{ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT}: ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_QKEY,
		{ibv.IBV_QPS_INIT, ibv.IBV_QPS_INIT}:  0,
		{ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR}:   0,
		{ibv.IBV_QPS_RTR, ibv.IBV_QPS_RTS}:    ibv.IBV_QP_SQ_PSN,
		{ibv.IBV_QPS_RTS, ibv.IBV_QPS_RTS}:    0,
		{ibv.IBV_QPS_RTS, ibv.IBV_QPS_SQD}:    0,
		{ibv.IBV_QPS_SQD, ibv.IBV_QPS_SQD}:    0,
		{ibv.IBV_QPS_SQD, ibv.IBV_QPS_RTS}:    0,
		{ibv.IBV_QPS_SQE, ibv.IBV_QPS_RTS}:    0,
	}
)

// stepsOf has the steps of a type of QP; nil if they are not known.
func stepsOf(t ibv.QPType) map[qpStep]ibv.QPAttrMask {
	switch t {
	case ibv.IBV_QPT_RC:
		return rcSteps
	case ibv.IBV_QPT_UC:
		return ucSteps
	case ibv.IBV_QPT_UD:
		return udSteps
	}
	return nil
}

// missing is what a step requires and mask lacks, and whether there is such a step at all. Of a type that is not known, or from a state that
// is not known, every step may be.
func missing(t ibv.QPType, s qpStep, mask ibv.QPAttrMask) (lacks ibv.QPAttrMask, exists bool) {
	steps := stepsOf(t)
	if steps == nil || s.to == ibv.IBV_QPS_RESET || s.to == ibv.IBV_QPS_ERR || s.from > ibv.IBV_QPS_ERR {
		return 0, true
	}
	required, exists := steps[s]
	return required &^ mask, exists
}
