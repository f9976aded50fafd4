package verbs

import (
	"fmt"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// connectNumbers are the numbers of a ConnectAttr, or what stands for them.
type connectNumbers struct {
	mtu                                      ibv.MTU
	timeout, retryCnt, rnrRetry, minRNRTimer uint8
	maxRdAtomic, maxDestRdAtomic             uint8
}

// defaultRdAtomic is how many RDMA reads and atomics may be under way, if the device can do as many.
const defaultRdAtomic = 16

// numbers refuses what does not fit in a member of struct ibv_qp_attr, or would silently be something else.
func (q *QP) numbers(a *ConnectAttr) (*connectNumbers, error) {
	r := &connectNumbers{mtu: a.MTU}
	active := q.local.attr.ActiveMTU
	switch {
	case a.MTU == 0:
		r.mtu = active
	case a.MTU > ibv.IBV_MTU_4096 || a.MTU > active:
		return nil, refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("ConnectAttr.MTU is %v, and port %d has %v", a.MTU, q.local.port, active))
	}
	d, err := q.pd.ctx.QueryDevice()
	if err != nil {
		return nil, err
	}
	for _, n := range []struct {
		name      string
		from      *int
		otherwise int
		most      int
		to        *uint8
	}{
		{"Timeout", a.Timeout, 14, 31, &r.timeout},
		{"RetryCnt", a.RetryCnt, 7, 7, &r.retryCnt},
		{"RNRRetry", a.RNRRetry, 7, 7, &r.rnrRetry},
		{"MinRNRTimer", a.MinRNRTimer, 12, 31, &r.minRNRTimer},
		{"MaxRdAtomic", a.MaxRdAtomic, min(defaultRdAtomic, max(0, int(d.MaxQPInitRdAtom))), 255, &r.maxRdAtomic},
		{"MaxDestRdAtomic", a.MaxDestRdAtomic, min(defaultRdAtomic, max(0, int(d.MaxQPRdAtom))), 255, &r.maxDestRdAtomic},
	} {
		v := n.otherwise
		if n.from != nil {
			v = *n.from
		}
		if v < 0 || v > n.most {
			return nil, refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("ConnectAttr.%s is %d, and has to be between 0 and %d", n.name, v, n.most))
		}
		*n.to = uint8(v)
	}
	return r, nil
}
