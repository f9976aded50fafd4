//go:build linux && cgo

package verbs

import (
	"errors"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
)

// What a queue has once found to fit is looked at again after it has changed, and by each queue with other bounds.
func TestBoundsAfterAPost(t *testing.T) {
	for _, direct := range []bool{false, true} {
		wide := testPair(t, QPAttr{MaxSendWR: 64, MaxSendSGE: 5, MaxInlineData: 32}, ConnectAttr{}).a
		other := testPair(t, QPAttr{MaxSendWR: 64, MaxSendSGE: 1, MaxInlineData: 64}, ConnectAttr{}).a
		poster := func(q *QP) func(*SendRequests) (int, error) {
			if direct {
				return testDirectSend(t, q, DirectAttr{}).Post
			}
			return q.PostSend
		}
		toWide, toOther := poster(wide), poster(other)
		w, o := wide.Cap(), other.Cap() // which are more than was asked for
		if w.MaxSendSGE <= o.MaxSendSGE || w.MaxInlineData >= o.MaxInlineData {
			t.Fatal(w, o)
		}
		sges, inline := int(w.MaxSendSGE), int(w.MaxInlineData)
		r := must(NewSendRequests(1, sges+1, inline+1))
		for _, c := range []struct {
			sges, inline int
			wide, other  bool
		}{{1, 0, true, true}, {sges, 0, true, false}, {0, inline, true, true}, {sges + 1, 0, false, false}, {1, 0, true, true}, {0, inline + 1, false, true}} {
			wr := SendWR{Inline: make([]byte, c.inline)}
			if c.inline == 0 {
				wr = SendWR{SGList: make([]ibv.SGE, c.sges)}
			}
			ok(t, r.Set(0, wr))
			for range 2 {
				for name, post := range map[string]func(*SendRequests) (int, error){"wide": toWide, "other": toOther} {
					fits := c.wide && name == "wide" || c.other && name == "other"
					n, err := post(r)
					if fits && (n != 1 || err != nil) || !fits && (n != 0 || !errors.Is(err, syscall.EINVAL)) {
						t.Errorf("direct: %v; %d elements, %d inline, %s queue: %d, %v", direct, c.sges, c.inline, name, n, err)
					}
				}
			}
		}
		ok(t, r.SetLen(0))
		if n, err := toWide(r); n != 0 || err != nil {
			t.Errorf("no requests: %d, %v", n, err)
		}
		ok(t, r.SetLen(1))
		ok(t, wide.Close())
		if n, err := toWide(r); n != 0 || !errors.Is(err, ErrClosed) {
			t.Errorf("closed: %d, %v", n, err)
		}
	}
}
