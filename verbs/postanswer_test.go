//go:build linux && cgo

package verbs

import (
	"errors"
	"runtime"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

func chainOfSends(n int) *SendRequests {
	r := must(NewSendRequests(n, 1, 0))
	for i := range n {
		must(0, r.Set(i, SendWR{Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED}))
	}
	return r
}

// A post that returns -1 and no reason has none: an errno value that an earlier call has left on the thread is another's, on any thread.
func TestReasonIsThePostsOwn(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 8, MaxRecvWR: 8}, ConnectAttr{})
	beside.PostsAnswer(p.a.raw, -1, -1)
	defer beside.PostsGenuine(p.a.raw)
	one, recv := chainOfSends(1), must(NewRecvRequests(1, 1))
	posts := func() {
		for verb, post := range map[string]func() (int, error){
			"ibv_post_send": func() (int, error) { return p.a.PostSend(one) },
			"ibv_post_recv": func() (int, error) { return p.a.PostRecv(recv) },
		} {
			for range 2 {
				beside.LeaveErrno(syscall.EACCES)
				n, err := post()
				if n != 0 {
					t.Errorf("%d were posted", n)
				}
				wantError(t, err, verb, p.a.String(), 1)
			}
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	posts()
	done := make(chan bool)
	go func() {
		runtime.LockOSThread() // for good: a thread beside this one
		posts()
		close(done)
	}()
	<-done
	posts()
}

// Success that names a request is success of those before it: they alone take places.
func TestPostThatTookAPart(t *testing.T) {
	p := testPair(t, QPAttr{MaxSendWR: 8, MaxRecvWR: 8}, ConnectAttr{})
	s := p.a.sq
	defer beside.PostsGenuine(p.a.raw)
	for _, c := range []struct {
		chain, taken int
	}{{1, 0}, {3, 1}, {3, 2}, {int(s.room) + 2, 1}} { // the last has no room as a whole
		before := s.Posted
		beside.PostsAnswer(p.a.raw, 0, c.taken)
		n, err := p.a.PostSend(chainOfSends(c.chain))
		wantError(t, err, "ibv_post_send", p.a.String(), 0, "only a part")
		if n != c.taken || s.Posted != before+uint64(c.taken) || errors.Is(err, ErrQueueFull) {
			t.Errorf("%d of %d, and %d places: %v", n, c.chain, s.Posted-before, err)
		}
	}
	recv := must(NewRecvRequests(3, 1))
	beside.PostsAnswer(p.a.raw, 0, 2)
	n, err := p.a.PostRecv(recv)
	wantError(t, err, "ibv_post_recv", p.a.String(), 0, "only a part")
	if n != 2 {
		t.Errorf("%d of 3: %v", n, err)
	}
}
