//go:build !linux || !cgo

package cverbs

import "github.com/goverbs/ibv"

func (g *Turnstile) busy() bool { return false }

// PollCQWithin would poll a CQ. Here no verb can be called, and the error is ErrNotSupported.
func PollCQWithin(g *Turnstile, turn uint64, cq *ibv.CQ, numEntries int32, wc *ibv.WC) (n int, ok bool, err error) {
	return 0, true, unsupported(VerbPollCQ)
}

// PollCQExWithin would poll an extended CQ. Here no verb can be called, and the error is ErrNotSupported.
func PollCQExWithin(g *Turnstile, turn uint64, cq *ibv.CQEx, fields ibv.CreateCQWCFlags, n int32, wc *WCEx) (got int, ok bool, err error) {
	return 0, true, unsupported(VerbStartPoll)
}
