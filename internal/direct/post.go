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

// Account has Post account to q from now on. That is for gates that are shut, or nobody's yet.
func (g *Gate) Account(q *Queue) { g.queue = q }

// Post is Call with a chain's request, if there is one, and it fits, and the queue has a place. Posted tells the result, and has to be called before the
// next Post. The gate has to account.
//
// All of it is one function in assembly, since what takes time between two calls of C that lock something is how often memory is written to:
// each lock waits for that. That is why nothing is returned, either.
func (g *Gate) Post(c *Chain) { post(g, c) }

// Posted is what has become of a Post. 0: the request is posted and accounted for, and the owner has left. Refused: nothing was called. Other results
// have Held added, and the owner is in until Leave: the function has returned something, or named a bad request.
func (g *Gate) Posted() int {
	r := g.result
	if r != 0 {
		g.result = 0
	}
	return r
}

// Bad is the request that the function has named as bad in a Post whose result has Held added; nil: none. It is told once, and has to be asked for
// before the next Post, too.
func (g *Gate) Bad() unsafe.Pointer {
	bad := *(*unsafe.Pointer)(unsafe.Pointer(&g.bad))
	g.bad = 0
	return bad
}
