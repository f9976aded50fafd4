package direct

import "unsafe"

// A Chain is a chain of requests to post.
type Chain struct {
	First  unsafe.Pointer // the first request
	N      int64          // how many there are
	Fits   uint64         // what it is known to fit: see Queue
	Signal uint64         // 1: the first request is signalled; else 0
}

// A Queue is what a send queue's owner knows of it. A request takes a place until the completion of the first signalled one from it on has been polled.
type Queue struct {
	Takes     uint64  // chains that fit this have requests that the queue takes
	Posted    uint64  // requests so far
	Limit     uint64  // there are places up to so many
	Signalled uint64  // requests so far
	All       uint64  // 1: every request is signalled; else 0
	Ends      *uint64 // Ends[k&Mask] is the number of requests up to and with the k-th signalled one
	Mask      uint64
}

// A Poster is what Post posts by. Its zero value has no gate.
type Poster struct {
	gate   *Gate
	queue  *Queue
	bad    uintptr // see Bad
	result int     // see Result
}

// Through has Post go through a gate from now on, whose function has a request and where to name a bad one as its further arguments, and account to q.
func (p *Poster) Through(g *Gate, q *Queue) { p.gate, p.queue = g, q }

// Result tells why a post goes on otherwise, once, as [Poller.Result] does. It is Refused, too, if the chain is not one request that fits, or if there
// is no place.
func (p *Poster) Result() int {
	if p == nil {
		return 0
	}
	r := p.result
	p.result = 0
	return r
}

// Bad is the request that the function has named as bad in a post whose result has Held added; nil: none. It is told once, and has to be asked for
// before the next post, too.
func (p *Poster) Bad() unsafe.Pointer {
	bad := *(*unsafe.Pointer)(unsafe.Pointer(&p.bad))
	p.bad = 0
	return bad
}

// postOther is where Post goes on if the post is not over.
//
//lint:ignore U1000 the assembly jumps to it
func postOther(p *Poster, chain *Chain, other func(p *Poster, chain *Chain) (int, error)) (int, error) {
	return other(p, chain)
}
