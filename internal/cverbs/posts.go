package cverbs

import (
	"structs"

	"github.com/goverbs/ibv"
)

// A SendPost is a post of sends: what [PostSend] takes, in memory. It may be a local variable. WR must be C memory or pinned, and kept by
// the caller until Call has returned.
type SendPost struct {
	_   structs.HostLayout
	QP  *ibv.QP
	WR  *ibv.SendWR
	Bad *ibv.SendWR // a result: the first request that was not taken; nil: there is none
}

// A RecvPost is a post of receives: what [PostRecv] takes, as a SendPost.
type RecvPost struct {
	_   structs.HostLayout
	QP  *ibv.QP
	WR  *ibv.RecvWR
	Bad *ibv.RecvWR
}

// A WRBatch is a post of N requests, at least 1, which lie one behind the other from WRs on, by one ibv_wr_start and ibv_wr_complete. Ops is what the QP was
// created with; an operation that is not in it gives EOPNOTSUPP. WRs are as a SendPost's WR.
type WRBatch struct {
	_     structs.HostLayout
	QP    *ibv.QPEx
	Ops   ibv.QPCreateSendOpsFlags
	WRs   *ibv.SendWR
	N     int32
	Index int32 // a result, with an errno value: of the request that could not be built, or N if ibv_wr_complete has failed
}
