//go:build !linux || !cgo

package cverbs

import "github.com/goverbs/ibv"

// SpinCQ would poll a CQ for a while. Here no verb can be called, and the error is ErrNotSupported.
func SpinCQ(cq *ibv.CQ, numEntries int32, wc *ibv.WC, ns uint64) (int, error) {
	return 0, unsupported(VerbPollCQ)
}
