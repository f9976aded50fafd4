package cverbs

import (
	"structs"

	"github.com/goverbs/ibv"
)

// A PollWithin is a poll of a turnstile's CQ within that: what [PollCQ] takes, in memory. It may be a local variable. It has no structs.HostLayout, since a
// literal of more than four fields, and that is one, is made elsewhere and copied.
type PollWithin struct {
	Turnstile *Turnstile
	Turn      uint64
	WC        *ibv.WC
	Entries   int // of WC; less than 0 afterwards: nothing was polled, since the turnstile's turn is another one
}

// Shut reports, after Call, that nothing was polled, since the turnstile's turn is another one.
func (p *PollWithin) Shut() bool { return p.Entries < 0 }

// A PollExWithin is a poll of a turnstile's extended CQ within that: what [PollCQEx] takes, in memory, as a PollWithin.
type PollExWithin struct {
	_         structs.HostLayout
	Turnstile *Turnstile
	Turn      uint64
	WC        *WCEx
	Fields    ibv.CreateCQWCFlags
	Entries   int32 // as PollWithin's
	failure   int32 // a result: what ended the batch; 0: that there are no more, or no room
}

// Shut reports, after Call, that nothing was polled, since the turnstile's turn is another one.
func (p *PollExWithin) Shut() bool { return p.Entries < 0 }

// Polled is what PollCQEx makes of n, which Call has returned.
func (p *PollExWithin) Polled(n int32) (int, error) { return polledEx(int(n), int(p.failure)) }
