//go:build linux && cgo

package softdev

import (
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
	"github.com/goverbs/ibv/internal/cverbs"
)

// rc makes a QP with a completion queue of its own, which all its completions go to.
func rc(t testing.TB, p *ibv.PD) *ibv.QP {
	t.Helper()
	q := cq(t, p.Context, 256, nil)
	qp := must(cverbs.CreateQP(p, &ibv.QPInitAttr{
		SendCQ: q, RecvCQ: q, QPType: ibv.IBV_QPT_RC,
		Cap: ibv.QPCap{MaxSendWR: 64, MaxRecvWR: 64, MaxSendSGE: 1, MaxRecvSGE: 1},
	}))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DestroyQP(qp)) })
	return qp
}

// connect takes a QP, in RESET, to RTS with another as its peer.
func connect(t testing.TB, qp, peer *ibv.QP) {
	t.Helper()
	a := ibv.QPAttr{
		QPState: ibv.IBV_QPS_INIT, PortNum: 1, PathMTU: ibv.IBV_MTU_4096, DestQPNum: peer.QPNum,
		MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	}
	a.AHAttr.IsGlobal, a.AHAttr.PortNum, a.AHAttr.GRH.SgidIndex = 1, 1, 3
	wantNil(t, cverbs.QueryGID(qp.Context, 1, 3, &a.AHAttr.GRH.Dgid))
	wantNil(t, cverbs.ModifyQP(qp, &a, int32(ibv.IBV_QP_STATE|ibv.IBV_QP_PKEY_INDEX|ibv.IBV_QP_PORT|ibv.IBV_QP_ACCESS_FLAGS)))
	a.QPState = ibv.IBV_QPS_RTR
	wantNil(t, cverbs.ModifyQP(qp, &a, int32(ibv.IBV_QP_STATE|ibv.IBV_QP_AV|ibv.IBV_QP_PATH_MTU|ibv.IBV_QP_DEST_QPN|ibv.IBV_QP_RQ_PSN|
		ibv.IBV_QP_MAX_DEST_RD_ATOMIC|ibv.IBV_QP_MIN_RNR_TIMER)))
	a.QPState = ibv.IBV_QPS_RTS
	wantNil(t, cverbs.ModifyQP(qp, &a, int32(ibv.IBV_QP_STATE|ibv.IBV_QP_TIMEOUT|ibv.IBV_QP_RETRY_CNT|ibv.IBV_QP_RNR_RETRY|ibv.IBV_QP_SQ_PSN|
		ibv.IBV_QP_MAX_QP_RD_ATOMIC)))
}

// pair makes two connected QPs, and a region for the messages.
func pair(t testing.TB) (d *Device, from, to *ibv.QP, mr *ibv.MR) {
	t.Helper()
	d, c := open(t, Config{})
	p := pd(t, c)
	mr = must(cverbs.RegMR(p, address(memory(t, 4096)), 4096, uint32(ibv.IBV_ACCESS_LOCAL_WRITE)))(t)
	t.Cleanup(func() { wantNil(t, cverbs.DeregMR(mr)) })
	from, to = rc(t, p), rc(t, p)
	connect(t, from, to)
	connect(t, to, from)
	return d, from, to, mr
}

func TestSends(t *testing.T) {
	_, from, to, mr := pair(t)
	for _, chain := range []int{1, 16, 64} {
		if _, _, err := beside.Sends(from, to, mr.Addr, mr.LKey, 640, chain); err != nil {
			t.Errorf("chains of %d: %v", chain, err)
		}
	}
}

// Messages of 64 bytes in C, in time passed and in time of the processor. The aim is 5 million a second, 200 ns each.
func BenchmarkSends(b *testing.B) {
	_, from, to, mr := pair(b)
	for name, chain := range map[string]int{"singly": 1, "chains of 16": 16} {
		b.Run(name, func(b *testing.B) {
			_, cpu, err := beside.Sends(from, to, mr.Addr, mr.LKey, (b.N+chain-1)/chain*chain, chain)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N), "cpu-ns/msg")
		})
	}
}
