//go:build linux && cgo

package kerneltest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// A directSide is a side whose queues are used by direct handles.
type directSide struct {
	*side
	sent, received *verbs.DirectCQ
	send           *verbs.DirectSend
	recv           *verbs.DirectRecv
}

func newDirectSide(t testing.TB, e *side) *directSide {
	return &directSide{
		e, closing(t, must(e.scq.Direct(verbs.DirectAttr{}))), closing(t, must(e.rcq.Direct(verbs.DirectAttr{}))),
		closing(t, must(e.qp.DirectSend(verbs.DirectAttr{}))), closing(t, must(e.qp.DirectRecv(verbs.DirectAttr{}))),
	}
}

// wantDirect wants what is known of the devices: soft-RoCE posts sends by a system call, which is no direct call.
func (e *directSide) wantDirect(t testing.TB) {
	t.Helper()
	reasons := []string{e.sent.Reason(), e.received.Reason(), e.recv.Reason(), e.send.Reason()}
	for _, why := range reasons {
		if strings.Contains(why, "there are no direct calls") {
			t.Logf("everything goes by cgo: %s", why)
			return
		}
	}
	switch which() {
	case rxe:
		if !strings.Contains(reasons[3], "post_send of rxe enters the kernel") {
			t.Errorf("sends: %q", reasons[3])
		}
		reasons = reasons[:3]
	case hardware:
		t.Logf("sends, receives and polls by cgo: %q", reasons)
		return
	}
	for _, why := range reasons {
		if why != "" {
			t.Errorf("not direct: %s", why)
		}
	}
}

// takeDirect polls until there are n completions, all of them good, and in the order of their ids.
func takeDirect(t testing.TB, q *verbs.DirectCQ, first uint64, n int) {
	t.Helper()
	wc := make([]ibv.WC, 8)
	for end := time.Now().Add(patience); n > 0; {
		got, err := q.Poll(wc[:min(n, len(wc))])
		ok(t, err)
		for i := range wc[:got] {
			if wc[i].Err() != nil || wc[i].WRID != first {
				t.Fatalf("%d has ended with %v; want success of %d", wc[i].WRID, wc[i].Err(), first)
			}
			first++
		}
		if n -= got; got == 0 {
			if time.Now().After(end) {
				t.Fatalf("%d completions are missing", n)
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// Messages in chains, posted and polled by direct handles, arrive, in order and whole.
func TestDirect(t *testing.T) {
	sides := make([]*directSide, 2)
	a, b := connected(t, setup{})
	for i, e := range []*side{a, b} {
		sides[i] = newDirectSide(t, e)
		sides[i].wantDirect(t)
	}
	out, in := must(verbs.NewSendRequests(4, 1, 0)), must(verbs.NewRecvRequests(4, 1))
	id := uint64(0)
	for round := range 50 {
		from, to, n := sides[round%2], sides[1-round%2], 1+round%4
		ok(t, out.SetLen(n))
		ok(t, in.SetLen(n))
		text := func(i int) string { return fmt.Sprintf("message %d", id+uint64(i)) }
		for i := range n {
			copy(from.mr.Bytes()[i*64:], text(i))
			length := len(text(i))
			ok(t, in.Set(i, verbs.RecvWR{WRID: id + uint64(i), SGList: to.part(1024+i*64, 64)}))
			ok(t, out.Set(i, verbs.SendWR{WRID: id + uint64(i), Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED, SGList: from.part(i*64, length)}))
		}
		if got, err := to.recv.Post(in); got != n || err != nil {
			t.Fatal(got, err)
		}
		if got, err := from.send.Post(out); got != n || err != nil {
			t.Fatal(got, err)
		}
		takeDirect(t, to.received, id, n)
		takeDirect(t, from.sent, id, n)
		for i := range n {
			if got := string(to.mr.Bytes()[1024+i*64:][:len(text(i))]); got != text(i) {
				t.Fatalf("%q, want %q", got, text(i))
			}
		}
		id += uint64(n)
	}
	// The accounting of places has seen all that.
	for _, e := range sides {
		ok(t, out.SetLen(1))
		ok(t, out.Set(0, verbs.SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE}))
		if n := fill(t, func() error { _, err := e.send.Post(out); return err }); n != int(e.qp.Cap().MaxSendWR) {
			t.Errorf("%d requests have room, want %d", n, e.qp.Cap().MaxSendWR)
		}
	}
}

// What is closed or reset beside a direct user tells that, and nothing else happens.
func TestDirectClose(t *testing.T) {
	c := open(t)
	pd := closing(t, must(c.AllocPD()))
	a, b := newSide(t, pd, setup{}), newSide(t, pd, setup{})
	connect(t, a, b, verbs.ConnectAttr{})
	e := newDirectSide(t, a)
	ended := make(chan error, 2)
	started := make(chan struct{})
	go func() {
		wc := make([]ibv.WC, 4)
		_, err := e.sent.Poll(wc)
		close(started)
		for err == nil {
			_, err = e.sent.Poll(wc)
		}
		ended <- err
	}()
	go func() {
		in := must(verbs.NewRecvRequests(1, 0))
		_, err := e.recv.Post(in)
		for err == nil || errors.Is(err, verbs.ErrQueueFull) {
			_, err = e.recv.Post(in)
		}
		ended <- err
	}()
	<-started
	ok(t, a.qp.Close())
	ok(t, a.scq.Close())
	ok(t, a.rcq.Close())
	for range 2 {
		select {
		case err := <-ended:
			if !errors.Is(err, verbs.ErrClosed) {
				t.Errorf("%v, want ErrClosed", err)
			}
		case <-time.After(patience):
			t.Fatal("the user of a closed queue does not end")
		}
	}
}
