package direct

import "unsafe"

// A Poller is what Poll polls by. Its zero value has no gate.
type Poller struct {
	gate   *Gate
	result int // see Result
}

// Through has Poll go through a gate from now on, whose function has a number and an array as its further arguments.
func (p *Poller) Through(g *Gate) { p.gate = g }

// Result tells why a poll goes on otherwise, once. 0: nothing was called, since there is no poller, or it has no gate, or n is not one that C
// takes. Refused: nothing was called, since the gate is not as its owner has last seen it, or the level is out of its bounds. Other results are the
// function's with Held added, and the owner is in until Leave.
func (p *Poller) Result() int {
	if p == nil {
		return 0
	}
	r := p.result
	p.result = 0
	return r
}

// pollOther is where Poll goes on if the poll is not over.
//
//lint:ignore U1000 the assembly jumps to it
func pollOther(p *Poller, out unsafe.Pointer, n int, other func(p *Poller, out unsafe.Pointer, n int) (int, error)) (int, error) {
	return other(p, out, n)
}
