//go:build !linux || !cgo

package cverbs

import "github.com/goverbs/ibv"

// PollCQEx would poll an extended CQ. Here no verb can be called, and the error is ErrNotSupported.
func PollCQEx(cq *ibv.CQEx, fields ibv.CreateCQWCFlags, n int32, wc *WCEx) (int, error) {
	return 0, unsupported(VerbStartPoll)
}
