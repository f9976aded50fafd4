package cverbs

import (
	"structs"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A PollWithin is a poll of a turnstile's CQ within that: what [PollCQ] takes, in memory. It may be a local variable. Whoever calls keeps alive what it points to
// until Call has returned. Four fields are set one by one, and more by way of a copy, which costs 2 ns.
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
	Entries   int32 // as above
	failure   int32 // a result: what ended the batch; 0: that there are no more, or no room
}

// Shut is as PollWithin's.
func (p *PollExWithin) Shut() bool { return p.Entries < 0 }

// Polled is what PollCQEx makes of n, which Call has returned.
func (p *PollExWithin) Polled(n int32) (int, error) { return polledEx(int(n), int(p.failure)) }

// C asserts the same.
var (
	_ [32]byte = [unsafe.Sizeof(PollWithin{})]byte{}
	_ [24]byte = [unsafe.Offsetof(PollWithin{}.Entries)]byte{}
	_ [40]byte = [unsafe.Sizeof(PollExWithin{})]byte{}
	_ [28]byte = [unsafe.Offsetof(PollExWithin{}.Entries)]byte{}
)
