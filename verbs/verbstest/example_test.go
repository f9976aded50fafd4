//go:build linux && cgo

package verbstest_test

import (
	"fmt"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	vt "github.com/goverbs/ibv/verbs/verbstest"
)

func Example() {
	ctx := vt.Must(vt.Must(vt.Open(vt.Config{})).Open()) // or vt.Must(verbs.OpenDevice("mlx5_0"))
	pd, cq := vt.Must(ctx.AllocPD()), vt.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 2}))
	qp := vt.Must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
	vt.Check(qp.Connect(vt.Must(qp.Endpoint()), verbs.ConnectAttr{})) // to itself
	mr := vt.Must(pd.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE))
	from := vt.Must(mr.SGE(2048, copy(mr.Bytes()[2048:], "hello, RDMA")))
	vt.Check(qp.Recv(verbs.RecvWR{WRID: 1, SGList: []ibv.SGE{vt.Must(mr.SGE(0, 2048))}}))
	vt.Check(qp.Send(verbs.SendWR{WRID: 2, Opcode: ibv.IBV_WR_SEND, SGList: []ibv.SGE{from}}))
	wc := make([]ibv.WC, 1)
	for vt.Must(cq.Poll(wc)) == 0 {
	}
	fmt.Printf("%v: %s\n", wc[0].Status, mr.Bytes()[:wc[0].ByteLen])
	// Output: IBV_WC_SUCCESS: hello, RDMA
}
