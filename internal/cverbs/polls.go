package cverbs

import (
	"structs"

	"github.com/goverbs/ibv"
)

// A PollWithin is a poll of a CQ within a turnstile: what [PollCQ] takes, in memory. It may be a local variable. Whoever calls keeps alive what it points to until
// Call has returned.
type PollWithin struct {
	_          structs.HostLayout
	Turnstile  *Turnstile
	Turn       uint64
	CQ         *ibv.CQ
	WC         *ibv.WC
	NumEntries int32
	Shut       bool // a result: nothing was polled, since the turnstile's turn is another one
}

// A PollExWithin is a poll of an extended CQ within a turnstile: what [PollCQEx] takes, in memory, as a PollWithin.
type PollExWithin struct {
	_         structs.HostLayout
	Turnstile *Turnstile
	Turn      uint64
	CQ        *ibv.CQEx
	WC        *WCEx
	Fields    ibv.CreateCQWCFlags
	N         int32
	failure   int32 // a result: what ended the batch; 0: that there are no more, or no room
	Shut      bool  // a result, as PollWithin's
}

// Polled is what PollCQEx makes of n, which Call has returned.
func (p *PollExWithin) Polled(n int32) (int, error) { return polledEx(int(n), int(p.failure)) }
