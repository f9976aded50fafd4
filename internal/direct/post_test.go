//go:build linux && cgo

package direct_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/direct/ctest"
)

// A post calls nothing, and changes nothing, unless there is one request that fits and has a place; and accounts for it if it is posted.
func TestPost(t *testing.T) {
	const fits = math.MaxUint64 - 1
	chain := func(n int64, f, signal uint64) direct.Chain { return direct.Chain{N: n, Fits: f, Signal: signal} }
	before := direct.Queue{Takes: fits, Posted: 6, Limit: 7, Signalled: 5, Mask: 3}
	for name, c := range map[string]struct {
		chain                  direct.Chain
		change                 func(q *direct.Queue)
		level                  uint32
		shut, bad              bool
		result                 int32
		want                   int
		called, held           bool
		posted, signalled, end uint64
	}{
		"signalled":             {chain: chain(1, fits, 1), called: true, posted: 7, signalled: 6, end: 7},
		"not signalled":         {chain: chain(1, fits, 0), called: true, posted: 7, signalled: 5, end: 7},
		"all are signalled":     {chain: chain(1, fits, 0), change: func(q *direct.Queue) { q.All, q.Mask = 1, 1 }, called: true, posted: 7, signalled: 6, end: 7},
		"no request":            {chain: chain(0, fits, 1), want: direct.Refused},
		"two requests":          {chain: chain(2, fits, 1), want: direct.Refused},
		"a huge chain":          {chain: chain(1<<32+1, fits, 1), want: direct.Refused},
		"what does not fit":     {chain: chain(1, fits-1, 1), want: direct.Refused},
		"other bounds above":    {chain: chain(1, fits^1<<40, 1), want: direct.Refused},
		"no place":              {chain: chain(1, fits, 1), change: func(q *direct.Queue) { q.Limit = 6 }, want: direct.Refused},
		"less than no place":    {chain: chain(1, fits, 1), change: func(q *direct.Queue) { q.Limit = 5 }, want: direct.Refused},
		"places without end":    {chain: chain(1, fits, 1), change: func(q *direct.Queue) { q.Limit = math.MaxInt64 }, called: true, posted: 7, signalled: 6, end: 7},
		"a level too low":       {chain: chain(1, fits, 1), level: 2, want: direct.Refused},
		"a level too high":      {chain: chain(1, fits, 1), level: 5, want: direct.Refused},
		"shut":                  {chain: chain(1, fits, 1), shut: true, want: direct.Refused},
		"an error":              {chain: chain(1, fits, 1), result: 12, want: direct.Held + 12, called: true, held: true},
		"a negative error":      {chain: chain(1, fits, 1), result: -1, bad: true, want: direct.Held - 1, called: true, held: true},
		"bad without an error":  {chain: chain(1, fits, 1), bad: true, want: direct.Held, called: true, held: true},
		"the smallest of int's": {chain: chain(1, fits, 1), result: math.MinInt32, want: direct.Held + math.MinInt32, called: true, held: true},
	} {
		t.Run(name, func(t *testing.T) {
			level := c.level
			if level == 0 {
				level = 3
			}
			g, n := gateWith(t, ctest.Post, &level, 3, 4)
			q, ends, request := before, make([]uint64, 4), new(uint64)
			q.Ends, c.chain.First = &ends[0], unsafe.Pointer(request)
			if c.change != nil {
				c.change(&q)
			}
			want, at := q, q.Signalled&q.Mask
			if c.end != 0 {
				want.Posted, want.Signalled = c.posted, c.signalled
			}
			var p direct.Poster
			p.Through(g, &q)
			if c.shut {
				direct.Shut(g)
			}
			n.Result = c.result
			if c.bad {
				n.Touched = 1
			}
			got := postBy(&p, &c.chain)
			then := outcome{n: 1}
			if c.want != 0 {
				then = outcome{77, errOther, 1, c.want}
			}
			if got != then || g.Busy() != c.held || n.Calls != 0 != c.called || q != want {
				t.Errorf("%+v, want %+v; the owner is in: %v; %d calls; %+v, want %+v", got, then, g.Busy(), n.Calls, q, want)
			}
			for i, end := range ends {
				if uint64(i) == at && end != c.end || uint64(i) != at && end != 0 {
					t.Errorf("ends %v, want %d at %d", ends, c.end, at)
				}
			}
			if c.called && n.Pointer != c.chain.First {
				t.Errorf("posted %p, want %p", n.Pointer, c.chain.First)
			}
			if c.bad && p.Bad() != c.chain.First || p.Bad() != nil {
				t.Error("the bad request is not told, or more than once")
			}
			g.Leave()
		})
	}
}

// Without a poster, a gate or a chain nothing is called.
func TestPostOfNothing(t *testing.T) {
	g, n := gateWith(t, ctest.Post, new(uint32), 0, 0)
	var none, p direct.Poster
	ends := make([]uint64, 4)
	p.Through(g, &direct.Queue{Takes: 1, Limit: 4, Ends: &ends[0], Mask: 3})
	chain := &direct.Chain{N: 1, Fits: 1}
	for name, got := range map[string]outcome{"no poster": postBy(nil, chain), "no gate": postBy(&none, chain), "no chain": postBy(&p, nil)} {
		if want := (outcome{77, errOther, 1, 0}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if n.Calls != 0 || g.Busy() {
		t.Errorf("%d calls; the owner is in: %v", n.Calls, g.Busy())
	}
	if got := postBy(&p, chain); got != (outcome{n: 1}) || n.Calls != 1 {
		t.Errorf("a request: %+v, %d calls", got, n.Calls)
	}
}

// postBy posts, and goes on otherwise with 77 and errOther.
func postBy(p *direct.Poster, c *direct.Chain) (r outcome) {
	spoil(20)
	r.n, r.err = direct.Post(p, c, func(samePoster *direct.Poster, sameChain *direct.Chain) (int, error) {
		if samePoster != p || sameChain != c {
			panic("it goes on with other arguments")
		}
		r.other++
		r.result = p.Result()
		return 77, errOther
	})
	if p.Result() != 0 {
		panic("the result is told again")
	}
	wholly(r.err)
	return r
}
