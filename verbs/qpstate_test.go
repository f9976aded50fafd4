package verbs

import (
	"testing"

	"github.com/goverbs/ibv"
)

// What ibv_modify_qp(3) has in its tables for each type.
func TestStepRequirements(t *testing.T) {
	const (
		av   = ibv.IBV_QP_AV
		none = ibv.QPAttrMask(0)
	)
	for _, c := range []struct {
		t        ibv.QPType
		from, to ibv.QPState
		required ibv.QPAttrMask
	}{
		{ibv.IBV_QPT_RC, ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT, ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_ACCESS_FLAGS},
		{ibv.IBV_QPT_RC, ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR, av | ibv.IBV_QP_PATH_MTU | ibv.IBV_QP_DEST_QPN | ibv.IBV_QP_RQ_PSN | ibv.IBV_QP_MAX_DEST_RD_ATOMIC | ibv.IBV_QP_MIN_RNR_TIMER},
		{ibv.IBV_QPT_RC, ibv.IBV_QPS_RTR, ibv.IBV_QPS_RTS, ibv.IBV_QP_SQ_PSN | ibv.IBV_QP_MAX_QP_RD_ATOMIC | ibv.IBV_QP_RETRY_CNT | ibv.IBV_QP_RNR_RETRY | ibv.IBV_QP_TIMEOUT},
		{ibv.IBV_QPT_UC, ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT, ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_ACCESS_FLAGS},
		{ibv.IBV_QPT_UC, ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR, av | ibv.IBV_QP_PATH_MTU | ibv.IBV_QP_DEST_QPN | ibv.IBV_QP_RQ_PSN},
		{ibv.IBV_QPT_UC, ibv.IBV_QPS_RTR, ibv.IBV_QPS_RTS, ibv.IBV_QP_SQ_PSN},
		{ibv.IBV_QPT_UD, ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT, ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_QKEY},
		{ibv.IBV_QPT_UD, ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR, none},
		{ibv.IBV_QPT_UD, ibv.IBV_QPS_RTR, ibv.IBV_QPS_RTS, ibv.IBV_QP_SQ_PSN},
		{ibv.IBV_QPT_UD, ibv.IBV_QPS_SQE, ibv.IBV_QPS_RTS, none},
	} {
		step := qpStep{c.from, c.to}
		if lacks, exists := missing(c.t, step, ibv.IBV_QP_STATE); !exists || lacks != c.required {
			t.Errorf("%v %v: %v, %v; want %v", c.t, step, lacks, exists, c.required)
		}
		if lacks, exists := missing(c.t, step, ibv.IBV_QP_STATE|c.required); !exists || lacks != 0 {
			t.Errorf("%v %v: %v, %v", c.t, step, lacks, exists)
		}
	}
	for _, typ := range []ibv.QPType{ibv.IBV_QPT_RC, ibv.IBV_QPT_UC, ibv.IBV_QPT_UD} {
		for from := ibv.IBV_QPS_RESET; from <= ibv.IBV_QPS_ERR; from++ {
			for _, to := range []ibv.QPState{ibv.IBV_QPS_RESET, ibv.IBV_QPS_ERR} {
				if lacks, exists := missing(typ, qpStep{from, to}, ibv.IBV_QP_STATE); !exists || lacks != 0 {
					t.Errorf("%v from %v to %v: %v, %v", typ, from, to, lacks, exists)
				}
			}
		}
		for _, step := range []qpStep{{ibv.IBV_QPS_RESET, ibv.IBV_QPS_RTR}, {ibv.IBV_QPS_RESET, ibv.IBV_QPS_RTS}, {ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTS}, {ibv.IBV_QPS_ERR, ibv.IBV_QPS_INIT}, {ibv.IBV_QPS_RTS, ibv.IBV_QPS_RTR}} {
			if _, exists := missing(typ, step, ^ibv.QPAttrMask(0)); exists {
				t.Errorf("%v has a step %v", typ, step)
			}
		}
	}
	if _, exists := missing(ibv.IBV_QPT_DRIVER, qpStep{ibv.IBV_QPS_RESET, ibv.IBV_QPS_RTS}, 0); !exists {
		t.Error("a step of a provider's own type is refused")
	}
	if _, exists := missing(ibv.IBV_QPT_RC, qpStep{ibv.IBV_QPS_UNKNOWN, ibv.IBV_QPS_RTS}, 0); !exists {
		t.Error("a step from an unknown state is refused")
	}
}
