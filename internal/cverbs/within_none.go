//go:build !linux || !cgo

package cverbs

func (g *Turnstile) busy() bool { return false }

// Call would poll a CQ. Here no verb can be called, and the turnstile is shut.
func (p *PollWithin) Call() int32 {
	p.Entries = -1
	return 0
}

// Call would poll an extended CQ. Here no verb can be called, and the turnstile is shut.
func (p *PollExWithin) Call() int32 {
	p.Entries = -1
	return 0
}
